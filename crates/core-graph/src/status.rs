//! What a thread is doing.

use serde::{Deserialize, Serialize};

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ThreadStatus {
    /// Nothing has run yet.
    New,
    /// A run is under way, or its process died: such a thread is continued.
    Running,
    /// All work is done.
    Done,
    /// Questions wait for answers.
    Waiting,
    /// A task failed for good.
    Failed,
    /// The run was cancelled.
    Cancelled,
    /// The run was drained: what was in flight is committed.
    Drained,
    /// The run's budget is spent.
    BudgetSpent,
}
