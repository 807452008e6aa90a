//! Node `dispatch`: the next calls of a turn, or back to the model with what came of them.

use graphloom_core_graph::{Context, END, NodeError, Snapshot, Step, Table};

use crate::react::{MODEL, ReactResources, ReactState, TOOL, ToolTask};
use crate::{CallRecord, Risk, StopReason, ToolError, ToolOutcome};

/// State in: the calls of the last turn, and those of them that were made. State out: sends of the calls that can be made
/// now; where all were made, the calls with their outcomes. It ends the conversation when a call was asked for again that
/// had already been refused for failing twice. It fails never.
///
/// # Errors
/// None.
pub async fn dispatch(state: Snapshot<ReactState>, cx: Context<ReactResources>) -> Result<Step<ReactState>, NodeError> {
    let mut repeats = state.repeats.clone();
    for made in state.made.values() {
        repeats.merge(&made.repeats, &made.outcome);
    }
    let begun = state.made.len();
    let rest = state.pending.get(begun..).unwrap_or_default();
    if rest.is_empty() {
        return Ok(concluded(&state, ReactState::update().repeats(repeats)));
    }
    let tools = cx.resources().tools.current();
    let reads = rest.iter().take_while(|call| tools.risk(&call.name) == Some(Risk::Read)).count();
    let sends = rest.iter().take(reads.max(1)).zip(begun..).map(|(call, place)| {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        TOOL.send(place, ToolTask { call: call.clone(), place, repeats: repeats.clone() })
    });
    Ok(Step::send(sends))
}

/// Takes the calls of a turn into the record.
fn concluded(state: &ReactState, update: crate::react::ReactStateUpdate) -> Step<ReactState> {
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
    let update = update.calls(records).pending(Vec::new()).replace_made(Table::new());
    if stuck {
        return Step::goto(END).with(update.stop(StopReason::Repeating));
    }
    Step::goto(MODEL).with(update)
}
