//! Node `reflect`: the completion check. What was done is held against the success criteria.

mod free;
mod guided;

use graphloom_agents::{AgentError, CompletionSignal, EntryKind, Exchange, Strategy};
use graphloom_core_graph::{Context, NodeError, Snapshot};
use serde_json::json;

use super::visit::{Report, Visit, tokens, visit};
use crate::ObsiusError;
use crate::ask::agent;
use crate::completion::{Facts, check};
use crate::overlay_tools::{OverlayTools, probe_all};
use crate::phase::{Decision, Phase};
use crate::resources::Resources;
use crate::state::{
    Criterion, ExecutedAction, Failure, FailureClass, Finding, ITERATION, StopReason, WorkflowState,
    WorkflowStateUpdate,
};

/// The confidence of work of which a criterion that must hold does not, at most.
const OUTSTANDING: f64 = 0.8;

/// State in: the plan, what was done, the changes. State out: the evidence for every criterion, the confidence, and
/// whether the work is complete. It fails when the model does, or when nothing moves any more.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn reflect(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Reflect, state, cx, async |visit| work(&visit).await).await
}

async fn work(visit: &Visit) -> Result<Report, NodeError> {
    let (state, config) = (&visit.state, &visit.state.session.config);
    let workspace = OverlayTools::new(visit.resources(), &state.changes).map_err(ObsiusError::from)?;
    let actions: Vec<ExecutedAction> = state.executed_actions.iter().cloned().collect();
    let mut evidence = probe_all(state, &workspace.notes(), &actions, &state.answer);
    let judged = judge(visit, &mut evidence).await.map_err(ObsiusError::from)?;
    let mut objectives = state.objectives.with_evidence(state.task_plan.as_ref(), evidence);
    let confidence = confidence(&objectives, judged.stated);
    let signal = judged
        .stated
        .filter(|stated| judged.complete && *stated >= config.confidence_threshold && !objectives.is_outstanding());
    let unmet: Vec<String> = objectives
        .evidence
        .iter()
        .filter(|finding| !finding.holds)
        .map(|finding| format!("{}: {}", finding.criterion.text(), finding.evidence))
        .collect();
    let verdict =
        if unmet.is_empty() { "every criterion holds".to_owned() } else { format!("missing: {}", unmet.join("; ")) };
    let mut reflection = visit.entry(EntryKind::Reflection, verdict.clone());
    if let Some(stated) = signal {
        reflection = reflection.with_signal(CompletionSignal { confidence: stated as f32, reason: verdict.clone() });
    }
    let progressed = progressed(state, &objectives.evidence);
    objectives.unchanged = if progressed { 0 } else { state.objectives.unchanged.saturating_add(1) };

    let is_set =
        |criterion: &Criterion| matches!(criterion, Criterion::FoundLinkedFrom { .. } | Criterion::FoundTagged { .. });
    let mut missing = objectives.evidence.iter().filter(|finding| !finding.holds).peekable();
    let only_set_is_missing = missing.peek().is_some() && missing.all(|finding| is_set(&finding.criterion));

    let mut facts = Facts::of(state, &actions, &objectives, confidence);
    facts.signal |= signal.is_some();
    let update = WorkflowState::update()
        .confidence(confidence)
        .working_memory(vec![reflection])
        .execution_metrics(tokens(&judged.exchanges))
        .exchanges(judged.exchanges);
    let total = objectives.sub.len();
    let message =
        format!("{} of {total} sub-objectives confirmed, confidence {confidence:.2}", objectives.completed.len());
    let data = json!({ "unmet": unmet });
    let unchanged = objectives.unchanged;
    let update = update.objectives(objectives);
    let mut report = if let Some(by) = check(facts) {
        Report::new(Decision::CompletionConfirmed, message).with(update.stop(StopReason::Complete { by }))
    } else if !state.findings.nothing_about.is_empty() && only_set_is_missing {
        // No further iteration finds what the searches did not.
        let stop = StopReason::NothingFound { subject: state.findings.nothing_about.clone() };
        Report::new(Decision::CompletionConfirmed, stop.text()).with(update.stop(stop))
    } else if unchanged >= config.max_identical_failures {
        let stop = StopReason::RepeatedFailure { action: ITERATION.to_owned(), times: unchanged, error: verdict };
        let fault = stop.text();
        if state.changes.is_empty() {
            let failure = Failure::new(visit.phase, FailureClass::Internal, fault);
            Report::failed(failure.clone()).with(update.failure(failure).stop(stop))
        } else {
            let mut report = Report::new(Decision::CompletionConfirmed, fault).with(update.stop(stop));
            report.success = false;
            report
        }
    } else if visit.iteration.number >= config.max_iterations {
        let stop = StopReason::IterationLimit { iterations: visit.iteration.number };
        Report::new(Decision::CompletionConfirmed, message).with(update.notes(stop.remedy()).stop(stop))
    } else {
        Report::new(Decision::ReanalysisNeeded, message).with(update)
    };
    report.data = data;
    Ok(report)
}

/// Whether this iteration moved anything: another criterion holds, a note changed, something new was read.
fn progressed(state: &WorkflowState, evidence: &[Finding]) -> bool {
    let held = |findings: &[Finding]| findings.iter().map(|finding| finding.holds).collect::<Vec<_>>();
    let earlier = &state.objectives.evidence;
    let acted = state.actions_of(state.iteration.number).any(|action| action.result.success);
    acted || held(earlier) != held(evidence)
}

/// The share of criteria that hold; not enough while one is outstanding that must hold, and not more than a judge states.
fn confidence(objectives: &crate::state::Objectives, stated: Option<f64>) -> f64 {
    let share = objectives.share();
    let share = if objectives.is_outstanding() { share.min(OUTSTANDING) } else { share };
    match stated {
        Some(stated) if stated.is_finite() => share.min(stated.clamp(0.0, 1.0)),
        _ => share,
    }
}

struct Judged {
    exchanges: Vec<Exchange>,
    complete: bool,
    stated: Option<f64>,
}

/// Lets a model judge the criteria that cannot be looked up, with the evidence shown.
async fn judge(visit: &Visit, evidence: &mut [Finding]) -> Result<Judged, AgentError> {
    let mut judged = Judged { exchanges: Vec::new(), complete: false, stated: None };
    let questions: Vec<(usize, String)> = evidence
        .iter()
        .enumerate()
        .filter_map(|(at, finding)| match &finding.criterion {
            Criterion::Judged { question } => Some((at, question.clone())),
            _ => None,
        })
        .collect();
    if questions.is_empty() {
        return Ok(judged);
    }
    let agent = agent(&visit.setup, "reflect", "evidence")?;
    match agent.strategy() {
        Strategy::Free => free::judge(visit, &agent, &questions, evidence, &mut judged).await?,
        Strategy::Guided => guided::judge(visit, &agent, &questions, evidence, &mut judged).await?,
    }
    Ok(judged)
}
