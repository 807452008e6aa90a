//! An error of a node in stored form, as it comes from another process.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{ErrorKind, NodeError};

/// A [`NodeError`] as data: what kind it is, the messages of the error and its causes, how long the next attempt is to wait.
/// The type of the cause is lost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ErrorRow {
    kind: ErrorKind,
    message: String,
    #[serde(default)]
    retry_after: Option<Duration>,
    /// The first retry policy of the node that accepts the error, where that was asked while the cause had its type.
    #[serde(default)]
    judged: Option<Judged>,
}

/// Which retry policy of its node accepts an error, by its place; none where no policy does.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Judged {
    pub(crate) policy: Option<u32>,
}

/// The cause of an error that came from another process.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct RemoteCause {
    message: String,
    pub(crate) judged: Option<Judged>,
}

impl ErrorRow {
    /// The stored form of an error.
    pub fn of(error: &NodeError) -> Self {
        let judged = error.downcast_ref::<RemoteCause>().and_then(|cause| cause.judged);
        Self { kind: error.kind(), message: error.to_string(), retry_after: error.retry_after(), judged }
    }

    /// The same, with the policy that was found to accept it.
    pub(crate) fn judged(mut self, policy: Option<u32>) -> Self {
        self.judged = Some(Judged { policy });
        self
    }

    /// The error.
    pub fn into_error(self) -> NodeError {
        let Self { kind, message, retry_after, judged } = self;
        let error = NodeError::new(kind, RemoteCause { message, judged });
        match retry_after {
            Some(wait) => error.after(wait),
            None => error,
        }
    }
}
