//! The end of a turn: the session is saved, and the conversation waits or is done.

use graphloom_core_graph::{Context, END, NodeError, Snapshot, Step};

use crate::names::LISTEN;
use crate::resources::Resources;
use crate::session::{self, Question, Role, SessionError, Waiting};
use crate::state::Conversation;

/// Saves the session over the revision that the turn began with.
///
/// # Errors
/// The store's, and what the graph runtime itself reports.
pub async fn save(state: Snapshot<Conversation>, cx: Context<Resources>) -> Result<Step<Conversation>, NodeError> {
    let (mut session, mut turn) = (state.session.clone(), state.turn.clone());
    // The time is a durable step, so that saving again after a crash writes the same.
    let now = cx.once("time", async { Ok::<u64, NodeError>(cx.now()) }).await?;
    for message in &turn.chat {
        session.say(Role::Assistant, message.clone(), now);
    }
    match session::save(&*cx.resources().store, &mut session).await {
        Ok(()) => turn.asked = Some(Question::of(&session)),
        Err(conflict @ SessionError::Conflict { .. }) => {
            turn.chat = vec![format!("{conflict}. This turn changed nothing.")];
            return Ok(Step::goto(END).with(Conversation::update().turn(turn)));
        }
        Err(error) => return Err(error.into()),
    }
    let next = if session.waiting_for == Waiting::None { END } else { LISTEN };
    Ok(Step::goto(next).with(Conversation::update().session(session).turn(turn)))
}
