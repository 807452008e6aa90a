//! Node `dispatch`: the next calls of a turn, or back to the model with what came of them.

use graphloom_core_graph::{Context, END, NodeError, Packet, Snapshot, Step, Table};
use graphloom_llm::{ToolCall, Usage};

use crate::react::{Assignment, MODEL, ReactResources, ReactState, TOOL, ToolTask};
use crate::team::task;
use crate::{CallRecord, FailedCalls, Risk, StopReason, ToolError, ToolOutcome, ToolRegistry};

/// State in: the calls of the last turn, and those of them that were made. State out: sends of the calls that can be made
/// now, to the agents of a team where they are called; where all were made, the calls with their outcomes. It ends the
/// conversation when a call was asked for again that had already been refused for failing twice, and when a tool was called that
/// ends it.
///
/// # Errors
/// An agent that the team does not have any more.
pub async fn dispatch(state: Snapshot<ReactState>, cx: Context<ReactResources>) -> Result<Step<ReactState>, NodeError> {
    let resources = cx.resources().of(&state)?;
    if !state.handed.is_empty() {
        let sends = state.handed.iter().map(|(place, next)| task(&next.agent).send(*place, next.clone()));
        return Ok(Step::send(sends).with(ReactState::update().replace_handed(Table::new())));
    }
    let mut repeats = state.repeats.clone();
    for made in state.made.values() {
        repeats.merge(&made.repeats, &made.outcome);
    }
    let begun = state.made.len();
    let rest = state.pending.get(begun..).unwrap_or_default();
    if rest.is_empty() {
        return Ok(concluded(&state, resources, ReactState::update().repeats(repeats)));
    }
    let tools = resources.tools.current();
    let reads = rest.iter().take_while(|call| tools.risk(&call.name) == Some(Risk::Read)).count();
    let sends = rest.iter().take(reads.max(1)).zip(begun..).map(|(call, place)| {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        let task = |call| ToolTask { call, place, repeats: repeats.clone() };
        match agent_call(resources, &tools, call, &repeats) {
            Some((call, notes)) => to_agent(task(call), notes),
            None => TOOL.send(place, task(call.clone())),
        }
    });
    Ok(Step::send(sends))
}

/// The call of an agent of the team, as the agent gets it.
fn agent_call(
    resources: &ReactResources,
    tools: &ToolRegistry,
    call: &ToolCall,
    repeats: &FailedCalls,
) -> Option<(ToolCall, Vec<String>)> {
    if resources.agents.is_empty() {
        return None;
    }
    let (call, notes) = tools.prepared(call, repeats)?;
    resources.agents.contains_key(&call.name).then_some((call, notes))
}

/// A call as a task of the agent that is called.
fn to_agent(call: ToolTask, notes: Vec<String>) -> Packet {
    let place = call.place;
    let agent = call.call.name.clone();
    let words = call.call.arguments.get("task").and_then(|task| task.as_str()).unwrap_or_default().to_owned();
    let assignment = Assignment { agent, task: words, call, notes, hands: Vec::new(), usage: Usage::default() };
    task(&assignment.agent).send(place, assignment)
}

/// Takes the calls of a turn into the record.
fn concluded(
    state: &ReactState,
    resources: &ReactResources,
    update: crate::react::ReactStateUpdate,
) -> Step<ReactState> {
    let turn = u32::try_from(state.turns.len()).unwrap_or(u32::MAX);
    let records: Vec<CallRecord> =
        state.made.values().map(|made| CallRecord { turn, outcome: made.outcome.clone() }).collect();
    let refused = |outcome: &ToolOutcome| matches!(outcome.result, Err(ToolError::Repeated { .. }));
    let stuck = records.iter().enumerate().any(|(at, record)| {
        let same = |earlier: &CallRecord| {
            refused(&earlier.outcome)
                && earlier.outcome.tool == record.outcome.tool
                && earlier.outcome.arguments == record.outcome.arguments
        };
        refused(&record.outcome) && (state.calls.iter().any(same) || records[..at].iter().any(same))
    });
    let ended =
        records.iter().any(|record| record.outcome.is_success() && resources.ending.contains(&record.outcome.tool));
    let mut usage = state.usage;
    for made in state.made.values() {
        usage += made.usage;
    }
    let update = update.calls(records).pending(Vec::new()).replace_made(Table::new()).usage(usage);
    if stuck {
        return Step::goto(END).with(update.stop(StopReason::Repeating));
    }
    if ended {
        return Step::goto(END).with(update.stop(StopReason::Ended));
    }
    Step::goto(MODEL).with(update)
}
