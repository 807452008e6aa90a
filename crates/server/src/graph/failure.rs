//! Failures of runs in the words of clients.

use graphloom_core_graph::RunError;

use crate::records::RunFailure;

/// Why a run failed.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) failure: RunFailure,
    /// Whether a super-step took longer than it may.
    pub(crate) is_late: bool,
}

impl Failed {
    pub(crate) fn of(error: &RunError) -> Self {
        Self { failure: failure(error), is_late: matches!(error, RunError::StepTimeout { .. }) }
    }
}

/// The kind of failure of an answer to a question that is not open.
pub(crate) const UNKNOWN_INTERRUPT: &str = "UnknownInterruptError";

/// A failure in the words of clients.
pub(crate) fn failure(error: &RunError) -> RunFailure {
    let kind = match error {
        RunError::StepLimit { .. } => "GraphRecursionError",
        RunError::TaskFailed { message, .. } => {
            return RunFailure { error: "NodeError".to_owned(), message: message.clone() };
        }
        RunError::UnknownQuestion { .. } => UNKNOWN_INTERRUPT,
        RunError::Conflict { .. } | RunError::ReplaceConflict { .. } | RunError::WriteConflict { .. } => {
            "InvalidUpdateError"
        }
        RunError::BadAnswer { .. } | RunError::BadUpdate { .. } | RunError::State(_) => "InvalidUpdateError",
        RunError::StepTimeout { .. } => "TimeoutError",
        RunError::GraphMismatch { .. } | RunError::Migration { .. } => "GraphMismatchError",
        RunError::Checkpoint(_) => "StoreError",
        _ => "RunError",
    };
    RunFailure { error: kind.to_owned(), message: error.to_string() }
}
