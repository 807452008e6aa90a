//! Requests to a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Message, Role};

/// One call of a chat model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Whether a tool must be called, and which.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// Whether the model may ask for several tools at once; `None` leaves that to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_tools: Option<bool>,
    /// The form of the answer.
    #[serde(default)]
    pub format: ResponseFormat,
    /// Sampling and limits.
    #[serde(default)]
    pub params: Params,
    /// How many of the first messages stay the same in calls that follow, for providers that cache what they have read;
    /// see [`ChatRequest::stable_messages`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable: Option<usize>,
}

/// A tool as the model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name the model calls.
    pub name: String,
    /// When and how to use the tool.
    pub description: String,
    /// The JSON Schema of the arguments, which describes an object.
    pub parameters: Value,
    /// Whether the provider must see to it that the arguments follow the schema, where it can.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
}

/// Whether a tool may or must be called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool is called.
    None,
    /// Some tool must be called.
    Required,
    /// This tool must be called.
    Named(String),
}

/// The form of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResponseFormat {
    /// Free text.
    #[default]
    Text,
    /// Any JSON object.
    JsonObject,
    /// A JSON value of this schema.
    JsonSchema {
        /// A name for the schema, of letters, digits, `_` and `-`.
        name: String,
        /// JSON Schema, draft 2020-12.
        schema: Value,
    },
}

/// Sampling parameters and limits of one call; `None` leaves a value to the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Params {
    /// Sampling temperature; 0 is greedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// Nucleus sampling: the probability mass that is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f32>,
    /// The most tokens to generate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Seed of the sampler, where the model has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Texts that end the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// How much the model reasons before it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning>,
}

/// How much a model reasons before it answers. A provider that knows only one of the two forms gets the nearest of the
/// other; see `docs/models.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reasoning {
    /// In words.
    Effort(Effort),
    /// At most so many tokens of reasoning.
    Tokens(u32),
}

/// How much a model reasons, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Not at all.
    None,
    /// As little as the model can.
    Minimal,
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

impl Reasoning {
    /// The word for this amount: at most 2048 tokens are [`Effort::Low`], at most 8192 [`Effort::Medium`].
    pub fn effort(self) -> Effort {
        match self {
            Self::Effort(effort) => effort,
            Self::Tokens(0) => Effort::None,
            Self::Tokens(..=2048) => Effort::Low,
            Self::Tokens(..=8192) => Effort::Medium,
            Self::Tokens(_) => Effort::High,
        }
    }
}

impl Effort {
    /// The word that providers use.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl ChatRequest {
    /// A request of one user message.
    pub fn user(text: impl Into<String>) -> Self {
        Self { messages: vec![Message::user(text)], ..Self::default() }
    }

    /// How many of the first messages are stable: calls that follow begin with them too. Providers cache what they have
    /// read from the beginning of a request, so what is stable comes first, and what differs from call to call last. The
    /// tools come before all messages.
    ///
    /// [`ChatRequest::stable`] says it, else this rule: a conversation in which the model has answered already goes on, so
    /// all its messages are stable; before that only the system messages at the beginning are.
    pub fn stable_messages(&self) -> usize {
        if let Some(stable) = self.stable {
            return stable.min(self.messages.len());
        }
        if self.messages.iter().any(|message| message.role == Role::Assistant) {
            return self.messages.len();
        }
        self.messages.iter().take_while(|message| message.role == Role::System).count()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn system_messages_are_stable_and_so_is_a_conversation_that_goes_on() {
        let mut request = ChatRequest {
            messages: vec![Message::system("a"), Message::system("b"), Message::user("c"), Message::system("d")],
            ..ChatRequest::default()
        };
        assert_eq!(request.stable_messages(), 2);
        request.messages.push(Message::assistant("e"));
        request.messages.push(Message::user("f"));
        assert_eq!(request.stable_messages(), 6);
        request.stable = Some(3);
        assert_eq!(request.stable_messages(), 3);
        request.stable = Some(9);
        assert_eq!(request.stable_messages(), 6);
        assert_eq!(ChatRequest::user("x").stable_messages(), 0);
    }

    #[test]
    fn a_request_that_uses_nothing_new_is_written_as_before() {
        let mut request = ChatRequest::user("x");
        request.tools.push(ToolSpec {
            name: "t".into(),
            description: "d".into(),
            parameters: json!({}),
            strict: false,
        });
        let expected = json!({
            "messages": [{"role": "user", "parts": [{"type": "text", "text": "x"}]}],
            "tools": [{"name": "t", "description": "d", "parameters": {}}],
            "tool_choice": "auto", "format": {"type": "text"}, "params": {}
        });
        assert_eq!(serde_json::to_value(&request).unwrap(), expected);
        assert_eq!(serde_json::from_value::<ChatRequest>(expected).unwrap(), request);
    }

    #[test]
    fn tokens_of_reasoning_have_a_word() {
        let words: Vec<&str> =
            [0, 1, 2048, 2049, 8192, 8193].map(|tokens| Reasoning::Tokens(tokens).effort().word()).to_vec();
        assert_eq!(words, ["none", "low", "low", "medium", "medium", "high"]);
        assert_eq!(serde_json::to_value(Reasoning::Effort(Effort::Minimal)).unwrap(), json!({"effort": "minimal"}));
    }
}
