//! Action `execute` of a think task.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_state_machine::TaskAction;

use super::ask::reading_notes;
use super::{Outcome, Setup, StageError, TaskContext};
use crate::TaskType;
use crate::cite::cited_ids;
use crate::task::ActionResult;

/// The name of the agent in records of results.
const AGENT: &str = "execute/think";

/// Thinks: one call.
pub(super) async fn reason(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let args = context.args(setup)?;
    let answer = match setup.strategy("execute", TaskType::Think)? {
        Strategy::Free => free::reason(setup, context, &args).await?,
        Strategy::Guided => guided::reason(setup, context, &args).await?,
    };
    let mut result = ActionResult::new(AGENT, answer.value);
    result.evidence = cited_ids(&result.text);
    let mut outcome = context.result(TaskAction::Execute, result);
    outcome.notes.extend(reading_notes(context.key, &answer.exchange));
    outcome.exchanges.push(answer.exchange);
    outcome.notes.extend(args.cuts.iter().map(|cut| format!("task `{}`: {cut}", context.key)));
    Ok(outcome)
}
