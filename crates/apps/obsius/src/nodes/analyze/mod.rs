//! Node `analyze`: the request becomes subtasks with success criteria; later, what is left of it is judged.

mod free;
mod guided;

use graphloom_agents::{AgentError, EntryKind, Exchange, Strategy};
use graphloom_core_graph::{Context, NodeError, Snapshot};
use serde_json::{Value, json};

use super::visit::{Report, Visit, tokens, visit};
use crate::ObsiusError;
use crate::analyze::plan_by_rules;
use crate::ask::agent;
use crate::overlay_tools::{OverlayTools, probe_all};
use crate::phase::{Decision, Phase};
use crate::resources::Resources;
use crate::state::{
    Completion, Criterion, ExecutionPlan, Failure, FailureClass, StopReason, SubtaskKind, TaskPlan, WorkflowState,
    WorkflowStateUpdate,
};
use crate::view::unmet;

/// State in: the request, what was found and done so far. State out: the task plan and its objectives. It fails when the
/// model does; a plan that cannot be used is replaced by one made by rules, with a note.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn analyze(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Analyze, state, cx, async |visit| work(&visit).await).await
}

async fn work(visit: &Visit) -> Result<Report, NodeError> {
    let (state, config) = (&visit.state, &visit.state.session.config);
    if visit.iteration.timeouts >= config.max_timeouts {
        let (times, limit_ms) = (visit.iteration.timeouts, config.iteration_timeout_ms);
        if !state.changes.is_empty() {
            // What was done so far is shown; it can be written, or the run goes on with more time.
            let stop = StopReason::OutOfTime { times, limit_ms };
            let update = WorkflowState::update().notes(stop.remedy()).stop(stop.clone());
            let mut report = Report::new(Decision::NothingLeft, stop.text()).with(update);
            report.success = false;
            return Ok(report);
        }
        let error = ObsiusError::Timeouts { count: times, limit: limit_ms };
        return Ok(Report::failed(Failure::new(visit.phase, FailureClass::Timeout, error.to_string())));
    }
    if visit.iteration.number > config.max_iterations {
        let stop = StopReason::IterationLimit { iterations: config.max_iterations };
        let update = WorkflowState::update().notes(stop.remedy()).stop(stop.clone());
        return Ok(Report::new(Decision::NothingLeft, stop.text()).with(update));
    }
    let refused = state.review.feedback.is_some() && visit.iteration.number == state.review.since_iteration + 1;
    let again = state.task_plan.is_some() && !refused && !is_stuck(state);
    if let (true, Some(plan)) = (again, &state.task_plan) {
        return continue_plan(visit, plan);
    }
    let request = state.session.original_request.as_str();
    let (plan, notices, exchanges) = match make_plan(visit, request).await? {
        PlanOutcome::Answer(answer, exchanges) => {
            let update = WorkflowState::update()
                .answer(answer.clone())
                .stop(StopReason::Answered)
                .confidence(1.0)
                .execution_metrics(tokens(&exchanges))
                .exchanges(exchanges)
                .working_memory(vec![visit.entry(EntryKind::Thought, format!("answered without an action: {answer}"))]);
            return Ok(Report::new(Decision::NothingLeft, "answered without an action").with(update));
        }
        PlanOutcome::Plan(plan, notices, exchanges) => (plan, notices, exchanges),
    };
    let goals: Vec<String> = plan.decomposed_tasks.iter().map(|task| format!("{}. {}", task.id, task.goal)).collect();
    let memory = vec![visit.entry(EntryKind::Plan, goals.join("\n"))];
    let mut next = (**state).clone();
    next.task_plan = Some(plan.clone());
    let workspace = OverlayTools::new(visit.resources(), &state.changes).map_err(ObsiusError::from)?;
    let actions: Vec<_> = state.executed_actions.iter().cloned().collect();
    let evidence = probe_all(&next, &workspace.notes(), &actions, &state.answer);
    let objectives = state.objectives.with_evidence(Some(&plan), evidence);
    let searches = plan.has(SubtaskKind::Search);
    let decision = if searches { Decision::SearchRequired } else { Decision::DirectExecution };
    let message = format!("{} subtasks", plan.decomposed_tasks.len());
    // What is simple starts sure of itself; the probes decide all the same.
    let confidence = if plan.estimated_complexity <= crate::completion::SIMPLE_PLAN && !searches { 0.8 } else { 0.0 };
    let mut report = Report::new(decision, message);
    report.data = json!({ "subtasks": goals });
    let update = WorkflowState::update()
        .task_plan(plan)
        .pending_actions(ExecutionPlan::default())
        .objectives(objectives)
        .confidence(confidence)
        .working_memory(memory)
        .execution_metrics(tokens(&exchanges))
        .exchanges(exchanges)
        .notes(notices);
    Ok(report.with(update))
}

/// Whether the newest iteration did not succeed in anything, so that a new plan may help.
fn is_stuck(state: &WorkflowState) -> bool {
    let mut newest = state.actions_of(state.iteration.number).peekable();
    newest.peek().is_some() && newest.all(|action| !action.result.success)
}

/// Goes on with a plan: to what is still missing, or to the end.
fn continue_plan(visit: &Visit, plan: &TaskPlan) -> Result<Report, NodeError> {
    let state = &visit.state;
    let owed = state.pending_actions.later.len();
    if owed > 0 {
        return Ok(Report::new(Decision::DirectExecution, format!("{owed} planned actions are left")));
    }
    let missing = unmet(state);
    if missing.is_empty() && !state.objectives.sub.is_empty() {
        let by = Completion::SubObjectives;
        let update = WorkflowState::update().stop(StopReason::Complete { by });
        return Ok(Report::new(Decision::NothingLeft, "nothing is left to do").with(update));
    }
    let unsearched = plan.success_criteria().any(|criterion| match criterion {
        Criterion::Searched { strategy } => !state.findings.ran(*strategy),
        _ => false,
    });
    let decision = if unsearched { Decision::SearchRequired } else { Decision::DirectExecution };
    let left: Vec<String> = missing.iter().map(|finding| finding.criterion.text()).collect();
    let thought = visit.entry(EntryKind::Thought, format!("still missing: {}", left.join("; ")));
    let update = WorkflowState::update().working_memory(vec![thought]);
    Ok(Report::new(decision, format!("{} criteria are still missing", left.len())).with(update))
}

/// What came of the request.
enum PlanOutcome {
    Plan(TaskPlan, Vec<String>, Vec<Exchange>),
    Answer(String, Vec<Exchange>),
}

async fn make_plan(visit: &Visit, request: &str) -> Result<PlanOutcome, ObsiusError> {
    let agent = agent(&visit.setup, "analyze", "request")?;
    let max = visit.state.session.config.max_subtasks;
    match agent.strategy() {
        Strategy::Free => free::plan(visit, &agent, request, max).await,
        Strategy::Guided => guided::plan(visit, &agent, request, max).await,
    }
}

/// A model that gives no readable plan is one whose plan cannot be used; one that fails is a failure.
fn fallback(error: AgentError, request: &str) -> Result<PlanOutcome, ObsiusError> {
    match error {
        AgentError::Unusable { problem, exchange, .. } => {
            let notice = format!("the model's plan could not be read ({problem}); the plan was made by rules");
            Ok(PlanOutcome::Plan(plan_by_rules(request), vec![notice], vec![*exchange]))
        }
        error => Err(error.into()),
    }
}

pub(super) fn merge(args: &mut Value, more: Value) {
    if let (Value::Object(args), Value::Object(more)) = (args, more) {
        args.extend(more);
    }
}
