//! Node `start` of the collector.

use graphloom_core_graph::{NodeError, Snapshot};

use crate::collector::{CollectorState, CollectorStateUpdate};

/// Begins a step. In: the request. Out: nothing. Failure: none.
///
/// Source: `StartNode` of the original's collector, whose context is the input of the graph here.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn start(state: Snapshot<CollectorState>) -> Result<CollectorStateUpdate, NodeError> {
    if state.request.step.title.trim().is_empty() {
        return Err(NodeError::terminal("a step has no title, so there is nothing to look for"));
    }
    Ok(CollectorState::update())
}
