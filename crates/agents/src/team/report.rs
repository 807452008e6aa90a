//! What an agent begins with, and what comes back from it.

use graphloom_core_graph::{ChildOutcome, NodeError};
use graphloom_llm::{Message, Usage};

use super::tools::{HAND_ON, HandOnArguments};
use crate::react::{Assignment, MadeCall, ReactState, ReactStateUpdate};
use crate::tool::fingerprint;
use crate::{Risk, StopReason, ToolError, ToolOutcome, ToolOutput};

/// How often a task is handed on.
const HANDS: usize = 3;

/// What an agent with these instructions begins with.
pub(super) fn begin(
    instructions: &str,
) -> impl Fn(Assignment, &ReactState) -> ReactStateUpdate + Send + Sync + 'static {
    let instructions = instructions.to_owned();
    move |assignment, _| {
        let task = Message::user(assignment.task.as_str());
        ReactState::update().opening([Message::system(instructions.as_str()), task]).assignment(assignment)
    }
}

/// What the lead gets of an agent that has ended: its answer as the result of the call; or the task goes to the agent that
/// it was handed on to. An agent that failed is an observation for the lead.
///
/// # Errors
/// The agent failed before it began.
pub(super) fn report(child: ChildOutcome<ReactState>) -> Result<ReactStateUpdate, NodeError> {
    let (state, failure) = match child {
        ChildOutcome::Failed { state, error } => (state, Some(error)),
        done => (done.done()?, None),
    };
    let Some(assignment) = &state.assignment else {
        return Err(failure.map_or_else(|| NodeError::terminal("an agent worked without a task"), NodeError::from));
    };
    let mut usage = assignment.usage;
    usage += state.usage;
    if let Some(next) = next_agent(&state, assignment, usage) {
        return Ok(ReactState::update().handed([(assignment.call.place, next)]));
    }
    let result = match (failure, &state.answer) {
        (Some(error), _) => Err(ToolError::failed(format!("the agent `{}` failed: {error}", assignment.agent))),
        (None, Some(answer)) => Ok(ToolOutput::new(answer.as_str()).with_origin(format!("agent {}", assignment.agent))),
        (None, None) => Err(ToolError::failed(without_answer(&state, assignment))),
    };
    Ok(ReactState::update().made([(assignment.call.place, made(&state, assignment, result, usage))]))
}

fn made(state: &ReactState, assignment: &Assignment, result: Result<ToolOutput, ToolError>, usage: Usage) -> MadeCall {
    let call = &assignment.call.call;
    let mut repeats = assignment.call.repeats.clone();
    let fingerprint = fingerprint(&call.name, &call.arguments);
    match &result {
        Ok(_) => repeats.note_success(&fingerprint, Risk::Read),
        Err(error) => repeats.note_failure(fingerprint, error),
    }
    let mut notes = assignment.notes.clone();
    if !assignment.hands.is_empty() {
        notes.push(format!("the task went from {} to {}", assignment.hands.join(" to "), assignment.agent));
    }
    match state.stop {
        Some(StopReason::TurnLimit) => notes.push("the agent had no turns left and answered with what it had".into()),
        Some(StopReason::Cut) => notes.extend(state.turns.last().and_then(|turn| turn.notes.last()).cloned()),
        Some(StopReason::Silent) => notes.push("the agent said nothing, several times".into()),
        _ => {}
    }
    let outcome = ToolOutcome {
        call: call.id.clone(),
        tool: call.name.clone(),
        arguments: call.arguments.clone(),
        risk: Some(Risk::Read),
        notes,
        result,
    };
    let mut made = MadeCall::new(outcome, repeats);
    made.usage = usage;
    made
}

/// Whom an agent has handed its task on to, if that is not once too often.
fn next_agent(state: &ReactState, assignment: &Assignment, usage: Usage) -> Option<Assignment> {
    if state.stop != Some(StopReason::Ended) || assignment.hands.len() >= HANDS {
        return None;
    }
    let HandOnArguments { to, task } = handed_on(state)?;
    let mut hands = assignment.hands.clone();
    hands.push(assignment.agent.clone());
    Some(Assignment { agent: to, task, call: assignment.call.clone(), notes: assignment.notes.clone(), hands, usage })
}

/// The call by which an agent handed its task on.
fn handed_on(state: &ReactState) -> Option<HandOnArguments> {
    let call = state.calls.iter().rfind(|record| record.outcome.tool == HAND_ON && record.outcome.is_success())?;
    serde_json::from_value(call.outcome.arguments.clone()).ok()
}

fn without_answer(state: &ReactState, assignment: &Assignment) -> String {
    match (state.stop, handed_on(state)) {
        (Some(StopReason::Ended), Some(next)) => format!(
            "the task was handed on too often: {}, {}, and then to {}; ask one of them for a part of it",
            assignment.hands.join(", "),
            assignment.agent,
            next.to
        ),
        _ => format!("the agent `{}` ended without an answer", assignment.agent),
    }
}
