//! Actions that follow from what is missing, for a small model.

use graphloom_agents::Exchange;
use graphloom_vault::Overlay;

use super::super::visit::Visit;
use super::nothing_about;
use crate::ObsiusError;
use crate::execute::plan_guided;
use crate::state::{ExecutionPlan, Finding};

/// The actions for the criteria in `unmet`; none where no note is about what was asked for, which is the answer.
pub(super) async fn plan(
    visit: &Visit,
    notes: &Overlay,
    unmet: &[Finding],
) -> Result<(ExecutionPlan, Vec<Exchange>), ObsiusError> {
    let state = &visit.state;
    if !state.findings.nothing_about.is_empty() {
        let answer = Some(nothing_about(state));
        return Ok((ExecutionPlan { answer, ..ExecutionPlan::default() }, Vec::new()));
    }
    Ok(plan_guided(&visit.setup, state, notes, unmet, visit.iteration.number).await?)
}
