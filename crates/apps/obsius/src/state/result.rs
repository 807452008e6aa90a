//! What a node reports, `NodeExecutionResult`, and what is known of each node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ExecutedAction;
use crate::phase::{Decision, Phase};

/// What a node reports when it has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct NodeExecutionResult {
    /// Whether the node did what it is for.
    pub success: bool,
    /// What happened, in a line.
    pub message: String,
    /// What programs read of it.
    #[serde(default)]
    pub data: Value,
    /// The phases that follow.
    pub next_nodes: Vec<Phase>,
    /// Whether the run goes on.
    pub should_continue: bool,
    /// What the node decided; the table says where that leads. None repeats the phase.
    pub decision: Option<Decision>,
    /// How long it took, in milliseconds by the runtime's clock.
    pub execution_time: u64,
}

/// How a node stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// It has not run.
    #[default]
    Pending,
    /// It has run and did what it is for.
    Completed,
    /// It has run and failed, or ran out of time.
    Failed,
    /// The run ended without it.
    Skipped,
}

/// What is known of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct WorkflowNode {
    /// How its newest visit ended.
    pub status: NodeStatus,
    /// How often it ran.
    pub visits: u32,
    /// Milliseconds of all visits.
    pub execution_time: u64,
    /// What its newest visit reported.
    pub message: String,
}

/// Counts of a run. An update adds to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Metrics {
    /// Milliseconds of all nodes.
    pub total_execution_time: u64,
    /// Milliseconds in which models were waited for.
    pub model_time: u64,
    /// Milliseconds of everything else: tools, searches, checks.
    pub work_time: u64,
    /// Tokens read and written by models.
    pub tokens_used: u64,
    /// Tool calls.
    pub tools_executed: u64,
    /// Tool calls that failed, timeouts and failures of models.
    pub errors_encountered: u64,
}

impl Metrics {
    /// The counts of tool calls.
    pub fn of_actions(actions: &[ExecutedAction]) -> Self {
        let failed = actions.iter().filter(|action| !action.result.success).count();
        Self { tools_executed: actions.len() as u64, errors_encountered: failed as u64, ..Self::default() }
    }

    /// Adds counts; the reducer of the state.
    pub fn add(&mut self, more: Self) {
        self.total_execution_time = self.total_execution_time.saturating_add(more.total_execution_time);
        self.model_time = self.model_time.saturating_add(more.model_time);
        self.work_time = self.work_time.saturating_add(more.work_time);
        self.tokens_used = self.tokens_used.saturating_add(more.tokens_used);
        self.tools_executed = self.tools_executed.saturating_add(more.tools_executed);
        self.errors_encountered = self.errors_encountered.saturating_add(more.errors_encountered);
    }
}

/// The iterations of a run: a visit of analyze each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Iteration {
    /// Which iteration it is, from 1; 0 before the first.
    pub number: u32,
    /// Milliseconds in which models were waited for in this iteration. Nothing is added while a person is asked.
    pub spent_ms: u64,
    /// Milliseconds of everything else in it, counted apart.
    pub work_ms: u64,
    /// How many iterations in a row ran out of time before an action of theirs succeeded.
    pub timeouts: u32,
    /// Whether this one did.
    pub timed_out: bool,
}
