//! What was under way when a run stopped: the calls of subgraphs, what they had executed, and where they stand.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::checkpoint::{CheckpointError, CheckpointRow, Checkpointer, TaskRecordKind, corrupt, load_frontier};
use crate::error::RunError;
use crate::limits::Budget;
use crate::machine::{MachineCore, WriteRow};
use crate::record::FrontierDelta;
use crate::recorder::Recorder;
use crate::recorder::thread_scoped::ThreadScopedCalls;
use crate::state::codec;
use crate::tasks::ChildHeads;

impl Recorder {
    /// Takes up what was under way when the run before stopped. A root does so for all that is inside, before anything
    /// is dispatched: no subgraph takes the room in the budget, or the state, that another has.
    pub(crate) fn recover_open_calls<'r>(
        &'r self,
        machine: &'r mut MachineCore,
    ) -> BoxFuture<'r, Result<(), RunError>> {
        Box::pin(self.recover(machine))
    }

    async fn recover(&self, machine: &mut MachineCore) -> Result<(), RunError> {
        let budget = &self.session.budget;
        let is_limited = self.session.policy.budget.is_some();
        if is_limited {
            budget.count_earlier(machine.base(), machine.executed, machine.counted_paths());
        }
        let keeps = machine.outline.keeps_children;
        if let (true, Some(attached)) = (self.is_root && (is_limited || keeps), &self.session.attached) {
            for (ns, number) in machine.finished_heads() {
                self.session.calls.note(&self.ns, &ns, number);
            }
            for open in open_calls(&*attached.store, &self.session.thread, machine.paths(), keeps).await? {
                open.count(budget);
                open.note(&self.session.calls);
            }
        }
        if is_limited {
            machine.mark_counted(|task| budget.has(task));
        }
        Ok(())
    }
}

/// A call of a subgraph that was under way when a run stopped.
pub(crate) struct OpenCall {
    ns: Arc<str>,
    /// The id of the task.
    call: Arc<str>,
    executed: u64,
    /// Its unfinished tasks that have been dispatched, or are part of a step under way.
    begun: Vec<Arc<str>>,
    /// Where children that are kept per thread stand for what is inside of the call.
    heads: ChildHeads,
    /// Whether the task, or one around it, has finished and waits for its commit: then it has no subgraph any more.
    finished: bool,
}

impl OpenCall {
    /// Whether the call has the namespace.
    pub(crate) fn serves(&self, ns: &str) -> bool {
        *self.ns == *ns
    }

    /// Counts what the call had executed, or had under way.
    pub(crate) fn count(&self, budget: &Budget) {
        budget.count_open(&self.call);
        budget.count_earlier(&self.call, self.executed, self.begun.clone());
    }

    /// Notes which subgraphs that are kept per thread the call has, and where they stand.
    pub(crate) fn note(&self, calls: &ThreadScopedCalls) {
        if self.finished {
            return;
        }
        if self.ns != self.call {
            calls.note_open(&self.call, &self.ns);
        }
        for (ns, number) in &self.heads {
            calls.note(&self.call, ns, *number);
        }
    }
}

/// The calls of subgraphs that were under way when a run stopped, outer ones before those inside of them. `tasks` are
/// those of the root that are not committed, with whether they have finished; `keeps` tells that some subgraph is kept
/// per thread.
pub(crate) async fn open_calls(
    store: &dyn Checkpointer,
    thread: &str,
    mut tasks: Vec<(Arc<str>, bool)>,
    keeps: bool,
) -> Result<Vec<OpenCall>, CheckpointError> {
    let mut calls = Vec::new();
    while let Some((call, finished)) = tasks.pop() {
        let Some((ns, row, frontier)) = serving(store, thread, &call, keeps).await? else { continue };
        let records = store.open_records(thread, &ns).await?;
        let inside: Vec<_> = frontier.tasks.iter().map(|task| (task.id.path(&call, &task.node), task.seen)).collect();
        let wrote =
            |task: &Arc<str>| records.iter().any(|record| record.kind == TaskRecordKind::Write && record.task == *task);
        let in_step = inside.iter().any(|(task, _)| wrote(task));
        let begun = inside.iter().filter(|(_, seen)| in_step || seen.is_some()).map(|(task, _)| Arc::clone(task));
        let mut heads: ChildHeads = frontier.children().map(|(ns, number)| (Arc::clone(ns), number)).collect();
        let begun = begun.collect();
        let mut done = BTreeSet::new();
        for record in records.iter().filter(|record| keeps && record.kind == TaskRecordKind::Write) {
            let write = codec::decode("write", &record.payload)
                .map_err(|error| corrupt(thread, &ns, "write", row.number, &error))?;
            if let (true, WriteRow::Finished { heads: left, .. }) =
                (inside.iter().any(|(task, _)| *task == record.task), write)
            {
                heads.extend(left);
                done.insert(Arc::clone(&record.task));
            }
        }
        tasks.extend(inside.into_iter().map(|(task, _)| {
            let finished = finished || done.contains(&task);
            (task, finished)
        }));
        calls.push(OpenCall { begun, ns, call, executed: row.executed, heads, finished });
    }
    Ok(calls)
}

/// The namespace that runs for a task, with its head: its own, or that of the subgraph for all of the thread.
async fn serving(
    store: &dyn Checkpointer,
    thread: &str,
    call: &Arc<str>,
    keeps: bool,
) -> Result<Option<(Arc<str>, CheckpointRow, FrontierDelta)>, CheckpointError> {
    let kept = keeps.then(|| kept_namespace(call));
    for ns in std::iter::once(Arc::clone(call)).chain(kept) {
        let Some(row) = store.checkpoint(thread, &ns, None).await? else { continue };
        let (frontier, _) = load_frontier(store, thread, &ns, &row).await?;
        if frontier.base(&ns) == call {
            return Ok(Some((ns, row, frontier)));
        }
    }
    Ok(None)
}

/// The namespace of a subgraph that is kept per thread: the names of the nodes that lead to the task.
pub(crate) fn kept_namespace(task: &str) -> Arc<str> {
    let names: Vec<_> = task.split('/').map(|part| part.split(':').next().unwrap_or(part)).collect();
    names.join("/").into()
}
