//! Looking up a text that is written without a plan.

use super::super::gather::quoted;
use super::super::{Gathered, Setup, StageError, TaskContext, gather};
use crate::context::{PromptArgs, subject};

/// Searches once for the goal of the whole, where it is written without a plan and so nothing was searched before. What
/// is found joins the results that the prompt shows.
pub(super) async fn look_up(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &mut PromptArgs,
) -> Result<Option<Gathered>, StageError> {
    let rules = &setup.profile.settings.search;
    let is_whole = subject(context.tree, context.key).is_some_and(|node| node.key.is_root());
    let Some(engine) = setup.search.as_deref().filter(|_| rules.unplanned && is_whole) else { return Ok(None) };
    let queries = [args.goal.clone()];
    let found = gather(engine, &queries, rules.results_per_turn, &std::collections::BTreeSet::new()).await?;
    if !found.evidence.is_empty() {
        args.to_run_same_graph_dependent = format!("【{}】:\n {}", args.goal, quoted(&args.goal, &found.evidence));
    }
    Ok(Some(found))
}
