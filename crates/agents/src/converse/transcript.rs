//! The record of a conversation with tools.

use graphloom_llm::{Message, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FailedCalls, ToolOutcome};

/// The record of a conversation: its messages, its calls and how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Transcript {
    /// The messages, from the first that was given to the last that the model wrote. They can be sent on as they are.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub messages: Vec<Message>,
    /// The calls in their order.
    pub calls: Vec<CallRecord>,
    /// The model's last words; an incomplete text when [`stop`](Self::stop) is [`StopReason::Cut`].
    pub answer: Option<String>,
    /// Why the conversation ended.
    pub stop: StopReason,
    /// How often the model was asked.
    pub turns: u32,
    /// Tokens of all turns.
    #[schemars(with = "serde_json::Value")]
    pub usage: Usage,
    /// What had to be tolerated in replies, each with its turn; the notes of calls stand with the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Which calls failed how often, for the next conversation of the same work.
    #[serde(default)]
    pub repeats: FailedCalls,
}

/// One call and the turn in which it was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CallRecord {
    /// The turn, from 1.
    pub turn: u32,
    /// The outcome of the call.
    pub outcome: ToolOutcome,
}

/// Why a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The model answered.
    Answered,
    /// The turns were used up; the answer is the one that the model was asked for without tools, if it gave one.
    TurnLimit,
    /// The model asked again for a call that had already been refused for failing twice.
    Repeating,
    /// The model's reply was broken off, by its limit of tokens or by the provider; the notes say by which.
    Cut,
    /// A tool was called that ends the conversation.
    Ended,
    /// The model said nothing three times in a row: neither text nor a call, or thoughts only.
    Silent,
}

impl Transcript {
    pub(super) fn new(messages: Vec<Message>, repeats: FailedCalls) -> Self {
        Self {
            messages,
            calls: Vec::new(),
            answer: None,
            stop: StopReason::TurnLimit,
            turns: 0,
            usage: Usage::default(),
            notes: Vec::new(),
            repeats,
        }
    }

    /// Whether every call gave a result, and the model answered.
    pub fn is_success(&self) -> bool {
        self.stop == StopReason::Answered && self.calls.iter().all(|call| call.outcome.is_success())
    }
}
