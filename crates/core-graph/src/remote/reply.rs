//! What came of a task, as data.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Execution;
use crate::error::NodeError;
use crate::error_row::ErrorRow;
use crate::state::{StateError, codec};
use crate::step_row::StepRow;

/// What came of an execution of a task: the node's step or its error, and the questions that it asked. It is made by
/// [`Compiled::perform`](crate::Compiled::perform) and given back by an [`Executor`](super::Executor).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskReply {
    /// The execution that it is of, as [`TaskRequest::execution`](super::TaskRequest).
    pub execution: Execution,
    pub(crate) end: ReplyEnd,
    /// The questions that the node asked, by key.
    pub(crate) questions: Vec<(String, Value)>,
}

/// How a node ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReplyEnd {
    Step(StepRow),
    Error(ErrorRow),
}

impl TaskReply {
    /// An execution that ended with this error, such as one whose result is larger than its way back allows.
    pub fn failed(execution: Execution, error: &NodeError) -> Self {
        Self { execution, end: ReplyEnd::Error(ErrorRow::of(error)), questions: Vec::new() }
    }

    /// The reply as bytes: MessagePack with the names of fields.
    ///
    /// # Errors
    /// What a question asks about cannot be encoded.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        codec::encode_row("reply", self)
    }

    /// The reply of such bytes.
    ///
    /// # Errors
    /// What is no reply, with the place.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        codec::decode("reply", bytes)
    }
}
