//! Why a request is not done, whatever the protocol it came by.

use graphloom_core_graph::RunError;
use graphloom_core_graph::checkpoint::CheckpointError;
use graphloom_core_graph::store::StoreError;
use serde::{Deserialize, Serialize};

use crate::graph::UpdateFault;
use crate::records::RecordError;

/// Why a request is not done. One process tells it to another.
#[derive(Debug, Deserialize, Serialize, thiserror::Error)]
pub(crate) enum Refusal {
    /// It names what is not there.
    #[error("{0}")]
    NotFound(String),
    /// It does not fit how things stand.
    #[error("{0}")]
    Conflict(String),
    /// It can never be done.
    #[error("{0}")]
    BadRequest(String),
    /// What it says does not fit what is asked for.
    #[error("{0}")]
    Invalid(String),
    /// As much is under way as there may be.
    #[error("{0}")]
    TooMany(String),
    /// The server stops.
    #[error("{0}")]
    Unavailable(String),
    /// The store or the runtime failed.
    #[error("{0}")]
    Failed(String),
}

impl From<RecordError> for Refusal {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::NotFound { .. } => Self::NotFound(error.to_string()),
            RecordError::Conflict(detail) => Self::Conflict(detail),
            RecordError::BadRequest(detail) => Self::BadRequest(detail),
            RecordError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::TooDeep { .. } | StoreError::InvalidKey { .. } => Self::Invalid(error.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<CheckpointError> for Refusal {
    fn from(error: CheckpointError) -> Self {
        match error {
            // What the thread holds does not fit the graph, or is damaged: asking again changes nothing.
            CheckpointError::ThreadBusy { .. } | CheckpointError::Corrupt { .. } => Self::Conflict(error.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Checkpoint(error) => error.into(),
            RunError::GraphMismatch { .. } => Self::Conflict(error.to_string()),
            RunError::UnknownCheckpoint { .. } => Self::NotFound(error.to_string()),
            RunError::Internal(_) => Self::Failed(error.to_string()),
            // What is left is about what was asked for, such as an update that does not fit.
            other => Self::BadRequest(other.to_string()),
        }
    }
}

impl From<UpdateFault> for Refusal {
    fn from(fault: UpdateFault) -> Self {
        match fault {
            UpdateFault::Values(_) => Self::Invalid(fault.to_string()),
            UpdateFault::UnknownNode(_) => Self::BadRequest(fault.to_string()),
            UpdateFault::Run(error) => error.into(),
        }
    }
}
