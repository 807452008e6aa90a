//! Node `assess`: simple or complex.

use graphloom_core_graph::{Context, NodeError, Snapshot};
use serde_json::json;

use super::visit::{Report, visit};
use crate::assess::{Complexity, assess as judge};
use crate::phase::{Decision, Phase};
use crate::resources::Resources;
use crate::state::{WorkflowState, WorkflowStateUpdate};

/// State in: the request. State out: the assessment. It cannot fail.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn assess(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Assess, state, cx, async |visit| {
        let assessment = judge(&visit.state.session.original_request);
        let decision = match assessment.complexity {
            Complexity::Simple => Decision::IsSimple,
            Complexity::Complex => Decision::IsComplex,
        };
        let mut report = Report::new(decision, format!("{} words, {decision}", assessment.words));
        report.data = json!(assessment);
        Ok(report.with(WorkflowState::update().assessment(assessment)))
    })
    .await
}
