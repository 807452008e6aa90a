//! Node `error`: a failure ends the run.

use graphloom_core_graph::{Context, NodeError, Snapshot};

use super::visit::{Report, visit};
use crate::phase::{Decision, Phase};
use crate::resources::Resources;
use crate::state::{RunOutcome, StopReason, WorkflowState, WorkflowStateUpdate};

/// State in: the failure. State out: an outcome that says so. What was planned and found stays in the state.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn error(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Error, state, cx, async |visit| {
        let state = &visit.state;
        let failure = state.failure.clone().unwrap_or_default();
        let stop = state.stop.clone().filter(|stop| !stop.is_success()).unwrap_or(StopReason::Failed);
        let outcome = RunOutcome {
            is_complete: false,
            confidence: state.confidence,
            answer: String::new(),
            unknown_citations: Vec::new(),
            stop: stop.clone(),
        };
        let mut report =
            Report::new(Decision::Failed, failure.message).with(WorkflowState::update().outcome(outcome).stop(stop));
        report.success = false;
        Ok(report)
    })
    .await
}
