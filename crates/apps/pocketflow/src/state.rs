//! The state of a conversation's graph: what the turn shares, and the working copy of the session.

use graphloom_core_graph::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actions::Call;
use crate::decide::Finish;
use crate::session::{Question, Session};

/// The state of a conversation's graph.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Conversation {
    /// What the nodes of a turn share. It lives as long as the turn.
    pub turn: Turn,
    /// The working copy of the session, saved at the end of the turn.
    pub session: Session,
}

/// What the nodes of a turn share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Turn {
    /// The conversation.
    pub conversation_id: String,
    /// What the person said.
    pub query: String,
    /// The question that it is about: the one that was last delivered to the person before they said it.
    pub about: Option<Question>,
    /// The conversation asks something else by now, so that the message is no verdict on it.
    pub late: bool,
    /// What the conversation asks at the end of the turn; none while it goes on, and when it was not saved.
    pub asked: Option<Question>,
    /// What was left out or replaced on the way; the person is told with the next message.
    pub notes: Vec<String>,
    /// Messages to the person, in order. They are the chat stream, delivered from here when the turn ends.
    pub chat: Vec<String>,
    /// The action that was decided on, with its parameters.
    pub call: Option<Call>,
    /// How the action before ended; none while the message is unread.
    pub finish: Option<Finish>,
    /// Why it failed.
    pub failure: Option<String>,
    /// The session had to be replaced or mended so much that the person is asked.
    pub damaged: bool,
}

impl Turn {
    /// A turn that begins with a message.
    pub fn new(conversation_id: impl Into<String>, query: impl Into<String>) -> Self {
        Self { conversation_id: conversation_id.into(), query: query.into(), ..Self::default() }
    }

    /// The same turn, whose message is about a question.
    #[must_use]
    pub fn about(mut self, question: Option<Question>) -> Self {
        self.about = question;
        self
    }
}
