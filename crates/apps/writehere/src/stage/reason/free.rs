//! Thinking in the model's own words.

use graphloom_agents::Answer;

use super::super::ask::{agent, seeded, text};
use super::super::{Setup, StageError, TaskContext};
use crate::context::PromptArgs;

/// What the model thinks, as it writes it.
pub(super) async fn reason(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
) -> Result<Answer<String>, StageError> {
    text(&agent(setup, "execute", &args.task_type)?, args, seeded(setup, &context, "think")).await
}
