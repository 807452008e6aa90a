//! The nodes that speak to the person: reviews, follow-up, result.

use graphloom_core_graph::{Context, NodeError, Snapshot, Step};

use super::answer::{Asked, answer};
use super::{stray, think};
use crate::actions::Call;
use crate::decide::{Next, Question};
use crate::export;
use crate::nodes::router::call_of;
use crate::resources::Resources;
use crate::route::{confirm_text, slot_text};
use crate::session::{Role, Session, Status, Waiting};
use crate::state::{Conversation, Turn};

const HOW: &str = "Say `approve` to go on, `reject: why` to have it made again, or edit by number: `edit 2: …`, \
                   `remove 2`, `add: …`.";

/// The queries, as a person sees them.
fn queries_text(session: &Session) -> String {
    let queries = session.artifacts.queries.iter().flat_map(|queries| &queries.value).enumerate();
    let line = |(at, query): (usize, &crate::session::SearchQuery)| {
        let why = if query.rationale.is_empty() { String::new() } else { format!(" ({})", query.rationale) };
        format!("{}. {}{why}\n", at + 1, query.text)
    };
    queries.map(line).collect()
}

/// The proposal under review, its sections numbered so that they can be edited.
fn proposal_text(session: &Session) -> String {
    session.artifacts.proposal.as_ref().map(|proposal| export::numbered(&proposal.value)).unwrap_or_default()
}

const LITERATURE: &str = "Say `new queries` for other literature.";

/// What the conversation asks, as a person is shown it.
pub(crate) fn asked_text(session: &Session) -> String {
    let confirm = confirm_text(session);
    match session.waiting_for {
        Waiting::Queries => {
            let topic = session.topic.as_deref().unwrap_or("your topic");
            let how = confirm.unwrap_or_else(|| HOW.to_owned());
            format!("These are the queries for {topic}:\n\n{}\n{how}", queries_text(session))
        }
        Waiting::Report => {
            let how = confirm.unwrap_or_else(|| format!("{HOW} {LITERATURE}"));
            format!("This is the proposal:\n\n{}\n{how}", proposal_text(session))
        }
        // What was asked for, or delivered, was said last.
        Waiting::None | Waiting::Slot { .. } => {
            let last = session.history.iter().rev().find(|line| line.role == Role::Assistant);
            last.map_or_else(|| slot_text(session), |line| line.text.clone())
        }
    }
}

/// Says something, and what was left out or replaced on the way there.
fn say(session: Session, turn: &Turn, mut message: String) -> Step<Conversation> {
    let mut turn = turn.clone();
    let notes = std::mem::take(&mut turn.notes);
    if !notes.is_empty() {
        let notes: String = notes.iter().map(|note| format!("- {note}\n")).collect();
        message = format!("{}\n\nTo know:\n{}", message.trim_end(), notes.trim_end());
    }
    turn.chat.push(message);
    Step::update(Conversation::update().session(session).turn(turn))
}

/// Shows the queries. In: their version. Waits for a verdict; never touches the queries.
///
/// # Errors
/// A call that is not the node's, and what the graph runtime itself reports.
pub async fn review_queries(state: Snapshot<Conversation>) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::ReviewQueries(_)) = call_of(&state.turn) else { return Err(stray("review_queries")) };
    let mut session = state.session.clone();
    session.waiting_for = Waiting::Queries;
    let message = asked_text(&session);
    Ok(say(session, &state.turn, message))
}

/// Shows the proposal. In: its version. Waits for a verdict; never touches the proposal.
///
/// # Errors
/// A call that is not the node's, and what the graph runtime itself reports.
pub async fn review_report(state: Snapshot<Conversation>) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::ReviewReport(_)) = call_of(&state.turn) else { return Err(stray("review_report")) };
    let mut session = state.session.clone();
    session.waiting_for = Waiting::Report;
    let message = asked_text(&session);
    Ok(say(session, &state.turn, message))
}

/// Asks the person something. In: question, pending. A question of the person is answered by the model.
///
/// # Errors
/// A call that is not the node's, and what the graph runtime itself reports.
pub async fn follow_up(state: Snapshot<Conversation>, cx: Context<Resources>) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::FollowUp(parameters)) = call_of(&state.turn) else { return Err(stray("follow_up")) };
    let session = state.session.clone();
    let asked = session.decision.as_ref().map(|decision| decision.next);
    if asked == Some(Next::Ask(Question::MovedOn)) {
        let message = format!("{}\n\n{}", parameters.question, asked_text(&session));
        return Ok(say(session, &state.turn, message));
    }
    if asked != Some(Next::Ask(Question::Answer)) {
        return Ok(say(session, &state.turn, parameters.question.clone()));
    }
    let (shown, how) = match session.waiting_for {
        Waiting::Report => (proposal_text(&session), HOW.to_owned()),
        Waiting::None => {
            let how = "The proposal stays as it is; `new topic: …` begins another journey.";
            (proposal_text(&session), how.to_owned())
        }
        Waiting::Queries => (queries_text(&session), HOW.to_owned()),
        Waiting::Slot { .. } => (queries_text(&session), slot_text(&session)),
    };
    let topic = session.topic.as_deref().unwrap_or_default();
    let question = &parameters.question;
    let mut turn = state.turn.clone();
    let asked = Asked { topic, shown: &shown, question };
    let answered = answer(&cx, session.journey.len(), asked, &mut turn.notes).await?;
    let answer = match answered {
        Ok(answer) => answer,
        Err(error) => {
            think(&cx, format!("no model answered: {error}")).await;
            format!("I could not answer that ({error}).")
        }
    };
    Ok(say(session, &turn, format!("{answer}\n\n{how}")))
}

/// Delivers the approved proposal and ends the journey. In: its version.
///
/// # Errors
/// A call that is not the node's, and what the graph runtime itself reports.
pub async fn result_notification(state: Snapshot<Conversation>) -> Result<Step<Conversation>, NodeError> {
    let Some(Call::ResultNotification(_)) = call_of(&state.turn) else { return Err(stray("result_notification")) };
    let mut session = state.session.clone();
    let Some(proposal) = session.artifacts.proposal.as_ref() else { return Err(stray("result_notification")) };
    let message = format!("The proposal is done.\n\n{}", export::markdown(&proposal.value));
    session.status = Status::Complete;
    session.last_action = None;
    session.action_result = None;
    session.waiting_for = Waiting::None;
    Ok(say(session, &state.turn, message))
}
