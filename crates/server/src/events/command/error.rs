//! Why a command is not done.

use serde::Serialize;
use serde_json::{Value, json};

use crate::records::RecordError;
use crate::refusal::Refusal;

/// The kinds of errors: the protocol's `ErrorCode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum ErrorCode {
    InvalidArgument,
    UnknownCommand,
    UnknownError,
    NoSuchRun,
    NoSuchSubscription,
    NoSuchNamespace,
    NoSuchInterrupt,
    NoSuchCheckpoint,
    PermissionDenied,
    NotSupported,
}

/// Why a command is not done.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(in super::super) struct CommandError {
    pub(in super::super) code: ErrorCode,
    message: String,
}

impl CommandError {
    pub(in super::super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// What a store or the runtime says is for the server's log.
    pub(in super::super) fn failed(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "a command failed");
        Self::new(ErrorCode::UnknownError, "the server failed to do it; its log says why")
    }

    /// The answer to a command; without an id where the command has none.
    pub(in super::super) fn answer(&self, id: Option<u64>) -> Value {
        json!({ "type": "error", "id": id, "error": self.code, "message": self.message })
    }
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotFound(message) | Refusal::BadRequest(message) | Refusal::Invalid(message) => {
                Self::new(ErrorCode::InvalidArgument, message)
            }
            Refusal::Conflict(message) | Refusal::Unavailable(message) => Self::new(ErrorCode::UnknownError, message),
            Refusal::Failed(message) => Self::failed(&message),
        }
    }
}

impl From<RecordError> for CommandError {
    fn from(error: RecordError) -> Self {
        Refusal::from(error).into()
    }
}
