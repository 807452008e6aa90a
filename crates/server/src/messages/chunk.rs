//! The pieces in which a message is told while a model writes it.

use graphloom_core_graph::Context;
use serde::{Deserialize, Serialize};

/// The name of the custom events that carry a [`MessageChunk`]. Nothing else is emitted under it.
pub const MESSAGE_EVENT: &str = "__message_chunk__";

/// A piece of a message that a model is writing.
///
/// All pieces of a message have its id, under which the node then keeps the message in the state. A stream that has
/// told the pieces does not tell the kept message again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageChunk {
    /// The id of the message.
    pub id: String,
    /// The text that comes next.
    #[serde(default)]
    pub content: String,
    /// What the model thinks before it answers: the text that comes next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Parts of tool calls that come next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallChunk>,
    /// Whether the message ends with this piece.
    #[serde(default)]
    pub is_last: bool,
    /// What the message took, where it is known: in its last piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// A part of a tool call. The first part of a call has its id and the name of the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallChunk {
    /// Which call of the message this belongs to, counted from 0.
    pub index: u32,
    /// The id of the call.
    #[serde(default)]
    pub id: Option<String>,
    /// The tool.
    #[serde(default)]
    pub name: Option<String>,
    /// The part of the arguments' JSON text that comes next.
    #[serde(default)]
    pub args: String,
}

/// What a message took, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Tokens that the model wrote, with those of its reasoning.
    pub output_tokens: u64,
    /// Both together.
    pub total_tokens: u64,
}

impl MessageChunk {
    /// A piece of text of the message of this id.
    pub fn text(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { id: id.into(), content: content.into(), ..Self::default() }
    }
}

/// Tells a piece of a message, live. It waits while a blocking subscriber of the run has no room.
pub async fn emit_chunk<Cx>(context: &Context<Cx>, chunk: MessageChunk) {
    context.emit(MESSAGE_EVENT, chunk).await;
}
