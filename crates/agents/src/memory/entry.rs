//! One entry of the working memory.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of an entry of the working memory. Each kind has an importance from 0 to 1, which pruning goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A consideration: 0.8.
    Thought,
    /// Something that was done: 0.7.
    Action,
    /// Something that was seen: 0.9.
    Observation,
    /// What is to be done: 0.8.
    Plan,
    /// A judgement of what was done: 0.9.
    Reflection,
}

impl EntryKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Thought, Self::Action, Self::Observation, Self::Plan, Self::Reflection];

    /// The importance of an entry of this kind unless it has one of its own.
    pub fn importance(self) -> f32 {
        match self {
            Self::Action => 0.7,
            Self::Thought | Self::Plan => 0.8,
            Self::Observation | Self::Reflection => 0.9,
        }
    }
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Thought => "thought",
            Self::Action => "action",
            Self::Observation => "observation",
            Self::Plan => "plan",
            Self::Reflection => "reflection",
        })
    }
}

/// One entry of the working memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MemoryEntry {
    /// Names the entry in its memory; given by [`WorkingMemory::remember`](super::WorkingMemory::remember).
    pub id: String,
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The text, cut at the memory's limit.
    pub content: String,
    /// How many characters were cut off.
    #[serde(default)]
    pub omitted: usize,
    /// The phase in which it was made.
    pub phase: String,
    /// The iteration in which it was made, from 1; 0 before the first.
    pub iteration: u32,
    /// When it was made, in milliseconds since 1970.
    pub time: u64,
    /// How much it matters, from 0 to 1.
    pub importance: f32,
    /// The ids of entries that it belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<String>,
    /// A signal that the work is complete, if the entry is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<CompletionSignal>,
}

/// A signal that the work is complete. A text that says so is no signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompletionSignal {
    /// The confidence, from 0 to 1.
    pub confidence: f32,
    /// The reason for the signal.
    pub reason: String,
}

impl MemoryEntry {
    /// An entry with the importance of its kind.
    pub fn new(kind: EntryKind, phase: impl Into<String>, iteration: u32, content: impl Into<String>) -> Self {
        Self {
            id: String::new(),
            kind,
            content: content.into(),
            omitted: 0,
            phase: phase.into(),
            iteration,
            time: 0,
            importance: kind.importance(),
            connections: Vec::new(),
            signal: None,
        }
    }

    /// Sets the time, in milliseconds since 1970.
    #[must_use]
    pub fn at(mut self, time: u64) -> Self {
        self.time = time;
        self
    }

    /// Sets the importance; what is not between 0 and 1 is moved there, and what is no number is 0.
    #[must_use]
    pub fn with_importance(mut self, importance: f32) -> Self {
        self.importance = unit(importance);
        self
    }

    /// Sets the entries that it belongs to.
    #[must_use]
    pub fn connected_to<I: Into<String>>(mut self, ids: impl IntoIterator<Item = I>) -> Self {
        self.connections = ids.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a signal that the work is complete.
    #[must_use]
    pub fn with_signal(mut self, signal: CompletionSignal) -> Self {
        self.signal = Some(signal);
        self
    }
}

/// Moves a number into 0..=1.
pub(super) fn unit(number: f32) -> f32 {
    if number.is_nan() { 0.0 } else { number.clamp(0.0, 1.0) }
}
