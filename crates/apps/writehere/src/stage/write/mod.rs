//! Action `execute` of a write task.

mod free;
mod guided;
mod heading;
mod paragraphs;
mod quotable;
mod shorten;
mod unplanned_search;

pub use quotable::quotable;

use graphloom_agents::Strategy;

use super::{Outcome, Setup, StageError, TaskContext};
use crate::TaskType;

/// The name of the agent in records of results.
const AGENT: &str = "execute/write";

/// Writes a part.
pub(super) async fn write(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    match setup.strategy("execute", TaskType::Write)? {
        Strategy::Free => free::write(setup, context).await,
        Strategy::Guided => guided::write(setup, context).await,
    }
}
