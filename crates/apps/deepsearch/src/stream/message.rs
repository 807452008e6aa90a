//! One message of a run.

use serde::{Deserialize, Serialize};

/// What a message is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageKind {
    /// A piece of what an agent says.
    #[default]
    MessageChunk,
    /// A question to the user.
    Interrupt,
    /// From the framework.
    System,
}

/// Where a message stands in what its agent says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageEvent {
    /// An agent begins, or begins anew: what it said since it began before is void.
    Start,
    /// A piece.
    #[default]
    Message,
    /// An agent has ended.
    Done,
    /// A result.
    SummaryResponse,
    /// The user is asked.
    WaitingUserInput,
    /// The user has answered.
    UserInputEnded,
    /// Something failed.
    Error,
    /// The run was cancelled.
    Cancel,
}

/// Section, plan and step of a message; empty outside of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Place {
    /// The section.
    pub section_idx: String,
    /// The plan in it.
    pub plan_idx: String,
    /// The step in that.
    pub step_idx: String,
}

impl Place {
    /// A section.
    pub fn section(section: impl Into<String>) -> Self {
        Self { section_idx: section.into(), ..Self::default() }
    }

    /// A plan of the same section.
    #[must_use]
    pub fn plan(mut self, plan: impl Into<String>) -> Self {
        self.plan_idx = plan.into();
        self
    }

    /// A step of the same plan.
    #[must_use]
    pub fn step(mut self, step: impl Into<String>) -> Self {
        self.step_idx = step.into();
        self
    }
}

/// One message of a run, with the field names of the original.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct StreamMessage {
    /// The thread.
    pub conversation_id: String,
    /// Section, plan, step.
    #[serde(flatten)]
    pub place: Place,
    /// The same for all messages of one agent's turn.
    pub message_id: String,
    /// The agent: a node's name, or `framework`.
    pub agent: String,
    /// `assistant`.
    pub role: String,
    /// What is said.
    pub content: String,
    /// What the message is.
    pub message_type: MessageKind,
    /// Where it stands.
    pub event: MessageEvent,
    /// Milliseconds since 1970.
    pub created_time: u64,
    /// How the agent ended where it did not say all, in words that stand behind "the text".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
}

impl StreamMessage {
    /// A message of an agent.
    pub fn new(agent: impl Into<String>, event: MessageEvent, content: impl Into<String>) -> Self {
        Self { agent: agent.into(), role: "assistant".into(), content: content.into(), event, ..Self::default() }
    }

    /// The same message, somewhere.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// The same message, of another kind.
    #[must_use]
    pub fn kind(mut self, kind: MessageKind) -> Self {
        self.message_type = kind;
        self
    }

    /// The same message, of the turn `id`.
    #[must_use]
    pub fn turn(mut self, id: impl Into<String>) -> Self {
        self.message_id = id.into();
        self
    }
}
