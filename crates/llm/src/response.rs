//! Answers of a model, whole or as a stream.

use serde::{Deserialize, Serialize};

use crate::{Message, Part, ToolCall};

/// A model's whole answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatResponse {
    /// The model that answered, as the provider names it.
    pub model: String,
    /// The assistant's message.
    pub message: Message,
    /// Why the answer ended.
    pub finish: FinishReason,
    /// Tokens used.
    #[serde(default)]
    pub usage: Usage,
    /// The provider's name for this call, to ask its support about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The model ended the answer, or generated a stop text.
    Stop,
    /// The token limit was reached: the answer is incomplete.
    Length,
    /// The model asks for tools.
    ToolCalls,
    /// The provider withheld the answer.
    ContentFilter,
}

/// Tokens of one call, or a sum over calls. `input` includes cached tokens, on every provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens read, cached ones included.
    pub input: u64,
    /// Tokens generated, reasoning included.
    pub output: u64,
    /// Of `input`, tokens read from the provider's cache.
    pub cache_read: u64,
    /// Of `input`, tokens written to the provider's cache.
    pub cache_write: u64,
    /// Of `output`, tokens of reasoning.
    pub reasoning: u64,
}

/// One event of a streamed answer. A stream ends with exactly one [`ChatEvent::Done`] or one error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChatEvent {
    /// More text.
    TextDelta {
        /// The next piece, always whole characters.
        text: String,
    },
    /// More reasoning.
    ReasoningDelta {
        /// The next piece.
        text: String,
    },
    /// A whole tool call.
    ToolCall(ToolCall),
    /// The whole answer, last.
    Done(ChatResponse),
}

impl ChatResponse {
    /// The answer's text.
    pub fn text(&self) -> String {
        self.message.joined_text()
    }

    /// The tool calls asked for, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.message.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}

impl Usage {
    /// Tokens read and generated.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}
