//! The runs of a thread, as its journal tells of them, and how they are taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::retention::{Held, Pins, RetentionPlan};
use super::{CheckpointError, Checkpointer, Pruned, Retention, ThreadRow, ThreadStatus};
use crate::event::EventKind;

/// One run of a thread: an input, an answer or a going on, up to where it stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunRow {
    /// The sequence number of the journal event with which it began.
    pub id: u64,
    /// `input`, `resume` or `continue`.
    pub how: String,
    /// Milliseconds since 1970 of its beginning.
    pub started: u64,
    /// How it ended, with the reason; `None` for one whose process died or which is under way.
    pub ended: Option<(ThreadStatus, String)>,
    /// The checkpoints that it made and that are still there, by namespace and number.
    pub checkpoints: Vec<(Arc<str>, u64)>,
}

/// Rows read at a time.
const PAGE: usize = 1024;

/// The runs of a thread, oldest first.
///
/// # Errors
/// The store's.
pub async fn runs(store: &dyn Checkpointer, thread: &str) -> Result<Vec<RunRow>, CheckpointError> {
    let mut runs: Vec<RunRow> = Vec::new();
    // After a run was deleted its numbers are given again: a checkpoint is of the run that committed it last.
    let mut made_by: BTreeMap<(Arc<str>, u64), Option<usize>> = BTreeMap::new();
    let mut last = 0;
    loop {
        let rows = store.journal(thread, last, PAGE).await?;
        let Some(newest) = rows.last() else { break };
        last = newest.seq;
        for row in rows {
            // Rows that some other program wrote tell nothing.
            let Ok(event) = row.event.read() else { continue };
            match event.kind {
                EventKind::RunStarted { how, .. } if event.ns.is_empty() => {
                    let started = event.time;
                    runs.push(RunRow { id: row.seq, how, started, ended: None, checkpoints: Vec::new() });
                }
                EventKind::RunEnded { status, detail } if event.ns.is_empty() => {
                    if let Some(run) = runs.last_mut() {
                        run.ended = Some((status, detail));
                    }
                }
                EventKind::Committed { checkpoint, .. } => {
                    // After a run has ended, what is committed is a fork or an update from outside.
                    let under_way = runs.last().is_some_and(|run| run.ended.is_none());
                    made_by.insert((event.ns, checkpoint), under_way.then(|| runs.len() - 1));
                }
                _ => {}
            }
        }
    }
    for ((ns, number), run) in made_by {
        let Some(run) = run else { continue };
        if store.checkpoint(thread, &ns, Some(number)).await?.is_some() {
            runs[run].checkpoints.push((ns, number));
        }
    }
    Ok(runs)
}

/// Takes back runs of a thread that nobody writes: their checkpoints go with all that only they are read from. Where
/// the head goes, the nearest checkpoint before it that stays becomes the head, and the thread has the status again
/// that it had there. A checkpoint of a subgraph stays when one of a parent that stays records it. A thread of which nothing stays is deleted. Ids that are not there are no error. The journal
/// keeps telling what happened.
///
/// # Errors
/// The store's, as for [`Retention::prune`].
pub async fn delete_runs(store: &dyn Checkpointer, thread: &str, ids: &[u64]) -> Result<Pruned, CheckpointError> {
    if !store.capabilities().prune {
        return Err(CheckpointError::Unsupported { ability: "prune" });
    }
    if ids.is_empty() || store.thread(thread).await?.is_none() {
        return Ok(Pruned::default());
    }
    let held = Held { store, lease: store.acquire(thread).await? };
    let all = runs(store, thread).await?;
    let gone: BTreeSet<(Arc<str>, u64)> =
        all.iter().filter(|run| ids.contains(&run.id)).flat_map(|run| run.checkpoints.iter().cloned()).collect();
    if gone.is_empty() {
        return Ok(Pruned::default());
    }
    let mut plan = RetentionPlan::read(store, thread).await?;
    let mut moved = false;
    let mut pinned = Pins::new();
    for ns in plan.outside_in() {
        let pins = pinned.remove(&ns).unwrap_or_default();
        let Some(namespace) = plan.namespaces.get_mut(&ns) else { continue };
        let goes = |number: &u64| !pins.contains(number) && gone.contains(&(Arc::clone(&ns), *number));
        let mut head = Some(namespace.head);
        while let Some(number) = head.filter(goes) {
            head = namespace.kept.get(&number).and_then(|row| row.parent);
        }
        // A parent that retention removed leaves the newest one that stays.
        let head = head
            .filter(|number| namespace.kept.contains_key(number))
            .or_else(|| namespace.kept.keys().rev().copied().find(|number| !goes(number)));
        let numbers: Vec<u64> = namespace.kept.keys().copied().filter(goes).collect();
        for number in numbers {
            namespace.let_go(number);
        }
        match head {
            None => namespace.whole = true,
            Some(number) if number != namespace.head => {
                namespace.new_head = Some(number);
                moved |= ns.is_empty();
            }
            Some(_) => {}
        }
        plan.recorded_by(&ns, &mut pinned).await?;
    }
    if plan.namespaces.get("").is_some_and(|root| root.whole) {
        let pruned = plan.finish(&Retention::default()).await?.1;
        drop(held);
        store.delete_thread(thread).await?;
        return Ok(pruned);
    }
    let row = moved.then(|| {
        let head = plan.namespaces.get("").and_then(|root| root.new_head);
        let maker = all.iter().rfind(|run| run.checkpoints.iter().any(|(ns, n)| ns.is_empty() && Some(*n) == head));
        let (status, detail) = match maker {
            Some(run) => run.ended.clone().unwrap_or((ThreadStatus::Running, String::new())),
            None => (plan.thread.status, plan.thread.detail.clone()),
        };
        ThreadRow { status, detail, ..plan.thread.clone() }
    });
    // Calls of tasks that are gone must not be found by tasks that will have their ids.
    let (mut pruning, pruned) = plan.finish(&Retention::default()).await?;
    pruning.thread = row;
    store.prune(&held.lease, pruning).await?;
    Ok(pruned)
}
