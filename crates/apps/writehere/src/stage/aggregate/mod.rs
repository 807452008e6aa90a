//! Action `final_aggregate`: one result of the results of the inner tasks.

mod free;
mod guided;

use graphloom_agents::{Exchange, Strategy};
use graphloom_state_machine::TaskAction;

use super::ask::reading_notes;
use super::part::Part;
use super::{Outcome, Setup, StageError, TaskContext};
use crate::TaskType;
use crate::cite::cited_ids;
use crate::context::{article_of, article_text};
use crate::profile::Aggregate;
use crate::task::ActionResult;

/// The name of the agent in records of results.
const AGENT: &str = "final_aggregate";

/// Aggregates the results of the inner tasks. The result of a single execute child is taken over; otherwise the profile
/// says how to aggregate.
pub(super) async fn aggregate(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let node = context.node()?;
    let mut inner = context.tree.inner(node);
    if let (Some(only), None) = (inner.next(), inner.next())
        && only.is_atomic_execution()
    {
        let mut result = only.payload.results.get(&TaskAction::Execute).cloned().unwrap_or_default();
        result.agent = format!("{AGENT}: passed through");
        let unanswered = append_unanswered(setup, context, &mut result)?;
        let mut outcome = context.result(TaskAction::FinalAggregate, result);
        outcome.notes.extend(unanswered);
        return Ok(outcome);
    }
    let (text, exchange) = combined_text(setup, context).await?;
    let part = exchange.as_ref().map(|_| Part::of(context.key, &text));
    let (text, changes) = part.map_or((text, Vec::new()), |part| (part.text, part.notes));
    let mut result = ActionResult::new(AGENT, text);
    result.evidence = cited_ids(&result.text);
    let unanswered = append_unanswered(setup, context, &mut result)?;
    let unwritten: Vec<String> =
        context.tree.inner(node).filter(|inner| inner.failure.is_some()).map(|inner| inner.key.to_string()).collect();
    if !unwritten.is_empty() {
        result.notes.push(format!("made without the failed tasks {}", unwritten.join(", ")));
    }
    let mut notes: Vec<String> = result.notes.iter().map(|note| format!("task `{}`: {note}", context.key)).collect();
    notes.extend(unanswered);
    notes.extend(exchange.iter().flat_map(|exchange| reading_notes(context.key, exchange)));
    notes.extend(changes);
    let mut outcome = context.result(TaskAction::FinalAggregate, result);
    outcome.exchanges.extend(exchange);
    outcome.notes = notes;
    Ok(outcome)
}

/// The combined text of the results inside a task.
async fn combined_text(setup: &Setup, context: TaskContext<'_>) -> Result<(String, Option<Exchange>), StageError> {
    let task_type = context.node()?.payload.info.task_type;
    let mode = setup.profile.settings.aggregate(task_type);
    if mode == Aggregate::Article {
        return Ok((article_text(&article_of(context.tree, context.key)), None));
    }
    let args = context.args(setup)?;
    let is_asked = mode == Aggregate::Model && !args.to_run_final_aggregate.trim().is_empty();
    if is_asked && setup.strategy(AGENT, task_type)? == Strategy::Free {
        let answer = free::aggregate(setup, context, &args).await?;
        return Ok((answer.value, Some(answer.exchange)));
    }
    Ok((args.to_run_final_aggregate, None))
}

/// Appends a line on unanswered parts to the whole text where the text only quotes, and returns a note. A model that writes
/// freely names open parts itself.
fn append_unanswered(
    setup: &Setup,
    context: TaskContext<'_>,
    result: &mut ActionResult,
) -> Result<Option<String>, StageError> {
    let is_whole = context.node()?.payload.info.task_type == TaskType::Write && context.key.is_root();
    if !is_whole || setup.search.is_none() {
        return Ok(None);
    }
    let line = match setup.strategy("execute", TaskType::Write)? {
        Strategy::Free => None,
        Strategy::Guided => guided::unanswered_line_of(context, &result.text)?,
    };
    let Some(line) = line else { return Ok(None) };
    result.text = format!("{}\n\n{line}", result.text.trim_end()).trim_start().to_owned();
    Ok(Some(format!("task `{}`: {line}", context.key)))
}
