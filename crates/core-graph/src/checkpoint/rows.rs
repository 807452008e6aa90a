//! The rows of a store, in the store's own terms: names, numbers and bytes.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{CheckpointId, CompactEvent, CompactStep, FieldVersions, RecordBytes, StoredEvent, ThreadStatus};

/// One transaction of a thread, in one namespace.
///
/// A step of one task may come [in compact form](Commit::step) to a store that [takes it so](super::Capabilities::compact_steps).
/// Such a store either reads [`Commit::records`] and [`Commit::events`], which are the same in both forms, or has rows made
/// by [`Commit::into_rows`].
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// The namespace: `""` for the root graph.
    pub ns: Arc<str>,
    /// The head that the namespace must have, when [`Commit::checkpoint`] moves it; `None` for a namespace without one.
    pub expected_head: Option<u64>,
    /// The new head of the namespace.
    pub checkpoint: Option<CheckpointRow>,
    /// Fields that changed.
    pub fields: Vec<FieldRecord>,
    /// Records of tasks: added, or replaced when task, kind and key are the same.
    pub tasks: Vec<TaskRecord>,
    /// Tasks of which only [`TaskRecordKind::Once`] records are needed any longer.
    pub settled: Vec<Arc<str>>,
    /// Journal rows, ascending.
    pub journal: Vec<JournalRow>,
    /// What the step of [`Commit::checkpoint`] changed, and its event, in compact form: they are not among
    /// [`Commit::fields`] and [`Commit::journal`] then.
    pub step: Option<CompactStep>,
    /// What becomes of the thread's row.
    pub thread: Option<ThreadRow>,
    /// Whether the lease ends with this commit: the stored owner is cleared.
    pub release: bool,
}

impl Commit {
    /// The records of fields, in whatever form, in the order in which they are to be written.
    pub fn records(&self) -> impl Iterator<Item = RecordRef<'_>> {
        let step = self.step.as_ref().zip(self.checkpoint.as_ref());
        let compact = step.into_iter().flat_map(|(step, row)| step.records(row.number));
        self.fields.iter().map(RecordRef::from).chain(compact)
    }

    /// The bytes of the events, in whatever form, with their sequence numbers, ascending.
    pub fn events(&self) -> impl Iterator<Item = (u64, Cow<'_, [u8]>)> {
        let step = self.step_event();
        let at = step.as_ref().map_or(0, |step| self.journal.partition_point(|row| row.seq < step.seq));
        let (before, after) = self.journal.split_at(at);
        let step = step.map(|step| (step.seq, Cow::Owned(step.bytes())));
        before.iter().map(JournalRow::columns).chain(step).chain(after.iter().map(JournalRow::columns))
    }

    /// The same commit without a step in compact form: its records and its event are rows, as others are.
    #[must_use]
    pub fn into_rows(mut self) -> Self {
        self.expand();
        self
    }

    pub(super) fn expand(&mut self) {
        if let Some(step) = &self.step {
            let number = self.checkpoint.as_ref().map(|row| row.number);
            self.fields.extend(number.into_iter().flat_map(|number| step.records(number)).map(FieldRecord::from));
        }
        if let Some(event) = self.step_event() {
            let at = self.journal.partition_point(|row| row.seq < event.seq);
            self.journal.insert(at, JournalRow { seq: event.seq, event: event.into() });
        }
        self.step = None;
    }

    /// The event of the step in compact form.
    fn step_event(&self) -> Option<CompactEvent> {
        self.step.as_ref()?.event(self.checkpoint.as_ref()?)
    }
}

/// The row of a thread. A store fills in the thread's id, the owner and the epoch, from the lease under which it is written,
/// and keeps all else as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadRow {
    /// The thread's id. Filled by the store.
    pub thread: Arc<str>,
    /// The graph's name.
    pub graph: String,
    /// The graph's version, as its author counts.
    pub graph_version: u32,
    /// What the thread is doing.
    pub status: ThreadStatus,
    /// More about the status: an error, the questions, the reason of a drain.
    pub detail: String,
    /// Milliseconds since 1970 of the first commit.
    pub created: u64,
    /// Milliseconds since 1970 of the last change of this row.
    pub updated: u64,
    /// The epoch of the last claim. Filled by the store.
    pub epoch: u64,
    /// The owner that holds the thread, empty when nobody does. Filled by the store.
    pub owner: String,
}

/// One checkpoint of a namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointRow {
    /// Counts the checkpoints of the namespace, from 1.
    pub number: u64,
    /// The checkpoint before, `None` for the first.
    pub parent: Option<u64>,
    /// Deterministic: a hash over thread, namespace, parent and what was written.
    pub id: CheckpointId,
    /// Super-steps committed since the thread began.
    pub step: u64,
    /// What made it.
    pub source: Source,
    /// Milliseconds since 1970.
    pub time: u64,
    /// Tasks executed by the run so far, children included.
    pub executed: u64,
    /// The version of every stored field: the checkpoint that last changed it. Unchanged fields keep theirs.
    pub fields: FieldVersions,
    /// The state version, as its author counts.
    pub state_version: u32,
}

/// What made a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// The input of a run.
    Input,
    /// A super-step.
    Step,
    /// `update_state`, or an update that came with answers.
    Update,
    /// `fork` or `replay` of an older checkpoint, also of one inside of a subgraph.
    Fork,
}

/// A change of one field, made by the checkpoint whose number is `version`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRecord {
    /// The field's name.
    pub field: Arc<str>,
    /// The number of the checkpoint that made the change.
    pub version: u64,
    /// The version that a delta builds on; `None` for a whole value.
    pub previous: Option<u64>,
    /// Whether `payload` is a whole value or updates.
    pub kind: RecordKind,
    /// The bytes.
    pub payload: FieldPayload,
}

/// A [`FieldRecord`] of a [`Commit`] in whatever form, as columns that a store writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordRef<'c> {
    /// The field's name.
    pub field: &'c Arc<str>,
    /// The number of the checkpoint that made the change.
    pub version: u64,
    /// The version that a delta builds on; `None` for a whole value.
    pub previous: Option<u64>,
    /// Whether `bytes` are a whole value or updates.
    pub kind: RecordKind,
    /// The bytes.
    pub bytes: &'c [u8],
    /// The same bytes with their hash, when they are a large value, which is stored once.
    pub blob: Option<&'c Blob>,
}

impl RecordRef<'_> {
    /// The record, with its bytes in this form.
    pub(super) fn with(self, payload: FieldPayload) -> FieldRecord {
        let Self { field, version, previous, kind, .. } = self;
        FieldRecord { field: Arc::clone(field), version, previous, kind, payload }
    }
}

impl<'c> From<&'c FieldRecord> for RecordRef<'c> {
    fn from(record: &'c FieldRecord) -> Self {
        let FieldRecord { field, version, previous, kind, payload } = record;
        let blob = if let FieldPayload::Blob(blob) = payload { Some(blob) } else { None };
        Self { field, version: *version, previous: *previous, kind: *kind, bytes: payload.bytes(), blob }
    }
}

impl From<RecordRef<'_>> for FieldRecord {
    fn from(record: RecordRef<'_>) -> Self {
        let blob = record.blob.map(|blob| FieldPayload::Blob(blob.clone()));
        record.with(blob.unwrap_or_else(|| FieldPayload::Inline(record.bytes.into())))
    }
}

/// Whether a record stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordKind {
    /// A whole value.
    Whole,
    /// Updates to fold into the version before.
    Delta,
}

impl RecordKind {
    /// The kind of a record that builds on a version, or on none.
    pub(super) fn after(previous: Option<u64>) -> Self {
        if previous.is_some() { Self::Delta } else { Self::Whole }
    }
}

/// Bytes of a record: small ones inline, large ones by the hash of their content, stored once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldPayload {
    /// The bytes.
    Inline(RecordBytes),
    /// A large value.
    Blob(Blob),
}

/// A large value under the hash of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// BLAKE3 of the bytes, in hexadecimal.
    pub hash: Arc<str>,
    /// The bytes.
    pub bytes: Arc<[u8]>,
}

/// What belongs to a task rather than to the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRecord {
    /// The task's id.
    pub task: Arc<str>,
    /// What kind of record.
    pub kind: TaskRecordKind,
    /// The key of a durable step or question; empty for the others.
    pub key: Arc<str>,
    /// The bytes.
    pub payload: Arc<[u8]>,
}

/// Kinds of task records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskRecordKind {
    /// The result of a durable step (`once`).
    Once,
    /// The answer to a question.
    Answer,
    /// What a finished task of an unfinished super-step wrote.
    Write,
    /// How many attempts have failed.
    Attempt,
    /// Which checkpoint of an earlier call the task's subgraph goes on from: a replay went back to that.
    Replay,
}

/// One stored event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRow {
    /// Counts the thread's journal events, from 1, over all namespaces.
    pub seq: u64,
    /// The event.
    pub event: StoredEvent,
}

impl CheckpointRow {
    /// A row whose columns are not set yet.
    pub(crate) fn unset() -> Self {
        Self {
            number: 0,
            parent: None,
            id: CheckpointId::from(0),
            step: 0,
            source: Source::Step,
            time: 0,
            executed: 0,
            fields: FieldVersions::default(),
            state_version: 0,
        }
    }
}

impl JournalRow {
    fn columns(&self) -> (u64, Cow<'_, [u8]>) {
        (self.seq, self.event.bytes())
    }
}

/// Values of at least this many bytes are stored by content.
const BLOB_BYTES: usize = 64 * 1024;

impl FieldPayload {
    /// Bytes inline or by content, according to their size.
    pub fn new(bytes: impl AsRef<[u8]> + Into<RecordBytes> + Into<Arc<[u8]>>) -> Self {
        if bytes.as_ref().len() < BLOB_BYTES {
            return Self::Inline(bytes.into());
        }
        let hash = blake3::hash(bytes.as_ref()).to_hex().as_str().into();
        Self::Blob(Blob { hash, bytes: bytes.into() })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Inline(bytes) => bytes,
            Self::Blob(blob) => &blob.bytes,
        }
    }
}
