//! What a run committed and its process could not tell any more.
//!
//! The runtime commits a checkpoint before it tells of it, and a log stores an entry a moment later. A process that dies in
//! between leaves checkpoints of which the log knows nothing. They are told from the store, so that a client that comes back
//! misses no state. What nodes told besides, in that moment, was told to nobody.

use std::sync::Arc;

use graphloom_core_graph::EventKind;
use graphloom_core_graph::checkpoint::{CheckpointRow, Checkpointer, HistoryFilter};
use serde_json::Value;

use crate::graph::{Fields, Graph};
use crate::log::{CommitOf, LogEvent, ThreadLog};
use crate::records::RunRecord;
use crate::refusal::Refusal;
use crate::runs::follow::node_of;

/// Tells the commits of a run that are not in the log.
///
/// # Errors
/// The stores'.
pub(super) async fn tell_missing(
    graph: &dyn Graph,
    checkpoints: &dyn Checkpointer,
    record: &RunRecord,
    log: &Arc<ThreadLog>,
) -> Result<(), Refusal> {
    let failed = |error: &dyn std::fmt::Display| Refusal::Failed(error.to_string());
    let thread = record.thread_id.to_string();
    let told = told(record, log).await?;
    let rows = checkpoints.checkpoints(&thread, "", &HistoryFilter::default()).await.map_err(|error| failed(&error))?;
    let mut missing: Vec<_> = rows.into_iter().take_while(|row| Some(row.number) > told).collect();
    missing.reverse();
    for row in missing {
        let view = graph.view(&thread, Some(row.number)).await.map_err(|error| failed(&error))?;
        let before = match row.parent {
            Some(parent) => graph.view(&thread, Some(parent)).await.map_err(|error| failed(&error))?.values,
            None => Fields::new(),
        };
        let changed: Vec<Arc<str>> = view
            .values
            .keys()
            .filter(|field| row.fields.of(field) == Some(row.number))
            .map(|field| Arc::from(field.as_str()))
            .collect();
        for task in tasks_of(checkpoints, &thread, &row).await? {
            let written = changed.iter().filter_map(|field| {
                let now = view.values.get(&**field)?;
                Some((field.to_string(), difference(before.get(&**field), now)))
            });
            let (node, values) = (node_of(&task).to_owned(), Value::Object(written.collect()));
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

/// The newest checkpoint that the log tells of, or that was there before the run.
async fn told(record: &RunRecord, log: &Arc<ThreadLog>) -> Result<Option<u64>, Refusal> {
    let mut tail = log.after(record.before);
    let mut told = record.base;
    while let Some(entry) = tail.ready().await.map_err(|error| Refusal::Failed(error.to_string()))? {
        if let (LogEvent::Commit(commit), true) = (&entry.event, entry.ns.is_empty()) {
            told = told.max(Some(commit.number));
        }
    }
    Ok(told)
}

/// The only task that a checkpoint commits. Of several it is not known who wrote what.
async fn tasks_of(
    checkpoints: &dyn Checkpointer,
    thread: &str,
    row: &CheckpointRow,
) -> Result<Option<Arc<str>>, Refusal> {
    let failed = |error: &dyn std::fmt::Display| Refusal::Failed(error.to_string());
    let last = checkpoints.last_seq(thread).await.map_err(|error| failed(&error))?;
    // What a process left untold is among the newest events.
    let rows = checkpoints.journal(thread, last.saturating_sub(1000), 1000).await.map_err(|error| failed(&error))?;
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
