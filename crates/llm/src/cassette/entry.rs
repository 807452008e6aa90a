//! The lines of a cassette.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Capabilities, ChatEvent, ChatResponse, Choice, ModelError, ModelId};

/// The version of the format that is written, and the newest that is read.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The word that marks the file as a recording.
    pub cassette: String,
    /// The format's version.
    pub v: u32,
}

/// A model that was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelLine {
    /// The part that the model played, such as `default`, `plan` or `write`.
    pub role: String,
    /// The model.
    pub model: ModelId,
    /// The model's capabilities, so that it is asked the same way when played back.
    pub capabilities: Capabilities,
}

/// One call and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The format's version.
    pub v: u32,
    /// The hash of the canonical request.
    pub key: String,
    /// How many calls of this key went before it.
    pub n: u64,
    /// The model's role, or the tool.
    pub by: String,
    /// What was asked.
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
        /// The error that broke it off.
        error: ModelError,
    },
    /// A choice.
    Choice(Choice),
    /// What a tool answered.
    Value(Value),
    /// A failure.
    Error(ModelError),
    /// A tool's failure.
    Failure(String),
}

/// One line of a recording.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Line {
    Header(Header),
    Model(ModelLine),
    Entry(Entry),
}
