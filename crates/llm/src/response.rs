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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The model ended the answer, or generated a stop text.
    Stop,
    /// The token limit was reached: the answer is incomplete.
    Length,
    /// The model asks for tools.
    ToolCalls,
    /// The provider withheld the answer, or the rest of it.
    ContentFilter,
    /// The provider ended the answer for another reason, which this is its word for: nobody knows whether the answer is
    /// whole.
    Other(String),
}

impl FinishReason {
    /// Whether the model came to its end, so that nothing of the answer is missing.
    pub fn is_whole(&self) -> bool {
        self.broken_off().is_none()
    }

    /// How an answer that is not whole ended, in words that stand behind "the answer"; nothing for a whole one.
    pub fn broken_off(&self) -> Option<String> {
        match self {
            Self::Stop | Self::ToolCalls => None,
            Self::Length => Some("ended at the limit of tokens".to_owned()),
            Self::ContentFilter => Some("was broken off by the provider, which withholds the rest".to_owned()),
            Self::Other(word) => Some(format!("was broken off by the provider (`{word}`)")),
        }
    }
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
    /// What this cost, in millionths of a dollar: as the provider states it, else by the price of the model; `None` where
    /// neither is known. An unknown cost is never zero. See [`prices`](crate::prices).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
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
    /// The text so far was no answer but thoughts, which the server's template had begun and which are known as such only
    /// when they end: whoever showed it takes it back. It comes again as reasoning, and the text that follows is the answer
    /// from its beginning.
    TextTakenBack,
    /// A whole tool call.
    ToolCall(ToolCall),
    /// The stream broke off and the answer is asked for again: all events before this one are void.
    Restart {
        /// Why it broke off.
        message: String,
    },
    /// The whole answer, last.
    Done(ChatResponse),
}

impl ChatResponse {
    /// The answer's text.
    pub fn text(&self) -> String {
        self.message.joined_text()
    }

    /// What the model thought, as far as it can be read; several thoughts are joined by an empty line.
    pub fn thoughts(&self) -> String {
        let texts = self.message.parts.iter().filter_map(|part| match part {
            Part::Reasoning { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join(
            "

",
        )
    }

    /// Whether the answer is thoughts and nothing else: no text, and no tool that is asked for.
    pub fn is_thoughts_only(&self) -> bool {
        let is_reasoning = |part: &Part| matches!(part, Part::Reasoning { .. } | Part::EncryptedReasoning { .. });
        self.text().trim().is_empty()
            && self.tool_calls().next().is_none()
            && self.message.parts.iter().any(is_reasoning)
    }

    /// How an answer that is not whole ended, as [`FinishReason::broken_off`] says it. A provider's word that nobody knows
    /// is no fault of an answer that is one JSON value, since a part of one is none.
    pub fn broken_off(&self) -> Option<String> {
        let is_json = || {
            let text = self.text();
            text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<serde_json::Value>(&text).is_ok()
        };
        match self.finish {
            FinishReason::Other(_) if is_json() => None,
            _ => self.finish.broken_off(),
        }
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
    /// The cost of a sum is known when the costs of its parts are.
    fn add_assign(&mut self, other: Self) {
        self.cost = match (self.cost, other.cost) {
            _ if *self == Self::default() => other.cost,
            (cost, _) if other == Self::default() => cost,
            (Some(one), Some(two)) => Some(one.saturating_add(two)),
            _ => None,
        };
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_a_cost_when_all_of_it_has() {
        let usage = |input, cost| Usage { input, cost, ..Usage::default() };
        for (one, two, expected) in [
            (usage(1, Some(2)), usage(3, Some(4)), Some(6)),
            (usage(1, Some(2)), usage(3, None), None),
            (usage(1, None), usage(3, Some(4)), None),
            (Usage::default(), usage(3, Some(4)), Some(4)),
            (usage(3, Some(4)), Usage::default(), Some(4)),
            (usage(0, Some(0)), usage(3, None), None),
        ] {
            let mut sum = one;
            sum += two;
            assert_eq!((sum.cost, sum.input), (expected, one.input + two.input), "{one:?} {two:?}");
        }
        let text = serde_json::to_string(&usage(1, None)).unwrap();
        assert!(!text.contains("cost"), "what was recorded before is written the same: {text}");
    }
}
