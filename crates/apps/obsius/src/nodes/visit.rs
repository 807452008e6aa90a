//! The steps that all phases share: entering it by the table, the iteration's time, failures, counts and the state's size.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use graphloom_agents::{AgentError, DurableCalls, EntryKind, Exchange, MemoryEntry, StepKeys};
use graphloom_core_graph::{Context, NodeError, Shared, Snapshot};
use graphloom_llm::ModelError;
use graphloom_state_machine::Symbol;
use graphloom_vault::{Changes, VaultError};
use serde_json::Value;

use super::iteration_clock::{IterationClock, TimeUse};
use crate::config::Config;
use crate::limit_changes::differences;
use crate::phase::{Decision, Phase, next_phase};
use crate::resources::{Resources, Setup};
use crate::state::{
    ExecutedAction, Failure, FailureClass, Iteration, Metrics, NodeExecutionResult, NodeStatus, StopReason,
    WorkflowNode, WorkflowState, WorkflowStateUpdate, fit,
};

/// One visit of a phase: what its work sees.
#[non_exhaustive]
pub struct Visit {
    /// The state as it is, with the parameters that hold from here on.
    pub state: Arc<WorkflowState>,
    /// The task.
    pub cx: Context<Resources>,
    /// Prompts, profile and models; calls are durable steps.
    pub setup: Setup,
    /// The same for what makes durable steps of its calls itself.
    pub plain: Setup,
    /// The phase.
    pub phase: Phase,
    /// The iteration that the work belongs to.
    pub iteration: Iteration,
    /// The work that is kept when the time runs out.
    partial: Mutex<Option<PartialWork>>,
}

/// The work of a phase that is kept when the time runs out.
struct PartialWork {
    update: WorkflowStateUpdate,
    /// Whether an action succeeded.
    acted: bool,
    /// Whether a note is to be different.
    changed: bool,
}

/// The result of the work of a phase.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The decision that leads to the next phase; none repeats the phase.
    pub decision: Option<Decision>,
    /// Whether the phase did what it is for.
    pub success: bool,
    /// What happened, in a line.
    pub message: String,
    /// The result as data for programs.
    pub data: Value,
    /// The change of the state.
    pub update: WorkflowStateUpdate,
}

impl Report {
    /// The report of a phase that succeeded with a decision.
    pub fn new(decision: Decision, message: impl Into<String>) -> Self {
        Self {
            decision: Some(decision),
            success: true,
            message: message.into(),
            data: Value::Null,
            update: WorkflowState::update(),
        }
    }

    /// The report of a phase that failed, which ends the run.
    pub fn failed(failure: Failure) -> Self {
        Self {
            decision: Some(Decision::Failed),
            success: false,
            message: failure.message.clone(),
            data: Value::Null,
            update: WorkflowState::update().failure(failure),
        }
    }

    /// The same report with a change of the state.
    #[must_use]
    pub fn with(mut self, update: WorkflowStateUpdate) -> Self {
        self.update = update;
        self
    }
}

impl fmt::Debug for Visit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visit")
            .field("phase", &self.phase)
            .field("iteration", &self.iteration)
            .field("setup", &self.setup)
            .finish_non_exhaustive()
    }
}

impl Visit {
    /// The resources.
    pub fn resources(&self) -> &Arc<Resources> {
        self.cx.shared_resources()
    }

    /// An entry for the working memory, of this phase, iteration and time.
    pub fn entry(&self, kind: EntryKind, content: impl Into<String>) -> MemoryEntry {
        MemoryEntry::new(kind, self.phase.name(), self.iteration.number, content).at(self.cx.now())
    }

    /// Keeps what was done in case the time of the iteration runs out before the work ends: `update` holds `actions` and
    /// `changes`.
    pub fn keep(&self, update: WorkflowStateUpdate, actions: &[ExecutedAction], changes: Changes) {
        let acted = actions.iter().any(|action| action.result.success);
        let changed = !changes.is_empty();
        let update = update.changes(Shared::new(changes));
        *self.partial.lock().unwrap_or_else(PoisonError::into_inner) = Some(PartialWork { update, acted, changed });
    }
}

/// Visits a phase: checks by the table that it follows, does its work within what is left of the iteration's time, and
/// makes the update of it.
///
/// A failure of a model, an agent or the vault leads to [`Phase::Error`]. What the runtime itself reports (a store that
/// fails, a thread that another process took over) fails the task instead, and the run goes on from its last super-step.
///
/// # Errors
/// What the graph runtime itself reports, and errors of the work that are of no model, agent or vault.
pub async fn visit<F, Fut>(
    phase: Phase,
    state: Snapshot<WorkflowState>,
    cx: Context<Resources>,
    work: F,
) -> Result<WorkflowStateUpdate, NodeError>
where
    F: FnOnce(Arc<Visit>) -> Fut,
    Fut: Future<Output = Result<Report, NodeError>> + Send,
{
    let started = cx.now();
    let (state, limits) = with_limits(state.into_inner(), cx.resources().setup.limits.as_ref());
    let config = state.session.config.clone();
    let iteration = match phase {
        Phase::Analyze => next_iteration(state.iteration),
        Phase::Simple => Iteration { number: 1, ..state.iteration },
        _ => state.iteration,
    };
    let decision = state.result.as_ref().and_then(|result| result.decision);
    let phases = state.phases.enter(phase, decision, iteration.number, started).map_err(NodeError::terminal)?;

    // An execution that goes on in the middle after a crash still finds its answers.
    let (calls, clock) = (DurableCalls::new(&cx).keys(StepKeys::ByContent), IterationClock::new());
    let mut plain = clock.setup(&cx.resources().setup);
    plain.today.clone_from(&state.session.today);
    plain.seed = state.session.seed;
    let setup = Setup { models: calls.models(&plain.models), ..plain.clone() };
    plain.models = plain.models.told(&cx);
    let visit = Arc::new(Visit { state, cx: cx.clone(), setup, plain, phase, iteration, partial: Mutex::default() });
    let timed = !matches!(phase, Phase::Assess | Phase::Initialize | Phase::Complete | Phase::Error);
    let left = |spent: u64| Duration::from_millis(config.iteration_timeout_ms.saturating_sub(spent));
    let done = if timed {
        tokio::select! {
            biased;
            done = work(Arc::clone(&visit)) => Ok(done),
            time_use = clock.run_out(left(iteration.spent_ms), left(iteration.work_ms)) => Err(time_use),
        }
    } else {
        Ok(work(Arc::clone(&visit)).await)
    };
    if let Some(fault) = calls.take_fault() {
        return Err(fault);
    }
    let mut idle = false;
    let report = match done {
        Ok(Ok(report)) => report,
        Ok(Err(error)) => Report::failed(failure_of(phase, error)?),
        Err(time_use) => {
            let partial = visit.partial.lock().unwrap_or_else(PoisonError::into_inner).take();
            // What went on is no iteration that ran out of its time in vain.
            idle = !partial.as_ref().is_some_and(|partial| partial.acted);
            out_of_time(&visit, config.iteration_timeout_ms, time_use, partial)
        }
    };
    let elapsed = cx.now().saturating_sub(started);
    let [models, own] = <[Duration; 2]>::from(clock.elapsed()).map(millis);
    let iteration = Iteration {
        spent_ms: iteration.spent_ms.saturating_add(models),
        work_ms: iteration.work_ms.saturating_add(own),
        timed_out: iteration.timed_out || idle,
        ..iteration
    };
    let times = Metrics { total_execution_time: elapsed, model_time: models, work_time: own, ..Metrics::default() };
    let update = visit_update(&visit, report, phases, iteration, times);
    Ok(if limits.is_empty() { update } else { update.session(visit.state.session.clone()).notes(limits) })
}

/// The state with the parameters that a resumed run was given, and a note on each difference. The time of the iteration and
/// the count of time-outs start from zero.
fn with_limits(state: Arc<WorkflowState>, limits: Option<&Config>) -> (Arc<WorkflowState>, Vec<String>) {
    let Some(limits) = limits.filter(|limits| **limits != state.session.config) else { return (state, Vec::new()) };
    let changed = differences(&state.session.config, limits);
    let mut state = (*state).clone();
    state.session.config = limits.clone();
    state.iteration = Iteration { number: state.iteration.number, ..Iteration::default() };
    (Arc::new(state), changed)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The iteration that a visit of analyze begins.
fn next_iteration(before: Iteration) -> Iteration {
    Iteration {
        number: before.number.saturating_add(1),
        timeouts: if before.timed_out { before.timeouts.saturating_add(1) } else { 0 },
        ..Iteration::default()
    }
}

/// The failure of a phase by an error of a model, an agent, the vault or this program. Any other error is returned.
fn failure_of(phase: Phase, error: NodeError) -> Result<Failure, NodeError> {
    let is_own = error.downcast_ref::<AgentError>().is_some()
        || error.downcast_ref::<ModelError>().is_some()
        || error.downcast_ref::<VaultError>().is_some()
        || error.downcast_ref::<crate::ObsiusError>().is_some();
    if is_own { Ok(Failure::of(phase, &error)) } else { Err(error) }
}

/// The report of a phase whose time ran out: unfinished work is dropped, finished work is kept, and analysis follows where
/// the table allows it.
fn out_of_time(visit: &Visit, limit_ms: u64, time_use: TimeUse, partial: Option<PartialWork>) -> Report {
    let message = format!(
        "`{}` ran out of the {limit_ms} ms of its iteration {}; what it was doing was dropped",
        visit.phase,
        time_use.text()
    );
    let changed = partial.as_ref().is_some_and(|partial| partial.changed);
    let update = partial.map(|partial| partial.update).unwrap_or_default();
    if visit.phase == Phase::Simple {
        if !changed {
            return Report::failed(Failure::new(visit.phase, FailureClass::Timeout, message));
        }
        let stop = StopReason::OutOfTime { times: 1, limit_ms };
        let update = update.confidence(0.0).notes([message.clone()]).notes(stop.remedy());
        let mut report = Report::new(Decision::TaskComplete, message).with(update.stop(stop));
        report.success = false;
        return report;
    }
    let decision = match visit.phase {
        Phase::Search => Some(Decision::Gathered),
        Phase::Execute => Some(Decision::AdditionalAnalysis),
        Phase::Reflect => Some(Decision::ReanalysisNeeded),
        _ => None,
    };
    let seen = visit.entry(EntryKind::Observation, message.clone()).with_importance(1.0);
    Report {
        decision,
        success: false,
        message: message.clone(),
        data: Value::Null,
        update: update.working_memory(vec![seen]).notes([message]),
    }
}

/// The update of a visit: the report's, and what every phase adds.
fn visit_update(
    visit: &Visit,
    report: Report,
    phases: crate::phase::PhaseHistory,
    iteration: Iteration,
    times: Metrics,
) -> WorkflowStateUpdate {
    let elapsed = times.total_execution_time;
    let (state, phase) = (&visit.state, visit.phase);
    let next: Vec<Phase> = match report.decision {
        Some(decision) => next_phase(phase, decision).into_iter().collect(),
        None => vec![phase],
    };
    let known = |phase: Phase| state.nodes.get(phase.name()).cloned().unwrap_or_default();
    let before = known(phase);
    let node = WorkflowNode {
        status: if report.success { NodeStatus::Completed } else { NodeStatus::Failed },
        visits: before.visits.saturating_add(1),
        execution_time: before.execution_time.saturating_add(elapsed),
        message: report.message.clone(),
    };
    // Every phase stands in the table: those to come as pending, those that the run ended without as skipped.
    let others = Phase::ALL.iter().copied().filter(|other| *other != phase);
    let others: Vec<(String, WorkflowNode)> = match phase {
        Phase::Assess => others.map(|other| (other.name().to_owned(), known(other))).collect(),
        Phase::Complete | Phase::Error => others
            .filter(|other| known(*other).visits == 0)
            .map(|other| (other.name().to_owned(), WorkflowNode { status: NodeStatus::Skipped, ..known(other) }))
            .collect(),
        _ => Vec::new(),
    };
    let result = NodeExecutionResult {
        success: report.success,
        message: report.message,
        data: report.data,
        should_continue: next.iter().any(|phase| !matches!(phase, Phase::Complete | Phase::Error)),
        next_nodes: next,
        decision: report.decision,
        execution_time: elapsed,
    };
    let errors_encountered = u64::from(!report.success);
    let metrics = Metrics { errors_encountered, ..times };
    let update = report
        .update
        .phases(phases)
        .iteration(iteration)
        .result(result)
        .nodes(others.into_iter().chain([(phase.name().to_owned(), node)]))
        .execution_metrics(metrics)
        .spent(visit.resources().ledger.spent());
    let (update, moved) = fit(state, update, state.session.config.max_state_size);
    update.notes(moved)
}

/// The counts of an agent's calls.
pub(crate) fn tokens(exchanges: &[Exchange]) -> Metrics {
    Metrics { tokens_used: exchanges.iter().map(|exchange| exchange.usage().total()).sum(), ..Metrics::default() }
}
