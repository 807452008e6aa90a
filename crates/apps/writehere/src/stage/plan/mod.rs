//! Action `plan`: the inner tasks of a task, in the original's order of decision.

mod draft;
mod free;
mod guided;
mod judge;
mod reviewed;
mod shaped;

use graphloom_agents::Strategy;

use super::{Outcome, Setup, StageError, TaskContext};

/// Plans a task: by rule where the profile or a limit settles it, else as its model is worked with.
pub(super) async fn plan(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let task_type = context.node()?.payload.info.task_type;
    match setup.strategy("plan", task_type)? {
        Strategy::Free => free::plan(setup, context).await,
        Strategy::Guided => guided::plan(setup, context).await,
    }
}

/// The beginning of a complaint, for a note; the record of the call has the whole.
fn brief(problem: &str) -> String {
    const MOST: usize = 160;
    match problem.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &problem[..end]),
        None => problem.to_owned(),
    }
}
