//! What every phase has in common: entering it by the table, the iteration's time, failures, counts and the state's size.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use graphloom_agents::{AgentError, EntryKind, Exchange, MemoryEntry};
use graphloom_core_graph::{Context, NodeError, Snapshot};
use graphloom_llm::ModelError;
use graphloom_state_machine::Symbol;
use graphloom_vault::VaultError;
use serde_json::Value;

use super::durable::Steps;
use crate::desk::{Desk, Resources};
use crate::phase::{Decision, Phase, next_phase};
use crate::state::{
    Failure, FailureClass, Iteration, Metrics, NodeExecutionResult, NodeStatus, WorkflowNode, WorkflowState,
    WorkflowStateUpdate, fit,
};

/// One visit of a phase: what its work sees.
pub(crate) struct Visit {
    /// The state as it is.
    pub(crate) state: Snapshot<WorkflowState>,
    /// The task.
    pub(crate) cx: Context<Resources>,
    /// Prompts, profile and models; calls are durable steps.
    pub(crate) desk: Desk,
    /// The phase.
    pub(crate) phase: Phase,
    /// The iteration that the work belongs to.
    pub(crate) iteration: Iteration,
    /// What is kept of the work when its time runs out.
    partial: Arc<Mutex<Option<WorkflowStateUpdate>>>,
}

/// What the work of a phase comes to.
pub(crate) struct Report {
    /// Where it leads; none repeats the phase.
    pub(crate) decision: Option<Decision>,
    /// Whether the phase did what it is for.
    pub(crate) success: bool,
    /// What happened, in a line.
    pub(crate) message: String,
    /// What programs read of it.
    pub(crate) data: Value,
    /// What changes.
    pub(crate) update: WorkflowStateUpdate,
}

impl Report {
    pub(crate) fn new(decision: Decision, message: impl Into<String>) -> Self {
        Self {
            decision: Some(decision),
            success: true,
            message: message.into(),
            data: Value::Null,
            update: WorkflowState::update(),
        }
    }

    /// The phase failed; the run ends.
    pub(crate) fn failed(failure: Failure) -> Self {
        Self {
            decision: Some(Decision::Failed),
            success: false,
            message: failure.message.clone(),
            data: Value::Null,
            update: WorkflowState::update().failure(failure),
        }
    }

    pub(crate) fn with(mut self, update: WorkflowStateUpdate) -> Self {
        self.update = update;
        self
    }
}

impl Visit {
    /// The resources.
    pub(crate) fn resources(&self) -> &Arc<Resources> {
        self.cx.shared_resources()
    }

    /// An entry for the working memory, of this phase, iteration and time.
    pub(crate) fn entry(&self, kind: EntryKind, content: impl Into<String>) -> MemoryEntry {
        MemoryEntry::new(kind, self.phase.name(), self.iteration.number, content).at(self.cx.now())
    }

    /// Keeps an update in case the time of the iteration runs out before the work ends.
    pub(crate) fn keep(&self, update: WorkflowStateUpdate) {
        *self.partial.lock().unwrap_or_else(PoisonError::into_inner) = Some(update);
    }
}

/// Visits a phase: checks by the table that it follows, does its work within what is left of the iteration's time, and
/// makes the update of it.
///
/// A failure of a model, an agent or the vault leads to [`Phase::Error`]. What the runtime itself reports (a store that
/// fails, a thread that another process took over) fails the task instead, and the run goes on from its last super-step.
pub(crate) async fn visit<F, Fut>(
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
    let config = state.session.config.clone();
    let iteration = match phase {
        Phase::Analyze => next_iteration(state.iteration),
        Phase::Simple => Iteration { number: 1, ..state.iteration },
        _ => state.iteration,
    };
    let decision = state.result.as_ref().and_then(|result| result.decision);
    let phases = state.phases.enter(phase, decision, iteration.number, started).map_err(NodeError::terminal)?;

    let steps = Steps::new(&cx);
    let mut desk = steps.desk(&cx.resources().desk);
    desk.today.clone_from(&state.session.today);
    desk.seed = state.session.seed;
    let visit =
        Arc::new(Visit { state: state.clone(), cx: cx.clone(), desk, phase, iteration, partial: Arc::default() });
    let timed = !matches!(phase, Phase::Assess | Phase::Initialize | Phase::Complete | Phase::Error);
    let left = Duration::from_millis(config.iteration_timeout_ms.saturating_sub(iteration.spent_ms));
    let done = if timed {
        tokio::time::timeout(left, work(Arc::clone(&visit))).await
    } else {
        Ok(work(Arc::clone(&visit)).await)
    };
    if let Some(fault) = steps.take_fault() {
        return Err(fault);
    }
    let timed_out = done.is_err();
    let report = match done {
        Ok(Ok(report)) => report,
        Ok(Err(error)) => Report::failed(failure_of(phase, error)?),
        Err(_) => out_of_time(&visit, config.iteration_timeout_ms),
    };
    let elapsed = cx.now().saturating_sub(started);
    let iteration = Iteration {
        spent_ms: iteration.spent_ms.saturating_add(elapsed),
        timed_out: iteration.timed_out || timed_out,
        ..iteration
    };
    Ok(settle(&visit, report, phases, iteration, elapsed))
}

/// The iteration that a visit of analyze begins.
fn next_iteration(before: Iteration) -> Iteration {
    Iteration {
        number: before.number.saturating_add(1),
        timeouts: if before.timed_out { before.timeouts.saturating_add(1) } else { 0 },
        ..Iteration::default()
    }
}

/// The failure of a phase by an error that is a phase's own.
fn failure_of(phase: Phase, error: NodeError) -> Result<Failure, NodeError> {
    let is_own = error.downcast_ref::<AgentError>().is_some()
        || error.downcast_ref::<ModelError>().is_some()
        || error.downcast_ref::<VaultError>().is_some()
        || error.downcast_ref::<crate::ObsiusError>().is_some();
    if is_own { Ok(Failure::of(phase, &error)) } else { Err(error) }
}

/// What becomes of a phase whose time ran out: the work was dropped, what it had finished is kept, and analysis follows
/// where the table lets it.
fn out_of_time(visit: &Visit, limit: u64) -> Report {
    let message =
        format!("`{}` ran out of the {limit} ms of its iteration; what it was doing was dropped", visit.phase);
    let kept = visit.partial.lock().unwrap_or_else(PoisonError::into_inner).take();
    if visit.phase == Phase::Simple {
        return Report::failed(Failure::new(visit.phase, FailureClass::Timeout, message));
    }
    let decision = match visit.phase {
        Phase::Search => Some(Decision::Gathered),
        Phase::Execute => Some(Decision::AdditionalAnalysis),
        Phase::Reflect => Some(Decision::ReanalysisNeeded),
        _ => None,
    };
    let seen = visit.entry(EntryKind::Observation, message.clone()).with_importance(1.0);
    let update = kept.unwrap_or_default();
    Report {
        decision,
        success: false,
        message: message.clone(),
        data: Value::Null,
        update: update.working_memory(vec![seen]).notes([message]),
    }
}

/// The update of a visit: the report's, and what every phase adds.
fn settle(
    visit: &Visit,
    report: Report,
    phases: crate::phase::PhaseHistory,
    iteration: Iteration,
    elapsed: u64,
) -> WorkflowStateUpdate {
    let (state, phase) = (&visit.state, visit.phase);
    let next: Vec<Phase> = match report.decision {
        Some(decision) => next_phase(phase, decision).into_iter().collect(),
        None => vec![phase],
    };
    let before = state.nodes.get(phase.name()).cloned().unwrap_or_default();
    let node = WorkflowNode {
        status: if report.success { NodeStatus::Completed } else { NodeStatus::Failed },
        visits: before.visits.saturating_add(1),
        execution_time: before.execution_time.saturating_add(elapsed),
        message: report.message.clone(),
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
    let metrics = Metrics { total_execution_time: elapsed, errors_encountered, ..Metrics::default() };
    let update = report
        .update
        .phases(phases)
        .iteration(iteration)
        .result(result)
        .nodes([(phase.name().to_owned(), node)])
        .execution_metrics(metrics)
        .spent(visit.resources().ledger.spent());
    let (update, moved) = fit(state, update, state.session.config.max_state_size);
    update.notes(moved)
}

/// The counts of an agent's calls.
pub(crate) fn tokens(exchanges: &[Exchange]) -> Metrics {
    Metrics { tokens_used: exchanges.iter().map(|exchange| exchange.usage().total()).sum(), ..Metrics::default() }
}
