//! The search for a text that is written without a plan.

use super::super::gather::fitting_sentences;
use super::super::{Gathered, Setup, StageError, TaskContext, gather};
use crate::context::{PromptArgs, context_node};

/// Searches once for the goal of the whole text, where the text is written without a plan and so nothing was searched
/// before. The findings join the results that the prompt shows.
pub(super) async fn search_unplanned(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &mut PromptArgs,
) -> Result<Option<Gathered>, StageError> {
    let rules = &setup.profile.settings.search;
    let is_whole = context_node(context.tree, context.key).is_some_and(|node| node.key.is_root());
    let Some(engine) = setup.search.as_deref().filter(|_| rules.unplanned && is_whole) else { return Ok(None) };
    let queries = [args.goal.clone()];
    let found = gather(engine, &queries, rules.results_per_turn, &std::collections::BTreeSet::new()).await?;
    if !found.evidence.is_empty() {
        args.to_run_same_graph_dependent =
            format!("【{}】:\n {}", args.goal, fitting_sentences(&args.goal, &found.evidence));
    }
    Ok(Some(found))
}
