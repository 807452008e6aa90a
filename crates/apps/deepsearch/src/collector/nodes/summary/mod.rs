//! Node `collector_summary` of the collector.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot};

use crate::collector::{CollectorState, CollectorStateUpdate};
use crate::evidence::Document;
use crate::resources::{Resources, Slot};

/// Sums up what was found. In: the documents. Out: `info_summary`, `evaluation`, `need_programmer`, `programmer_task`.
/// Failure: sentences of the documents that fit the step best take the place of the summary, with a note. The original
/// leaves it empty, and dependent steps would then know nothing of what was found.
///
/// Source: openJiuwen DeepSearch, `SummaryNode` and its prompt `collector_final`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn summary(
    state: Snapshot<CollectorState>,
    cx: Context<Resources>,
) -> Result<CollectorStateUpdate, NodeError> {
    let found: Vec<&Document> = state.doc_infos.iter().collect();
    if found.is_empty() {
        let evaluation = "No documents were found.".to_owned();
        return Ok(CollectorState::update().info_summary(String::new()).evaluation(evaluation));
    }
    match cx.resources().strategy(Slot::InfoCollecting) {
        Strategy::Free => free::summary(&state, &cx, &found).await,
        Strategy::Guided => Ok(guided::extracted(&state.request, &found)),
    }
}
