//! Resuming, with other limits, a run that a limit ended or whose changes were refused.

use crate::config::Config;
use crate::phase::{Decision, Phase};
use crate::state::{Findings, NodeExecutionResult, Objectives, StopReason, WorkflowState, WorkflowStateUpdate};

/// The result of the newest phase with a decision for more work in place of the end.
pub(crate) fn result_for_more_work(state: &WorkflowState) -> Option<NodeExecutionResult> {
    let mut result = state.result.clone()?;
    result.decision = match state.phases.current() {
        Phase::Reflect => Some(Decision::ReanalysisNeeded),
        Phase::Execute => Some(Decision::AdditionalAnalysis),
        _ => None,
    };
    Some(result)
}

/// The update that continues a run which waits with part of its work. It is made as the node of the review, whose question
/// it replaces; finished work is kept.
pub fn continue_partial_work(state: &WorkflowState) -> WorkflowStateUpdate {
    let end = state.end();
    let note = end.as_ref().map(|stop| format!("{}; the run goes on with what is left", stop.text()));
    let mut update = WorkflowState::update().stop(None::<StopReason>).notes(note);
    if matches!(end, Some(StopReason::FoundLimit { .. })) {
        // What was found stays; the searches are run again.
        let findings = Findings { searches: Vec::new(), ..state.findings.clone() };
        update = update.findings(findings).objectives(Objectives::default()).confidence(0.0);
    }
    match result_for_more_work(state) {
        Some(result) => update.result(result),
        None => update,
    }
}

/// The reason why other limits change nothing for a run in this state; `None` when they matter.
pub fn why_limits_change_nothing(state: &WorkflowState) -> Option<&'static str> {
    let stop = state.outcome.as_ref().map(|outcome| outcome.stop.clone()).or(state.end());
    if state.applied.is_some() {
        return Some("its changes are written; begin a new run for what is left");
    }
    match stop {
        Some(StopReason::Declined) => Some("its changes were refused; begin a new run"),
        Some(stop) if stop.is_success() => Some("it reached no limit, and its work is done"),
        _ => None,
    }
}

/// The differences between two sets of parameters of a run, a line each.
pub(crate) fn differences(before: &Config, after: &Config) -> Vec<String> {
    let values = [before, after].map(|config| serde_json::to_value(config).unwrap_or_default());
    let [before, after] = values.each_ref().map(serde_json::Value::as_object);
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    let changed = after.iter().filter(|(name, value)| before.get(*name) != Some(*value));
    changed
        .map(|(name, value)| {
            let old = before.get(name).cloned().unwrap_or_default();
            format!("`{name}` is {value} from here on, it was {old}")
        })
        .collect()
}
