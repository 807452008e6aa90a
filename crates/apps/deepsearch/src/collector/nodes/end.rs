//! Node `collector_end` of the collector.

use graphloom_core_graph::{Context, NodeError, Snapshot};

use crate::collector::{CollectorState, CollectorStateUpdate};
use crate::names::COLLECTOR_END;
use crate::resources::Resources;
use crate::stream;

/// Ends a step. In: the summary. Out: the summary on the stream. Failure: none.
///
/// Source: openJiuwen DeepSearch, `GraphEndNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn end(state: Snapshot<CollectorState>, cx: Context<Resources>) -> Result<CollectorStateUpdate, NodeError> {
    stream::emit_whole(&cx, COLLECTOR_END.as_str(), state.request.place(), state.info_summary.clone()).await;
    Ok(CollectorState::update())
}
