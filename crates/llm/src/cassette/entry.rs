//! The lines of a cassette.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Capabilities, ChatEvent, ChatResponse, Choice, ModelError, ModelId};

/// The version of the format that is written, and the newest that is read.
pub const VERSION: u32 = 1;

/// The first line of a cassette.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The word that marks the file as a recording.
    pub cassette: String,
    /// The format's version.
    pub v: u32,
}

/// The line of a recorded model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelLine {
    /// The role of the model, such as `default`, `plan` or `write`.
    pub role: String,
    /// The model.
    pub model: ModelId,
    /// The capabilities of the model, so that the replayed model is asked in the same way.
    pub capabilities: Capabilities,
}

/// One call and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The format's version.
    pub v: u32,
    /// The hash of the canonical request.
    pub key: String,
    /// The number of earlier calls with this key.
    pub n: u64,
    /// The role of the model, or the name of the tool.
    pub by: String,
    /// The request.
    pub request: Value,
    /// The outcome of the call.
    pub outcome: Outcome,
}

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// A whole answer.
    Response(ChatResponse),
    /// A streamed answer.
    Events(Vec<ChatEvent>),
    /// A streamed answer that broke off.
    Broken {
        /// The events before the stream broke off.
        events: Vec<ChatEvent>,
        /// The error that ended the stream.
        error: ModelError,
    },
    /// A choice.
    Choice(Choice),
    /// The result of a tool.
    Value(Value),
    /// A failure of a model.
    Error(ModelError),
    /// A failure of a tool.
    Failure(String),
}

/// One line of a recording.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Line {
    Header(Header),
    Model(ModelLine),
    Entry(Box<Entry>),
}
