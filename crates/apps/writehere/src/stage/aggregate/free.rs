//! One result in the model's own words.

use graphloom_agents::Answer;

use super::super::ask::{agent, seeded, text};
use super::super::{Setup, StageError, TaskContext};
use super::AGENT;
use crate::context::PromptArgs;

/// The model's text from the results.
pub(super) async fn aggregate(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
) -> Result<Answer<String>, StageError> {
    text(&agent(setup, AGENT, &args.task_type)?, args, seeded(setup, &context, AGENT)).await
}
