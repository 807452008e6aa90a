//! Failures of runs in the words of clients.

use graphloom_core_graph::RunError;

use crate::records::RunFailure;

/// The kind of failure of an answer to a question that is not open.
pub(super) const UNKNOWN_INTERRUPT: &str = "UnknownInterruptError";

/// A failure in the words of clients.
pub(super) fn failure(error: &RunError) -> RunFailure {
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
