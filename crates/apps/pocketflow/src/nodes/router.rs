//! The hub: reads the message or the end of the action before, looks up what follows, and prepares it.

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, Failure, NodeError, Snapshot, Step};
use serde_json::json;

use super::think;
use crate::actions::Call;
use crate::decide::Finish;
use crate::feedback::{self, ModelReading, Reading, ReviewedItems};
use crate::names::{ROUTER, SAVE, node_of};
use crate::resources::Resources;
use crate::route::route;
use crate::session::{Session, Waiting};
use crate::state::{Conversation, Turn};
use crate::understand::{self, Understood};

/// Decides what follows.
///
/// # Errors
/// The store's, and what the graph runtime itself reports.
pub async fn router(state: Snapshot<Conversation>, cx: Context<Resources>) -> Result<Step<Conversation>, NodeError> {
    let (mut session, turn) = (state.session.clone(), &state.turn);
    let understood = match turn.finish {
        Some(_) => None,
        None if turn.late => Some(understand::of_late(&session, &turn.query, turn.about.as_ref())),
        None => Some(understand(&cx, &session, &turn.query).await?),
    };
    let call = route(&mut session, turn, understood, cx.resources().limits.query_cycles, cx.now());
    if let Some(decision) = &session.decision {
        think(&cx, format!("{} (`{}`)", decision.why, decision.rule)).await;
        if let Some(missing) = &decision.missing {
            think(&cx, format!("missing: {missing}")).await;
        }
    }
    let next = call.as_ref().map_or(SAVE, |call| node_of(call.action()));
    let mut turn = Turn { call, finish: None, ..turn.clone() };
    if turn.call.is_none() {
        turn.chat.push("This journey is ended. Name a topic to begin another.".to_owned());
    }
    Ok(Step::goto(next).with(Conversation::update().session(session).turn(turn)))
}

async fn understand(cx: &Context<Resources>, session: &Session, message: &str) -> Result<Understood, NodeError> {
    if !understand::is_reply(session, message) {
        return Ok(understand::of_value(session, message));
    }
    let shown = understand::reviewed_items(session);
    let mut read = understand::read(session, message);
    // A small model is right too seldom to be asked.
    let empty = message.trim().is_empty();
    if read.reading == Reading::Unclear && !empty && cx.resources().strategy("reply")? == Strategy::Free {
        match in_one_call(cx, session, &shown, message).await {
            Ok(model) => read = feedback::adopt(read, message, &shown, &model),
            // A reply that nobody could read is asked for again, which costs less than the turn.
            Err(error) => read.evidence.push(format!("no model could read it: {error}")),
        }
    }
    if !matches!(session.waiting_for, Waiting::Slot { .. }) {
        read = feedback::by_signs(read, message, &shown);
    }
    Ok(understand::of_reply(session, message, read))
}

async fn in_one_call(
    cx: &Context<Resources>,
    session: &Session,
    shown: &ReviewedItems,
    message: &str,
) -> Result<ModelReading, NodeError> {
    let args = json!({
        "proposal": shown.proposal,
        "nothing": matches!(session.waiting_for, Waiting::Slot { .. }),
        "shown": shown.items,
        "message": message,
    });
    cx.resources().ask(cx, "reply", "reply", &args).await
}

/// Takes over from an action that failed for good: the router asks whether to try again.
///
/// # Errors
/// The store's, and what the graph runtime itself reports.
pub async fn failed(
    failure: Failure,
    state: Snapshot<Conversation>,
    cx: Context<Resources>,
) -> Result<Step<Conversation>, NodeError> {
    think(&cx, format!("`{}` failed after {} attempts: {}", failure.node, failure.attempts, failure.message)).await;
    let turn = Turn { finish: Some(Finish::Failed), failure: Some(failure.message), ..state.turn.clone() };
    Ok(Step::goto(ROUTER).with(Conversation::update().turn(turn)))
}

/// The call that led to a node.
pub(super) fn call_of(turn: &Turn) -> Option<&Call> {
    turn.call.as_ref()
}
