//! Action `execute` of a search task: queries, what they find, one result with marks.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_retrieval::{Evidence, Search};
use graphloom_state_machine::TaskAction;

use super::{Outcome, Setup, StageError, TaskContext};
use crate::TaskType;
use crate::task::ActionResult;

/// The name of the agent in records of results.
const AGENT: &str = "execute/search";

/// Searches. Without a search engine nothing is asked and the result says so.
pub(super) async fn search(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let Some(engine) = setup.search.as_deref() else {
        let mut outcome = finish(context, String::new(), Vec::new());
        outcome.notes.push(format!("task `{}` searched nothing: there is nothing to search in this run", context.key));
        return Ok(outcome);
    };
    match setup.strategy("execute", TaskType::Search)? {
        Strategy::Free => free::search(setup, context, engine).await,
        Strategy::Guided => guided::search(setup, context, engine).await,
    }
}

/// The outcome with what was found and the text that is made of it.
fn finish(context: TaskContext<'_>, text: String, found: Vec<Evidence>) -> Outcome {
    let mut result = ActionResult::new(AGENT, text);
    result.evidence = found.iter().map(|evidence| evidence.id.clone()).collect();
    let mut outcome = context.result(TaskAction::Execute, result);
    outcome.evidence = found;
    outcome
}

/// The note where nothing was found.
fn found_nothing(context: TaskContext<'_>, engine: &dyn Search) -> String {
    format!("task `{}` found nothing with `{}`", context.key, engine.engines().join("`, `"))
}
