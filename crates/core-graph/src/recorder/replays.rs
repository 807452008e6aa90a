//! Calls of subgraphs that go on from a checkpoint of an earlier call, and what a fork takes over.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::checkpoint::{TaskRecord, TaskRecordKind};
use crate::error::RunError;
use crate::lock::lock;
use crate::machine::Renamed;
use crate::record::ReplayPoint;
use crate::state::StateError;

/// The calls of a run that go on from a checkpoint of an earlier call, shared by its namespaces.
#[derive(Debug, Default)]
pub(crate) struct Replays {
    points: Mutex<BTreeMap<Arc<str>, Arc<ReplayPoint>>>,
    used: AtomicBool,
}

impl Replays {
    /// Notes where the call of this task begins.
    pub(crate) fn note(&self, record: &TaskRecord) -> Result<(), StateError> {
        let point = Arc::new(ReplayPoint::decode(&record.payload)?);
        lock(&self.points).insert(Arc::clone(&record.task), point);
        self.used.store(true, Ordering::Release);
        Ok(())
    }

    /// Where the call of this task begins, if a replay made it.
    pub(crate) fn of(&self, call: &str) -> Option<Arc<ReplayPoint>> {
        self.is_used().then(|| lock(&self.points).get(call).map(Arc::clone))?
    }

    /// Whether a replay made any call.
    pub(crate) fn is_used(&self) -> bool {
        self.used.load(Ordering::Acquire)
    }
}

/// A task's id without what leads to the task.
fn last_part(task: &str) -> &str {
    task.rsplit_once('/').map_or(task, |(_, last)| last)
}

/// The results of durable steps among `records`, under the ids of the tasks that take them over. Those may be of another
/// namespace, which calls its tasks alike.
pub(crate) fn taken_over(records: &[TaskRecord], renamed: &Renamed) -> Vec<TaskRecord> {
    let onces = records.iter().filter(|record| record.kind == TaskRecordKind::Once);
    onces.filter_map(|record| Some(TaskRecord { task: new_id(&record.task, renamed)?, ..record.clone() })).collect()
}

/// The record that lets the call that `task` has become go on from a checkpoint.
///
/// # Errors
/// Faults: the task is not there, or the record cannot be encoded.
pub(crate) fn replayed((task, point): (&str, &ReplayPoint), renamed: &Renamed) -> Result<TaskRecord, RunError> {
    let Some(task) = new_id(task, renamed) else {
        return Err(RunError::Internal(format!("there is no task `{task}` where it was called")));
    };
    Ok(TaskRecord { task, kind: TaskRecordKind::Replay, key: "".into(), payload: point.encode()? })
}

fn new_id(task: &str, renamed: &Renamed) -> Option<Arc<str>> {
    let (_, new) = renamed.iter().find(|(old, _)| last_part(old) == last_part(task))?;
    Some(Arc::clone(new))
}
