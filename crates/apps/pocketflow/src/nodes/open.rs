//! The beginning of a turn: a message comes in, and the session is loaded.

use graphloom_core_graph::{Context, END, NodeError, Snapshot, Step};
use serde::Serialize;

use super::think;
use crate::graph::ROUTER;
use crate::resources::Resources;
use crate::session::{self, LoadNote, Role, SessionError, Waiting};
use crate::state::{Conversation, Turn};
use crate::understand::MOST_BYTES;

/// The key of the question that a waiting conversation asks. The answer is the person's next message.
pub(crate) const MESSAGE: &str = "message";

/// What a waiting conversation asks.
#[derive(Serialize)]
struct Asked<'t> {
    waiting_for: &'t Waiting,
    message: &'t str,
}

/// Begins a turn with the message of the input.
pub(crate) async fn open(
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    begin(&cx, &state.turn.conversation_id, &state.turn.query).await
}

/// Waits for the next message, a durable interrupt, and begins a turn with it.
pub(crate) async fn listen(
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    let message = state.turn.chat.last().map(String::as_str).unwrap_or_default();
    let query: String = cx.ask(MESSAGE, &Asked { waiting_for: &state.session.waiting_for, message }).await?;
    begin(&cx, &state.turn.conversation_id, &query).await
}

async fn begin(cx: &Context<Resources>, id: &str, query: &str) -> Result<Step<Conversation>, NodeError> {
    let loaded = match session::load(&*cx.resources().store, id).await {
        Ok(loaded) => loaded,
        Err(newer @ SessionError::Newer { .. }) => {
            let turn = Turn { chat: vec![newer.to_string()], ..Turn::new(id, query) };
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
    let said = if query.len() > MOST_BYTES {
        format!("(a message of more than {MOST_BYTES} bytes)")
    } else {
        query.to_owned()
    };
    session.say(Role::User, said, cx.now());
    let turn = Turn { damaged, ..Turn::new(id, query) };
    Ok(Step::goto(ROUTER).with(Conversation::update().session(session).turn(turn)))
}
