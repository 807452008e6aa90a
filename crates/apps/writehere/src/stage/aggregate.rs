//! Action `final_aggregate`: one result of the results of the inner tasks.

use graphloom_state_machine::TaskAction;

use super::ask::{agent, seeded, text, tolerated};
use super::unanswered::unanswered;
use super::{Outcome, Setup, StageError, TaskContext};
use crate::cite::cited_ids;
use crate::context::{article_of, article_text};
use crate::profile::Aggregate;
use crate::task::ActionResult;

const AGENT: &str = "final_aggregate";

/// Aggregates. The result of a single execute child passes through; otherwise the profile says how.
pub(super) async fn aggregate(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let node = context.node()?;
    let mut inner = context.tree.inner(node);
    if let (Some(only), None) = (inner.next(), inner.next())
        && only.is_atomic_execution()
    {
        let mut result = only.payload.results.get(&TaskAction::Execute).cloned().unwrap_or_default();
        result.agent = format!("{AGENT}: passed through");
        let left_open = close(setup, context, &mut result)?;
        let mut outcome = context.result(TaskAction::FinalAggregate, result);
        outcome.notes.extend(left_open);
        return Ok(outcome);
    }
    let mode = setup.profile.settings.aggregate(node.payload.info.task_type);
    let args = context.args(setup)?;
    let speaks = mode == Aggregate::Model && !args.to_run_final_aggregate.trim().is_empty();
    let asked =
        if speaks { Some(agent(setup, AGENT, &args.task_type)?).filter(|agent| !agent.is_constrained()) } else { None };
    let (made, exchange) = match (mode, asked) {
        (Aggregate::Article, _) => (article_text(&article_of(context.tree, context.key)), None),
        (_, Some(agent)) => {
            let answer = text(&agent, &args, seeded(setup, &context, AGENT)).await?;
            (answer.value, Some(answer.exchange))
        }
        (_, None) => (args.to_run_final_aggregate.clone(), None),
    };
    let mut result = ActionResult::new(AGENT, made);
    result.evidence = cited_ids(&result.text);
    let left_open = close(setup, context, &mut result)?;
    let unwritten: Vec<String> =
        context.tree.inner(node).filter(|inner| inner.failure.is_some()).map(|inner| inner.key.to_string()).collect();
    if !unwritten.is_empty() {
        result.notes.push(format!("made without the failed tasks {}", unwritten.join(", ")));
    }
    let mut notes: Vec<String> = result.notes.iter().map(|note| format!("task `{}`: {note}", context.key)).collect();
    notes.extend(left_open);
    notes.extend(exchange.iter().flat_map(|exchange| tolerated(context.key, exchange)));
    let mut outcome = context.result(TaskAction::FinalAggregate, result);
    outcome.exchanges.extend(exchange);
    outcome.notes = notes;
    Ok(outcome)
}

/// Ends a text that only quotes with what it leaves open; the note that says so.
fn close(setup: &Setup, context: TaskContext<'_>, result: &mut ActionResult) -> Result<Option<String>, StageError> {
    let Some(line) = unanswered(setup, context, &result.text)? else { return Ok(None) };
    result.text = format!("{}\n\n{line}", result.text.trim_end()).trim_start().to_owned();
    Ok(Some(format!("task `{}`: {line}", context.key)))
}
