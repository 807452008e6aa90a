//! The answers of a scripted model.

use serde_json::Value;

use crate::{ChatResponse, FinishReason, Message, Part, Role, ToolCall, Usage};

/// One answer of a [`Scripted`](super::Scripted) model. Texts, JSON values and whole responses convert into a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The parts of the message.
    pub parts: Vec<Part>,
    /// Why the answer ends.
    pub finish: FinishReason,
    /// Tokens used; `None` counts one per four characters of prompt and answer.
    pub usage: Option<Usage>,
    /// The number of characters in one streamed piece.
    pub piece: usize,
}

impl Reply {
    /// An answer of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Text { text: text.into() }], finish: FinishReason::Stop, usage: None, piece: 16 }
    }

    /// An answer that asks for tools.
    pub fn tools(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        let parts = calls.into_iter().map(Part::ToolCall).collect();
        Self { parts, finish: FinishReason::ToolCalls, ..Self::text("") }
    }

    pub(super) fn into_response(self, model: &str, prompt: &str) -> ChatResponse {
        let message = Message { role: Role::Assistant, parts: self.parts };
        let usage = self.usage.unwrap_or_else(|| Usage {
            input: rough_tokens(prompt),
            output: rough_tokens(&message.joined_text()),
            ..Usage::default()
        });
        ChatResponse { model: model.to_owned(), message, finish: self.finish, usage, request_id: None }
    }
}

fn rough_tokens(text: &str) -> u64 {
    text.chars().count().div_ceil(4).try_into().unwrap_or(u64::MAX)
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        Self::text(value.to_string())
    }
}

impl From<ChatResponse> for Reply {
    fn from(response: ChatResponse) -> Self {
        Self { parts: response.message.parts, finish: response.finish, usage: Some(response.usage), piece: 16 }
    }
}
