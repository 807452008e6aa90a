//! Node `execute`: actions are planned and carried out.

mod free;
mod guided;

use std::time::Duration;

use async_trait::async_trait;
use graphloom_agents::{EntryKind, Exchange, Strategy};
use graphloom_core_graph::{Context, NodeError, Shared, Snapshot};
use graphloom_vault::Changes;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::Instant;

use super::visit::{Report, Visit, tokens, visit};
use crate::ObsiusError;
use crate::ask::agent;
use crate::assess::Language;
use crate::completion::{Facts, check};
use crate::execute::{MOST, PlanProgress, ProgressSaver, execute_plan, next_batch};
use crate::overlay_tools::{OverlayTools, probe_all};
use crate::phase::{Decision, Phase};
use crate::resources::Resources;
use crate::state::{
    Completion, ExecutedAction, ExecutionPlan, Failure, FailureClass, Finding, Metrics, PlannedAction, StopReason,
    WorkflowState, WorkflowStateUpdate,
};

/// State in: the plan, the findings, the changes so far. State out: what was done, the changes after it. Failed actions
/// are observations; it fails when the model does, or when the same failure comes back too often.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn execute(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Execute, state, cx, async |visit| work(&visit).await).await
}

/// The progress of a visit, as it is saved inside the visit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Saved {
    plan: ExecutionPlan,
    #[serde(rename = "carried")]
    progress: PlanProgress,
    changes: Changes,
    exchanges: Vec<Exchange>,
}

async fn work(visit: &Visit) -> Result<Report, NodeError> {
    let state = &visit.state;
    let workspace = OverlayTools::new(visit.resources(), &state.changes).map_err(ObsiusError::from)?;
    let (saved, number) = newest_saved(&visit.cx)?;
    let begun = match saved {
        Some(saved) => {
            workspace.reset(&saved.changes);
            saved
        }
        None => {
            let (plan, exchanges, skipped) = next_actions(visit, &workspace).await?;
            let progress = PlanProgress { repeats: state.repeats.clone(), skipped, ..PlanProgress::default() };
            Saved { plan, progress, changes: workspace.changes(), exchanges }
        }
    };
    let interval = Duration::from_millis(state.session.config.persistence_interval_ms);
    let mut saver = VisitSaver {
        visit,
        workspace: &workspace,
        saved: begun.clone(),
        next: number,
        interval,
        due: Instant::now() + interval,
        dirty: false,
    };
    let reads = state.session.config.max_concurrent_reads;
    let progress =
        execute_plan(&begun.plan, workspace.tools(), begun.progress, visit.iteration.number, reads, &mut saver).await?;
    let link_repairs = workspace.repair_links(state).map_err(ObsiusError::from)?;
    evaluate(visit, &workspace, &begun.plan, &progress, &begun.exchanges, link_repairs)
}

/// The newest saved progress of this visit, from before a crash, and the number of the next record.
fn newest_saved(cx: &Context<Resources>) -> Result<(Option<Saved>, u32), NodeError> {
    let mut newest = None;
    let mut number = 0;
    while let Some(saved) = cx.recorded::<Saved>(&format!("progress/{number}"))? {
        newest = Some(saved);
        number += 1;
    }
    Ok((newest, number))
}

/// Saves the progress of a visit at an interval, and keeps it for the case that the time runs out.
struct VisitSaver<'a> {
    visit: &'a Visit,
    workspace: &'a OverlayTools,
    saved: Saved,
    next: u32,
    interval: Duration,
    due: Instant,
    dirty: bool,
}

#[async_trait]
impl ProgressSaver for VisitSaver<'_> {
    fn ended(&mut self, progress: &PlanProgress) {
        self.saved.progress = progress.clone();
        self.saved.changes = self.workspace.changes();
        self.dirty = true;
        let update =
            done_update(self.visit, &with_rest_for_later(&self.saved.plan, progress), progress, &self.saved.exchanges);
        self.visit.keep(update, &progress.done, self.saved.changes.clone());
    }

    async fn due(&self) {
        if self.dirty {
            tokio::time::sleep_until(self.due).await;
        } else {
            std::future::pending::<()>().await;
        }
    }

    async fn save(&mut self, _: &PlanProgress) -> Result<(), NodeError> {
        let key = format!("progress/{}", self.next);
        let saved = self.saved.clone();
        self.visit.cx.once(&key, async { Ok(saved) }).await?;
        self.next += 1;
        self.due = Instant::now() + self.interval;
        self.dirty = false;
        Ok(())
    }
}

/// The actions of this visit: of those that were asked for before, or else new ones. A reply may ask for any number; the
/// model is asked again when all of them were executed.
async fn next_actions(
    visit: &Visit,
    workspace: &OverlayTools,
) -> Result<(ExecutionPlan, Vec<Exchange>, Vec<String>), ObsiusError> {
    let state = &visit.state;
    let (pending, mut exchanges) = (&state.pending_actions, Vec::new());
    let asked = if pending.later.is_empty() {
        let (plan, calls) = plan_actions(visit, workspace).await?;
        exchanges = calls;
        plan
    } else {
        ExecutionPlan { actions: pending.later.clone(), answer: pending.answer.clone(), later: Vec::new() }
    };
    let most = match agent(&visit.setup, "execute", "plan")?.strategy() {
        Strategy::Free => MOST,
        // What the program plans itself is no reply that could be too long.
        Strategy::Guided => usize::MAX,
    };
    let succeeded = |id: &str| {
        let newest = (0..state.executed_actions.len()).rev().filter_map(|at| state.executed_actions.get(at));
        newest.into_iter().find(|action| action.id == id).map(|action| action.result.success)
    };
    let asked_for = asked.actions.len();
    let mut batch = next_batch(asked.actions, most, succeeded);
    if pending.later.is_empty() && !batch.later.is_empty() {
        batch
            .skipped
            .push(format!("{asked_for} actions were asked for at once; they are carried out {most} at a time"));
    }
    let plan = ExecutionPlan { actions: batch.now, answer: asked.answer, later: batch.later };
    Ok((plan, exchanges, batch.skipped))
}

/// The plan with the actions that were not executed put off for a later visit.
fn with_rest_for_later(plan: &ExecutionPlan, progress: &PlanProgress) -> ExecutionPlan {
    let is_done = |action: &PlannedAction| progress.done.iter().any(|done| done.id == action.id);
    let (actions, mut later): (Vec<_>, Vec<_>) = plan.actions.iter().cloned().partition(is_done);
    later.extend(plan.later.iter().cloned());
    ExecutionPlan { actions, answer: plan.answer.clone(), later }
}

/// The actions for what is still missing.
async fn plan_actions(visit: &Visit, workspace: &OverlayTools) -> Result<(ExecutionPlan, Vec<Exchange>), ObsiusError> {
    let agent = agent(&visit.setup, "execute", "plan")?;
    let notes = workspace.notes();
    let state = &visit.state;
    let actions: Vec<ExecutedAction> = state.executed_actions.iter().cloned().collect();
    let unmet: Vec<Finding> =
        probe_all(state, &notes, &actions, &state.answer).into_iter().filter(|finding| !finding.holds).collect();
    match agent.strategy() {
        Strategy::Free => free::plan(visit, workspace, &agent, &unmet).await,
        Strategy::Guided => guided::plan(visit, &notes, &unmet).await,
    }
}

/// What the person is told when no note is about what they asked for.
fn nothing_about(state: &WorkflowState) -> String {
    let subject = &state.findings.nothing_about;
    match state.assessment.as_ref().map(|assessment| assessment.language) {
        Some(Language::Japanese) => format!("「{subject}」についてのノートはありません。"),
        _ => format!("No note is about `{subject}`: none has it in its title or its tags, or as a phrase."),
    }
}

/// What the actions so far change in the state, apart from the vault.
fn done_update(
    visit: &Visit,
    plan: &ExecutionPlan,
    progress: &PlanProgress,
    exchanges: &[Exchange],
) -> WorkflowStateUpdate {
    let mut memory = Vec::new();
    for action in &progress.done {
        memory.push(visit.entry(EntryKind::Action, action.line()));
        if !action.result.success {
            memory.push(
                visit.entry(EntryKind::Observation, format!("`{}` failed: {}", action.tool, action.result.message)),
            );
        }
    }
    WorkflowState::update()
        .pending_actions(plan.clone())
        .executed_actions(progress.done.clone())
        .repeats(progress.repeats.clone())
        .working_memory(memory)
        .execution_metrics(Metrics::of_actions(&progress.done))
        .execution_metrics(tokens(exchanges))
        .exchanges(exchanges.to_vec())
        .notes(progress.skipped.clone())
        .notes(progress.done.iter().flat_map(ExecutedAction::told))
}

/// Decides what follows from the actions that were carried out: complete, reflect or analyze.
fn evaluate(
    visit: &Visit,
    workspace: &OverlayTools,
    plan: &ExecutionPlan,
    progress: &PlanProgress,
    exchanges: &[Exchange],
    link_repairs: Vec<String>,
) -> Result<Report, NodeError> {
    let state = &visit.state;
    let changes = workspace.changes();
    let owed = plan.later.len();
    // What the model says of its actions is said when they are carried out.
    let answer = plan.answer.clone().filter(|_| owed == 0).unwrap_or_else(|| state.answer.clone());
    let all: Vec<ExecutedAction> =
        state.executed_actions.iter().cloned().chain(progress.done.iter().cloned()).collect();
    let (done, ok) = (progress.done.len(), progress.done.iter().filter(|action| action.result.success).count());
    let mut context = state.vault_context.clone();
    context.recent_changes = changes.iter().map(|(path, _)| path.to_string()).collect();
    let mut update = done_update(visit, plan, progress, exchanges)
        .vault_context(context)
        .changes(Shared::new(changes))
        .answer(answer.clone())
        .notes(link_repairs);
    let message = match (done, answer == state.answer) {
        (0, true) => "nothing was to be done".to_owned(),
        (0, false) => "answered".to_owned(),
        _ if owed > 0 => format!("{ok} of {done} actions succeeded, {owed} are left"),
        _ => format!("{ok} of {done} actions succeeded"),
    };
    if owed > 0 && done > 0 && ok == 0 {
        update = update
            .pending_actions(ExecutionPlan { later: Vec::new(), ..plan.clone() })
            .notes([format!("{owed} planned actions are dropped, because none of the {done} before them succeeded")]);
    }
    if let Some((action, times, error)) = repeated(&all, state.session.config.max_identical_failures) {
        let stop = StopReason::RepeatedFailure { action: action.clone(), times, error: error.clone() };
        let fault = ObsiusError::Repeated { action, times, message: error };
        if !workspace.changes().is_empty() {
            // What was done is shown, and the end says what failed.
            let mut report = Report::new(Decision::TaskComplete, fault.to_string()).with(update.stop(stop));
            report.success = false;
            return Ok(report);
        }
        let failure = Failure::new(visit.phase, FailureClass::Internal, fault.to_string());
        let mut report = Report::failed(failure.clone());
        report.update = update.failure(failure).stop(stop);
        return Ok(report);
    }
    let evidence = probe_all(state, &workspace.notes(), &all, &answer);
    let objectives = state.objectives.with_evidence(state.task_plan.as_ref(), evidence);
    let facts = Facts::of(state, &all, &objectives, state.confidence);
    update = update.objectives(objectives);
    let is_about_nothing = !state.findings.nothing_about.is_empty() && done == 0 && workspace.changes().is_empty();
    let decision = if is_about_nothing {
        // There is nothing to list, tag or change; the searches looked for it.
        let subject = state.findings.nothing_about.clone();
        update = update.confidence(0.0).stop(StopReason::NothingFound { subject });
        if answer.trim().is_empty() {
            update = update.answer(nothing_about(state));
        }
        Decision::TaskComplete
    } else if owed > 0 {
        Decision::AdditionalAnalysis
    } else if let Some(by) = check(facts).filter(|by| *by == Completion::SimpleTask) {
        update = update.stop(StopReason::Complete { by });
        Decision::TaskComplete
    } else if done > 0 && ok == 0 {
        // There is nothing to reflect on.
        Decision::AdditionalAnalysis
    } else {
        Decision::EvaluationNeeded
    };
    let at_limit = visit.iteration.number >= state.session.config.max_iterations;
    let decision = if decision == Decision::AdditionalAnalysis && at_limit {
        let stop = StopReason::IterationLimit { iterations: visit.iteration.number };
        update = update.notes(stop.remedy()).stop(stop);
        Decision::TaskComplete
    } else {
        decision
    };
    let mut report = Report::new(decision, message);
    report.success = done == 0 || ok > 0;
    report.data = json!({ "actions": done, "succeeded": ok, "skipped": progress.skipped });
    report.update = update;
    Ok(report)
}

/// The failure that came back at least `limit` times: the same call, or the same tool with the same error, without a
/// success of that tool in between.
fn repeated(actions: &[ExecutedAction], limit: u32) -> Option<(String, u32, String)> {
    let newest = actions.iter().rev().find(|action| !action.result.success)?;
    let of_tool = actions.iter().rev().filter(|action| action.tool == newest.tool);
    let failures: Vec<&ExecutedAction> = of_tool
        .take_while(|action| !action.result.success)
        .filter(|action| action.arguments == newest.arguments || action.result.message == newest.result.message)
        .collect();
    // The first error says more than that the call was refused for failing before.
    let first = failures.iter().rev().find(|action| action.arguments == newest.arguments);
    let error = first.map_or(&newest.result.message, |action| &action.result.message).clone();
    let times = u32::try_from(failures.len()).unwrap_or(u32::MAX);
    (times >= limit).then(|| (newest.tool.clone(), times, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call of a tool with what came of it; a message that begins with `failed` is that of a failure.
    fn action(tool: &str, argument: &str, message: &str) -> ExecutedAction {
        let mut action = ExecutedAction {
            tool: tool.to_owned(),
            arguments: json!({ "path": argument }),
            ..ExecutedAction::default()
        };
        action.result.success = !message.starts_with("failed");
        action.result.message = message.to_owned();
        action
    }

    #[test]
    fn a_failure_that_comes_back_is_told_by_its_own_first_error() {
        let done = action("update_note", "a", "Changed `a`.");
        let (no_text, refused) =
            (action("update_note", "a", "failed: no such text"), action("update_note", "a", "failed before"));
        let again = [done.clone(), no_text.clone(), action("read_note", "a", "text"), refused.clone(), refused.clone()];
        let told = |times| Some(("update_note".to_owned(), times, "failed: no such text".to_owned()));
        assert_eq!(repeated(&again, 3), told(3));
        assert_eq!(repeated(&again, 4), None);
        // What failed before a success is over.
        let earlier =
            [action("update_note", "a", "failed for another reason"), done, no_text, refused.clone(), refused];
        assert_eq!(repeated(&earlier, 3), told(3));
    }
}
