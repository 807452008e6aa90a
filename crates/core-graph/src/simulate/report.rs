//! What came of a simulation, and whether every promise was kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::THREAD;
use super::schedule::{OnceRuns, Schedule, Started};
use super::store::FaultPlan;
use crate::checkpoint::{Checkpointer, HistoryFilter, MemoryCheckpointer, Source, ThreadStatus};
use crate::error::RunError;
use crate::event::EventKind;
use crate::state::State;
use crate::thread::Thread;

/// What came of a simulation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report<S> {
    /// The thread's status at the end.
    pub status: ThreadStatus,
    /// More about the status.
    pub detail: String,
    /// The state at the end.
    pub state: Arc<S>,
    /// How often the process died.
    pub crashes: u64,
    /// How many calls of the store failed, or said so, because of [`Faults`](super::Faults).
    pub refusals: u64,
    /// At how many points it could have died: before and after each commit.
    pub points: u64,
    /// Every attempt of every task, in the order in which they began.
    pub started: Vec<Started>,
    /// The tasks of every commit of the root graph, in order.
    pub steps: Vec<Vec<String>>,
    /// What became of durable steps, by task and key.
    pub onces: BTreeMap<(String, String), OnceRuns>,
    /// Broken promises: a commit that was acknowledged and is gone, or that was acknowledged or told before it was written,
    /// a task committed twice, a durable step repeated after its result was stored, a branch that nobody asked for, a run that neither ends nor can be gone on with.
    /// Empty unless there is a fault in this crate or in the store.
    pub violations: Vec<String>,
}

/// Reads a thread at the end of its simulation.
pub(super) async fn report<S: State, Cx: Send + Sync + 'static>(
    thread: &Thread<S, Cx>,
    store: &MemoryCheckpointer,
    schedule: &Schedule,
    plan: &FaultPlan,
    crashes: u64,
) -> Result<Report<S>, RunError> {
    let state = thread.state().await?;
    let mut violations = schedule.violations();
    for (ns, row) in plan.acknowledged() {
        let kept = store.checkpoint(THREAD, &ns, Some(row.number)).await?;
        if kept.is_none_or(|kept| kept.id != row.id) {
            violations.push(format!("commit {} of namespace `{ns}` was acknowledged and is gone", row.number));
        }
    }
    branches(store, &mut violations).await?;
    if matches!(state.status, ThreadStatus::New | ThreadStatus::Running) {
        violations.push(format!("the run neither ended nor went on: its thread is {:?}", state.status));
    }
    let (mut steps, mut committed) = (Vec::new(), BTreeSet::new());
    for event in thread.journal(0, usize::MAX).await? {
        let EventKind::Committed { tasks, .. } = event.kind else { continue };
        for task in &tasks {
            if !committed.insert(Arc::clone(task)) {
                violations.push(format!("task `{task}` was committed twice"));
            }
        }
        if event.ns.is_empty() && !tasks.is_empty() {
            steps.push(tasks.iter().map(ToString::to_string).collect());
        }
    }
    Ok(Report {
        status: state.status,
        detail: state.detail,
        state: state.state,
        crashes,
        refusals: plan.injected(),
        points: plan.points(),
        started: schedule.started(),
        steps,
        onces: schedule.onces(),
        violations,
    })
}

/// A simulation never travels in time: every namespace is one chain from its first checkpoint to its head. A subgraph that is
/// kept per thread goes on from where its parent's last commit says, and what a lost call of it did is a branch.
async fn branches(store: &MemoryCheckpointer, violations: &mut Vec<String>) -> Result<(), RunError> {
    let of_call = |ns: &String| ns.is_empty() || ns.contains(':');
    for ns in store.namespaces(THREAD).await?.into_iter().filter(of_call) {
        let rows = store.checkpoints(THREAD, &ns, &HistoryFilter::default()).await?;
        let head = store.checkpoint(THREAD, &ns, None).await?.map(|head| head.number);
        let mut expected = head;
        for row in &rows {
            if Some(row.number) != expected {
                if is_kept(&ns) {
                    continue;
                }
                violations.push(format!("checkpoint {} of namespace `{ns}` is on a branch of its own", row.number));
            }
            if matches!(row.source, Source::Fork | Source::Update) {
                violations.push(format!("nobody asked for checkpoint {} of namespace `{ns}`", row.number));
            }
            expected = row.parent;
        }
        if let Some(missing) = expected {
            violations.push(format!("checkpoint {missing} of namespace `{ns}` is a parent and is gone"));
        }
    }
    Ok(())
}

/// Whether the namespace is a subgraph's that is kept per thread: it has the names of nodes, not the ids of calls.
fn is_kept(ns: &str) -> bool {
    !ns.is_empty() && !ns.contains(':')
}
