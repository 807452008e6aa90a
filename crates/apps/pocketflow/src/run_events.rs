//! What a run of a conversation tells its person: thoughts on the way, and in the end what is said.

use graphloom_core_graph::{Event, EventKind, Outcome};

use crate::names::THOUGHT;
use crate::nodes::Asked;
use crate::session::Question;
use crate::state::Conversation;

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnEnd {
    /// It came to its end.
    Whole {
        /// The messages to the person, in order.
        chat: Vec<String>,
        /// What is asked with them; none where nothing was saved.
        question: Option<Question>,
    },
    /// It was stopped before its end.
    Stopped,
}

impl TurnEnd {
    /// How the turn of a run ended.
    pub fn of(outcome: &Outcome<Conversation>) -> Self {
        match outcome {
            Outcome::Done(state) => Self::Whole { chat: state.turn.chat.clone(), question: state.turn.asked.clone() },
            Outcome::Waiting(questions) => {
                let read = |payload: &serde_json::Value| serde_json::from_value::<Asked>(payload.clone()).ok();
                let asked = questions.iter().find_map(|one| read(&one.payload));
                let (chat, question) = asked.map(|asked| (asked.chat, asked.question)).unwrap_or_default();
                Self::Whole { chat, question }
            }
            _ => Self::Stopped,
        }
    }

    /// What the person of a stopped turn is told.
    pub const STOPPED: &str = "Stopped. What was done so far is kept: `go on` goes on with it; `cancel`, `reject: why`, an \
                               edit or `new topic: …` drops it.";
}

/// The thought that an event of a run tells, if it does.
pub fn thought(event: &Event) -> Option<&str> {
    match &event.kind {
        EventKind::Custom { name, payload } if name == THOUGHT => payload.get::<String>().map(String::as_str),
        _ => None,
    }
}
