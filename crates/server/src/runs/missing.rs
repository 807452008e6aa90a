//! What a run committed and its process could not tell any more.
//!
//! The runtime commits a checkpoint before it tells of it, and a log stores an entry a moment later. A process that dies in
//! between leaves checkpoints of which the log knows nothing. They are told from the store, so that a client that comes back
//! misses no state, and sees nothing twice that the log has already. What nodes told besides, in that moment, was told to nobody.

use std::collections::BTreeSet;
use std::sync::Arc;

use graphloom_core_graph::EventKind;
use graphloom_core_graph::checkpoint::{CheckpointRow, Checkpointer, HistoryFilter};
use serde_json::Value;

use crate::graph::{Fields, Graph};
use crate::log::{CommitOf, LogEvent, ThreadLog};
use crate::records::{RunFailure, RunRecord};
use crate::runs::follow::node_of;
use crate::runs::order::Order;
use crate::runs::recover::NotTakenUp;
use crate::usage::RunUsage;

/// What a process left untold is among so many of the newest events of the journal.
const NEWEST: u64 = 1000;
const PAGE: usize = 1000;

/// What the log has of a run.
#[derive(Default)]
pub(super) struct LoggedRun {
    is_started: bool,
    /// The newest checkpoint that it tells of, or that was there before the run.
    commit: Option<u64>,
    /// The tasks whose updates it tells of, with no commit after them.
    updated: BTreeSet<Arc<str>>,
    /// The calls of models that it tells of.
    pub(super) usage: RunUsage,
    /// The run's end.
    pub(super) end: Option<LoggedEnd>,
}

/// How a run ended, as the log has it.
pub(super) struct LoggedEnd {
    pub(super) status: String,
    pub(super) failure: Option<RunFailure>,
}

/// Tells the commits of a run that are not in the log, up to that of a number where one is given.
///
/// # Errors
/// The stores'.
pub(super) async fn tell_missing(
    graph: &dyn Graph,
    checkpoints: &dyn Checkpointer,
    record: &RunRecord,
    told: &mut LoggedRun,
    log: &Arc<ThreadLog>,
    last: Option<u64>,
) -> Result<(), NotTakenUp> {
    let thread = record.thread_id.to_string();
    let rows = checkpoints.checkpoints(&thread, "", &HistoryFilter::default()).await?;
    let mut missing: Vec<_> = rows.into_iter().take_while(|row| Some(row.number) > told.commit).collect();
    missing.retain(|row| last.is_none_or(|last| row.number <= last));
    missing.reverse();
    if !missing.is_empty() {
        tell_start(record, told, log);
    }
    for (at, row) in missing.into_iter().enumerate() {
        let view = graph.view(&thread, Some(row.number)).await?;
        let before = match row.parent {
            Some(parent) => graph.view(&thread, Some(parent)).await?.values,
            None => Fields::new(),
        };
        let changed: Vec<Arc<str>> = view
            .values
            .keys()
            .filter(|field| row.fields.of(field) == Some(row.number))
            .map(|field| Arc::from(field.as_str()))
            .collect();
        let task = task_of(checkpoints, &thread, &row).await?;
        // What waited for its commit is that of the first one.
        if let Some(task) = task.filter(|task| at > 0 || !told.updated.contains(task)) {
            let written = changed.iter().filter_map(|field| {
                let now = view.values.get(&**field)?;
                Some((field.to_string(), difference(before.get(&**field), now)))
            });
            let written: Fields = written.collect();
            let values = if written.is_empty() { Value::Null } else { Value::Object(written) };
            let node = node_of(&task).to_owned();
            log.append(record.run_id, "".into(), row.step, LogEvent::Update { task, node, values });
        }
        let commit = CommitOf {
            number: row.number,
            parent: row.parent,
            source: row.source,
            changed,
            next: view.tasks.iter().map(|task| Arc::from(task.node.as_str())).collect(),
            values: view.values,
        };
        log.append(record.run_id, "".into(), row.step, LogEvent::Commit(commit));
    }
    Ok(())
}

/// Tells that a run began, where the log does not: what its client asked of its streams is told by that.
pub(super) fn tell_start(record: &RunRecord, told: &mut LoggedRun, log: &Arc<ThreadLog>) {
    if std::mem::replace(&mut told.is_started, true) {
        return;
    }
    // An order that cannot be read fails its run when that begins.
    let asked = serde_json::from_value::<Order>(record.kwargs.clone()).map(|order| order.rest).unwrap_or_default();
    let started = LogEvent::RunStarted {
        graph: record.graph.clone(),
        assistant: record.assistant_id,
        attempt: 1,
        base: record.base,
        values: None,
        asked: if record.temporary_thread { asked } else { Fields::new() },
    };
    log.append(record.run_id, "".into(), 0, started);
}

/// What the log has of a run.
///
/// # Errors
/// The store's.
pub(super) async fn told(record: &RunRecord, log: &Arc<ThreadLog>) -> Result<LoggedRun, NotTakenUp> {
    let mut tail = log.after(record.before);
    let mut told = LoggedRun { commit: record.base, ..LoggedRun::default() };
    while let Some(entry) = tail.ready().await? {
        if entry.run != record.run_id {
            continue;
        }
        match &entry.event {
            LogEvent::RunStarted { .. } => told.is_started = true,
            LogEvent::Commit(commit) if entry.ns.is_empty() => {
                told.commit = told.commit.max(Some(commit.number));
                told.updated.clear();
            }
            LogEvent::Update { task, .. } if entry.ns.is_empty() => {
                told.updated.insert(Arc::clone(task));
            }
            // An attempt at the task that was told of died before it was committed.
            LogEvent::TaskStarted { task, .. } => {
                told.updated.remove(task);
            }
            LogEvent::ModelCall { call, .. } => told.usage.add(call),
            LogEvent::RunEnded { status, failure, .. } => {
                told.end = Some(LoggedEnd { status: status.clone(), failure: failure.clone() });
            }
            _ => {}
        }
    }
    Ok(told)
}

/// Why the newest task failed that failed for good in the newest run of the runtime; none where none did.
pub(super) async fn task_failure(checkpoints: &dyn Checkpointer, thread: &str) -> Result<Option<String>, NotTakenUp> {
    let last = checkpoints.last_seq(thread).await?;
    let rows = checkpoints.journal(thread, last.saturating_sub(NEWEST), PAGE).await?;
    for event in rows.iter().rev().filter_map(|stored| stored.event.read().ok()) {
        match event.kind {
            EventKind::TaskFailed { error, .. } => return Ok(Some(error)),
            EventKind::RunStarted { .. } if event.ns.is_empty() => break,
            _ => {}
        }
    }
    Ok(None)
}

/// The only task that a checkpoint commits. Of several it is not known who wrote what.
async fn task_of(
    checkpoints: &dyn Checkpointer,
    thread: &str,
    row: &CheckpointRow,
) -> Result<Option<Arc<str>>, NotTakenUp> {
    let last = checkpoints.last_seq(thread).await?;
    let rows = checkpoints.journal(thread, last.saturating_sub(NEWEST), PAGE).await?;
    for stored in rows.iter().rev() {
        let Ok(event) = stored.event.read() else { continue };
        if let EventKind::Committed { checkpoint, tasks, .. } = event.kind
            && event.ns.is_empty()
            && checkpoint == row.number
        {
            let [task] = tasks.as_slice() else { return Ok(None) };
            return Ok(Some(Arc::clone(task)));
        }
    }
    Ok(None)
}

/// What was added to a list, or else the new value.
pub(crate) fn difference(before: Option<&Value>, now: &Value) -> Value {
    match (before, now) {
        (Some(Value::Array(before)), Value::Array(now)) if now.starts_with(before) => {
            Value::Array(now[before.len()..].to_vec())
        }
        _ => now.clone(),
    }
}
