//! Node `compact`: the beginning of a conversation that outgrew its model's window is summarised.

use graphloom_core_graph::{Context, NodeError, Snapshot};

use crate::ToldModel;
use crate::compaction::{Compaction, Group, earlier, summarise, tokens};
use crate::converse::{Form, node_error, rough_tokens};
use crate::react::view::view;
use crate::react::{COMPACTED, ReactResources, ReactState, ReactStateUpdate};

/// State in: the opening, all turns with their calls, and the last summary. State out: a summary that stands for more of them,
/// and an event with it. It fails when the model does.
///
/// # Errors
/// [`AgentError::Summary`](crate::AgentError::Summary), errors of the templates, and those of the store.
pub async fn compact(state: Snapshot<ReactState>, cx: Context<ReactResources>) -> Result<ReactStateUpdate, NodeError> {
    let resources = cx.resources().of(&state)?;
    let form = Form::of(&*resources.model, &resources.tools.current());
    let view = view(&state, resources, form).map_err(node_error)?;
    let Some(count) = view.due else { return Ok(ReactState::update()) };
    let before = state.compactions.last();
    let summarised = before.map_or(0, |before| before.groups as usize);
    let free: Vec<&Group> = view.groups.iter().filter(|group| !group.pinned).collect();
    let new = free.get(summarised..count).unwrap_or_default();
    let agent = state.assignment.as_ref().map(|assignment| assignment.agent.as_str());
    let model = ToldModel::new(&cx, &resources.model, agent);
    let summary = summarise(&model, &resources.prompts, before, new, &resources.compaction, &cx).await?;
    let notes = earlier(&resources.prompts, &summary.text, summary.messages).map_err(node_error)?;
    let left = view.groups.iter().filter(|group| group.pinned).chain(free.into_iter().skip(count));
    let after = left.map(tokens).sum::<u64>() + notes.iter().map(rough_tokens).sum::<u64>();
    let groups = u32::try_from(count).unwrap_or(u32::MAX);
    let compaction: Compaction = summary.into_compaction(groups, view.tokens, after);
    cx.emit(COMPACTED, compaction.clone()).await;
    let mut usage = state.usage;
    usage += compaction.usage;
    Ok(ReactState::update().compactions([compaction]).usage(usage))
}
