//! Writing by a small model: paragraphs of sentences that it chooses.

use super::super::ask::agent;
use super::super::{Outcome, Setup, StageError, TaskContext};
use super::heading::Heading;
use super::paragraphs::write_in_paragraphs;

/// Writes a part paragraph by paragraph. Where something can be searched its heading is one of the sources.
pub(super) async fn write(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let args = context.args(setup)?;
    let agent = agent(setup, "execute", &args.task_type)?;
    let heading = if setup.search.is_some() { Heading::OfSource } else { Heading::OfGoal };
    write_in_paragraphs(setup, context, &args, &agent, heading).await
}
