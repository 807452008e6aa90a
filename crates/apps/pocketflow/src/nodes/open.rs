//! The beginning of a turn: a message comes in, and the session is loaded.

use graphloom_core_graph::{Context, END, NodeError, Snapshot, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::think;
use crate::names::ROUTER;
use crate::resources::Resources;
use crate::session::{self, LoadNote, Question, Role, SessionError, Waiting};
use crate::state::{Conversation, Turn};
use crate::understand::MOST_BYTES;

/// The key of the question that a waiting conversation asks. The answer is the person's next message.
pub(crate) const MESSAGE: &str = "message";

/// What a waiting conversation asks.
#[derive(Serialize, Deserialize)]
pub(crate) struct Asked {
    waiting_for: Waiting,
    message: String,
    /// All that was said at the end of the turn; absent from what an older program asked.
    #[serde(default)]
    pub(crate) chat: Vec<String>,
    #[serde(default)]
    pub(crate) question: Option<Question>,
}

/// A message to a waiting conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Message {
    /// With the question that it is about.
    About {
        /// What was said.
        text: String,
        /// The question that was last delivered to the person before.
        about: Option<Question>,
    },
    /// Text alone, of which nobody knows what it is about.
    Plain(String),
}

/// Begins a turn with the message of the input.
///
/// # Errors
/// The store's, and what the graph runtime itself reports.
pub async fn open(state: Snapshot<Conversation>, cx: Context<Resources>) -> Result<Step<Conversation>, NodeError> {
    begin(&cx, Turn::new(&*state.turn.conversation_id, &*state.turn.query).about(state.turn.about.clone())).await
}

/// Waits for the next message, a durable interrupt, and begins a turn with it.
///
/// # Errors
/// The store's, and what the graph runtime itself reports.
pub async fn listen(state: Snapshot<Conversation>, cx: Context<Resources>) -> Result<Step<Conversation>, NodeError> {
    let asked = Asked {
        waiting_for: state.session.waiting_for.clone(),
        message: state.turn.chat.last().cloned().unwrap_or_default(),
        chat: state.turn.chat.clone(),
        question: state.turn.asked.clone(),
    };
    let (text, about) = match cx.ask(MESSAGE, &asked).await? {
        Message::About { text, about } => (text, about),
        Message::Plain(text) => (text, None),
    };
    begin(&cx, Turn::new(&*state.turn.conversation_id, text).about(about)).await
}

async fn begin(cx: &Context<Resources>, turn: Turn) -> Result<Step<Conversation>, NodeError> {
    let (id, query) = (&*turn.conversation_id, &*turn.query);
    let loaded = match session::load(&*cx.resources().store, id).await {
        Ok(loaded) => loaded,
        Err(newer @ SessionError::Newer { .. }) => {
            let turn = Turn { chat: vec![newer.to_string()], ..turn };
            return Ok(Step::goto(END).with(Conversation::update().turn(turn)));
        }
        Err(error) => return Err(error.into()),
    };
    let damaged = loaded.notes.iter().any(LoadNote::is_damage);
    for note in &loaded.notes {
        let thought = match note {
            LoadNote::New => continue,
            LoadNote::Migrated { from } => format!("the session had schema {from} and was migrated"),
            LoadNote::UnknownAction { name } => format!("the session names the unknown action `{name}`"),
            LoadNote::Quarantined { reason } => format!("the session could not be read: {reason}"),
            LoadNote::Repaired { what } => format!("the session had {what}"),
        };
        think(cx, thought).await;
    }
    let mut session = loaded.session;
    let line = if query.len() > MOST_BYTES {
        format!("(a message of more than {MOST_BYTES} bytes)")
    } else {
        query.to_owned()
    };
    session.say(Role::User, line, cx.now());
    // Compared here, under the lease of the thread: whoever moved on was there before.
    let late = Question::of(&session).is_late(turn.about.as_ref());
    let turn = Turn { damaged, late, ..turn };
    Ok(Step::goto(ROUTER).with(Conversation::update().session(session).turn(turn)))
}
