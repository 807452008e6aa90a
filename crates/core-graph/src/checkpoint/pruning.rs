//! What a store removes from a thread, in its own terms.

use std::sync::Arc;

use super::{FieldRecord, RecordKind, ThreadRow};

/// Parts of a thread that go together, in one transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruning {
    /// What goes from each namespace.
    pub cuts: Vec<Cut>,
    /// Journal rows with a smaller sequence number go, except the newest row: sequence numbers are never used twice.
    pub journal_before: u64,
    /// What becomes of the thread's row.
    pub thread: Option<ThreadRow>,
}

/// What goes from one namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// The namespace.
    pub ns: Arc<str>,
    /// Numbers of checkpoints.
    pub checkpoints: Vec<u64>,
    /// Field records, by field and version.
    pub records: Vec<(Arc<str>, u64)>,
    /// Tasks whose records go, of all kinds.
    pub tasks: Vec<Arc<str>>,
    /// The new head, when it moves.
    pub head: Option<u64>,
    /// The namespace goes as a whole, with all it has; the other lists do not matter then.
    pub whole: bool,
}

/// A field record without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldOutline {
    /// The field's name.
    pub field: Arc<str>,
    /// The number of the checkpoint that made the change.
    pub version: u64,
    /// The version that a delta builds on; `None` for a whole value.
    pub previous: Option<u64>,
    /// Whether the record is a whole value or updates.
    pub kind: RecordKind,
    /// The size in bytes.
    pub bytes: u64,
}

impl FieldOutline {
    /// The outline of a record.
    pub fn of(record: &FieldRecord) -> Self {
        Self {
            field: Arc::clone(&record.field),
            version: record.version,
            previous: record.previous,
            kind: record.kind,
            bytes: record.payload.bytes().len() as u64,
        }
    }
}
