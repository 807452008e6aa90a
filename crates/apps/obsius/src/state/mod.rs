//! The state of a run: session, plan, working memory, executed actions, metrics, and what they led to.

mod action;
mod criterion;
mod findings;
mod outcome;
mod plan;
mod result;
mod session;
mod size;

use graphloom_agents::{Exchange, FailedCalls, MemoryEntry, Reviewed, WorkingMemory};
use graphloom_core_graph::{Log, Shared, State, Table};
use graphloom_llm::layers::Spent;
use graphloom_vault::{Changes, Conflict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use action::{ExecutedAction, ExecutionPlan, PlannedAction, ToolResult};
pub use criterion::{Criterion, Finding};
pub use findings::{Findings, Found, SearchRecord, SearchStrategy};
pub(crate) use outcome::ITERATION;
pub use outcome::{Completion, Failure, FailureClass, RunOutcome, StopReason};
pub use plan::{Objectives, PlanSource, Priority, Subtask, SubtaskKind, TaskPlan};
pub use result::{Iteration, Metrics, NodeExecutionResult, NodeStatus, WorkflowNode};
pub use session::{PastRequest, SessionInfo, VaultContext};
pub use size::{fit, read_blob, size_of};

use crate::assess::Assessment;
use crate::phase::PhaseHistory;
use crate::subject::wants_all;

/// The state of a run.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowState {
    /// Who asked for what, where, and with what.
    pub session: SessionInfo,
    /// Where the run stands and how it came there.
    pub phases: PhaseHistory,
    /// How complex the request is.
    pub assessment: Option<Assessment>,
    /// What is known of the vault.
    pub vault_context: VaultContext,
    /// The decomposition.
    pub task_plan: Option<TaskPlan>,
    /// Where the run is in its plan.
    pub objectives: Objectives,
    /// What the run keeps in mind.
    #[state(reduce_with = WorkingMemory::remember_all, update = Vec<MemoryEntry>)]
    pub working_memory: WorkingMemory,
    /// What searches found.
    pub findings: Findings,
    /// The actions of the next or newest visit of execute.
    pub pending_actions: ExecutionPlan,
    /// Every action that was carried out, oldest first.
    #[state(append)]
    pub executed_actions: Log<ExecutedAction>,
    /// Which calls failed how often.
    pub repeats: FailedCalls,
    /// Counts.
    #[state(reduce_with = Metrics::add)]
    pub execution_metrics: Metrics,
    /// The iterations.
    pub iteration: Iteration,
    /// How sure the run is to have carried out the request, from 0 to 1.
    pub confidence: f64,
    /// What the newest node reported.
    pub result: Option<NodeExecutionResult>,
    /// What is known of each node.
    #[state(merge)]
    pub nodes: Table<String, WorkflowNode>,
    /// What is to be different in the vault. The store keeps it as a blob when it is large.
    pub changes: Shared<Changes>,
    /// What a person said to the changes.
    pub review: Review,
    /// The notes that were changed in the vault, when they were.
    pub applied: Option<Applied>,
    /// Every call of an agent, in order.
    #[state(append)]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub exchanges: Log<Exchange>,
    /// What a person should know, in order: repairs, fallbacks, limits.
    #[state(append)]
    pub notes: Log<String>,
    /// What has been said so far to the person.
    pub answer: String,
    /// Why the run ends, once that is decided.
    pub stop: Option<StopReason>,
    /// The failure that ends the run.
    pub failure: Option<Failure>,
    /// What the run came to.
    pub outcome: Option<RunOutcome>,
    /// What the calls have spent.
    #[schemars(with = "serde_json::Value")]
    pub spent: Spent,
    /// What was too large for the state, by its hash. Each is written once.
    #[state(merge)]
    pub blobs: Table<String, String>,
}

/// What a person said to the changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Review {
    /// How often the changes were shown.
    pub rounds: u32,
    /// Whether the changes, as they are now, are approved.
    pub approved: bool,
    /// The iteration of the newest refusal; signals of completion before it count no more.
    pub since_iteration: u32,
    /// What the newest verdict comes to.
    pub verdict: Option<Reviewed>,
    /// What the run still has to consider of a refusal.
    pub feedback: Option<String>,
    /// Why the approved changes could not be written: what somebody else edited since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
}

/// The notes that were changed in the vault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Applied {
    /// The name of the transaction, for undoing it.
    pub run: String,
    /// The changed paths.
    pub paths: Vec<String>,
}

impl WorkflowState {
    /// Why the run ends, as it is told: all notes that were asked for are not all when a search left some out.
    pub fn end(&self) -> Option<StopReason> {
        let stop = self.stop.clone()?;
        let lists = self.task_plan.as_ref().is_some_and(|plan| wants_all(&plan.original_request));
        if stop.is_success() && lists && self.findings.is_capped() {
            return Some(StopReason::FoundLimit { taken: self.session.config.max_all_results });
        }
        Some(stop)
    }

    /// Actions of the current iteration.
    pub fn actions_of(&self, iteration: u32) -> impl Iterator<Item = &ExecutedAction> {
        self.executed_actions.iter().filter(move |action| action.iteration == iteration)
    }
}
