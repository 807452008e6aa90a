//! Node `model`: the model says something, calls tools, or answers.

use graphloom_core_graph::{Context, NodeError, Snapshot, Step};

use crate::agent::BLANK_REPLIES;
use crate::converse::{Form, Question, Turn, introduce, last_turn, node_error};
use crate::react::view::view;
use crate::react::{COMPACT, DISPATCH, MODEL, ReactResources, ReactState, TurnRecord};
use crate::{AgentError, StopReason, ToldModel};

/// State in: the opening, and all turns with their calls. State out: the turn, and its calls or the answer; nothing where the
/// conversation is to be compacted first. It fails when the model does.
///
/// # Errors
/// [`AgentError::Conversation`], and errors of the templates.
pub async fn model(state: Snapshot<ReactState>, cx: Context<ReactResources>) -> Result<Step<ReactState>, NodeError> {
    let resources = cx.resources().of(&state)?;
    let most = resources.options.max_turns.max(1);
    let number = u32::try_from(state.turns.len() + 1).unwrap_or(u32::MAX);
    let last = number >= most;
    let Some(turn) = ask(&state, &cx, resources, number, last).await.map_err(node_error)? else {
        return Ok(Step::goto(COMPACT));
    };
    let text = Some(turn.text).filter(|text| !text.trim().is_empty());
    let silent = turn.calls.is_empty() && text.is_none();
    let record = TurnRecord { message: (!silent).then_some(turn.message), notes: turn.notes };
    let mut usage = state.usage;
    usage += turn.usage;
    let update = ReactState::update().turns([record]).usage(usage);
    let silent_before = state.turns.iter().rev().take_while(|turn| turn.message.is_none()).count();
    let gives_up = silent && silent_before + 1 >= BLANK_REPLIES as usize;
    if !turn.cut && !last && silent && !gives_up {
        return Ok(Step::goto(MODEL).with(update));
    }
    if !turn.cut && !last && !turn.calls.is_empty() {
        return Ok(Step::goto(DISPATCH).with(update.pending(turn.calls)));
    }
    // An answer that the model was made to give is not one that it came to.
    let forced = last && (silent || !resources.tools.current().is_empty());
    let stop = match (turn.cut, forced) {
        (true, _) => StopReason::Cut,
        (_, true) => StopReason::TurnLimit,
        _ if gives_up => StopReason::Silent,
        _ => StopReason::Answered,
    };
    let update = match text {
        Some(text) => update.answer(text),
        None => update,
    };
    Ok(Step::end().with(update.stop(stop)))
}

/// Asks the model, which reads the state as it can take it; in the last turn without tools. `None` where the conversation is too
/// long to be asked.
async fn ask(
    state: &ReactState,
    cx: &Context<ReactResources>,
    resources: &ReactResources,
    number: u32,
    last: bool,
) -> Result<Option<Turn>, AgentError> {
    let tools = resources.tools.current();
    let form = Form::of(&*resources.model, &tools);
    let specs = tools.specs();
    let view = view(state, resources, form)?;
    if view.due.is_some() {
        return Ok(None);
    }
    let mut read = view.messages;
    if form == Form::Written {
        introduce(&resources.prompts, &specs, &mut read)?;
    }
    let last = last && !specs.is_empty();
    if last {
        read.extend(last_turn(&resources.prompts)?);
    }
    let params = resources.options.params.clone();
    let agent = state.assignment.as_ref().map(|assignment| assignment.agent.as_str());
    let model = ToldModel::new(cx, &resources.model, agent);
    let question = Question { model: &model, form, messages: read, tools: &specs, last, number, params };
    let failed = |source| AgentError::Conversation { turn: number, source: Box::new(source) };
    question.ask().await.map(Some).map_err(failed)
}
