//! Actions: planned, and carried out.

use graphloom_agents::{Risk, ToolOutcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool call that is to be made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlannedAction {
    /// Its name in the plan.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The tool's arguments.
    pub arguments: Value,
    /// The actions that come before it.
    pub depends_on: Vec<String>,
    /// The subtask that it is for.
    pub subtask: String,
}

/// The actions of one visit of execute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExecutionPlan {
    /// The actions.
    pub actions: Vec<PlannedAction>,
    /// What the model says to the person, when no action is needed.
    pub answer: Option<String>,
    /// The actions that were asked for as well and that later visits carry out.
    pub later: Vec<PlannedAction>,
}

/// A tool call that was made, and its outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct ExecutedAction {
    /// Its name in the plan.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, as they were read.
    pub arguments: Value,
    /// How much the tool can change; nothing when there is no such tool.
    pub risk: Option<Risk>,
    /// The subtask that it was for.
    pub subtask: String,
    /// The iteration.
    pub iteration: u32,
    /// The outcome.
    pub result: ToolResult,
}

/// The result of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct ToolResult {
    /// Whether the tool answered.
    pub success: bool,
    /// What it answered, or why it did not.
    pub message: String,
    /// What programs read of it.
    pub data: Value,
    /// The blob that holds the message and data, when they were too large for the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

impl ExecutedAction {
    /// The record of a call.
    pub fn of(id: &str, subtask: &str, iteration: u32, outcome: &ToolOutcome) -> Self {
        let data = outcome.result.as_ref().map(|output| output.data.clone()).unwrap_or_default();
        Self {
            id: id.to_owned(),
            tool: outcome.tool.clone(),
            arguments: outcome.arguments.clone(),
            risk: outcome.risk,
            subtask: subtask.to_owned(),
            iteration,
            result: ToolResult { success: outcome.is_success(), message: outcome.content(), data, blob: None },
        }
    }

    /// Whether it changed something.
    pub fn is_write(&self) -> bool {
        self.result.success && self.risk.is_some_and(|risk| risk > Risk::Read)
    }

    /// What the person is told of a merge: what of the merged note could not be joined.
    pub(crate) fn told(&self) -> Vec<String> {
        let told = self.result.data.get("told").and_then(Value::as_array).filter(|_| self.result.success);
        let about = |name: &str| self.result.data.get(name).and_then(Value::as_str).unwrap_or_default();
        let lines = told.into_iter().flatten().filter_map(Value::as_str);
        lines.map(|line| format!("`{}` was merged into `{}`: {line}", about("from"), about("path"))).collect()
    }

    /// One line for people: the tool, what it was about, and how it went.
    pub fn line(&self) -> String {
        let about = ["path", "title", "from", "query", "tag"]
            .iter()
            .find_map(|name| self.arguments.get(name).and_then(Value::as_str))
            .unwrap_or_default();
        let first = self.result.message.lines().next().unwrap_or_default();
        let short: String = first.chars().take(120).collect();
        let mark = if self.result.success { "ok" } else { "failed" };
        format!("{mark}: `{}` {about}: {short}", self.tool)
    }
}
