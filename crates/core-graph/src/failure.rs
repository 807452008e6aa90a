//! What an error handler is told.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{ErrorKind, NodeError};
use crate::state::codec;

/// A node that failed for good, as its error handler sees it; see
/// [`StateGraph::add_error_handler`](crate::StateGraph::add_error_handler). It is stored, so that a crash in the handler
/// leads back to the handler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// The node.
    pub node: String,
    /// Attempts made, the last one included.
    pub attempts: u32,
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// The error and its causes as text.
    pub message: String,
    /// The encoded input of a task node.
    #[serde(with = "serde_bytes")]
    input: Option<Vec<u8>>,
}

/// What kind of failure a [`Failure`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// The node returned an error.
    Error,
    /// It ran out of time.
    Timeout,
    /// It panicked.
    Panic,
}

impl Failure {
    pub(crate) fn new(node: &str, attempts: u32, error: &NodeError, input: Option<&[u8]>) -> Self {
        let kind = match error.kind {
            ErrorKind::Timeout => FailureKind::Timeout,
            ErrorKind::Panic => FailureKind::Panic,
            _ => FailureKind::Error,
        };
        let input = input.map(<[u8]>::to_vec);
        Self { node: node.to_owned(), attempts, kind, message: error.to_string(), input }
    }

    /// The input of the send that made the task; none for a node that no send made.
    ///
    /// # Errors
    /// When the input is not an `I`; terminal.
    pub fn input<I: DeserializeOwned>(&self) -> Result<Option<I>, NodeError> {
        self.input.as_deref().map(|bytes| codec::decode("input", bytes)).transpose().map_err(NodeError::terminal)
    }
}
