//! The record of one agent's call, kept so that a person can read later what happened.

use graphloom_llm::{FinishReason, Message, ResponseFormat, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything one agent sent and received: arguments, rendered prompt, each raw reply and what reading it found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Exchange {
    /// The agent, as `action/task type`.
    pub agent: String,
    /// The template's name.
    pub template: String,
    /// A hash of the template's source, to tell versions apart.
    pub version: String,
    /// The model that was asked.
    pub model: String,
    /// The prompt's arguments.
    pub args: Value,
    /// The rendered prompt of the first try.
    pub messages: Vec<Message>,
    /// The form of answer that was asked for.
    #[serde(default)]
    pub format: ResponseFormat,
    /// The tries, in order.
    pub attempts: Vec<Attempt>,
}

/// One reply and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attempt {
    /// The reply, without the thoughts that stood in it.
    pub reply: String,
    /// What the model thought.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thoughts: String,
    /// Why it ended.
    pub finish: FinishReason,
    /// Tokens used.
    #[serde(default)]
    pub usage: Usage,
    /// What reading it had to tolerate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why it was refused, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Attempt {
    /// A reply that has not been read yet.
    pub(crate) fn new(reply: String, finish: FinishReason, usage: Usage) -> Self {
        Self { reply, thoughts: String::new(), finish, usage, notes: Vec::new(), problem: None }
    }
}

impl Exchange {
    /// Tokens used by all tries.
    pub fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        for attempt in &self.attempts {
            sum += attempt.usage;
        }
        sum
    }

    /// How many calls were made.
    pub fn calls(&self) -> u64 {
        self.attempts.len() as u64
    }
}
