//! What is read of a namespace to go on with it.

use super::{
    CheckpointError, CheckpointId, CheckpointRow, Checkpointer, FieldRecord, FieldVersions, HistoryFilter, TaskRecord,
};

/// A namespace at a checkpoint: all that a store has of it that a run goes on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The number of the head.
    pub head: u64,
    /// The greatest number of a checkpoint: after a fork the head may be an older one.
    pub newest: u64,
    /// The checkpoint.
    pub row: CheckpointRow,
    /// For each of the row's fields, in its order, the records that make its value, as
    /// [`Checkpointer::field`] answers them, or as [`Checkpointer::field_after`] does where the reader has a value.
    pub fields: Vec<Vec<FieldRecord>>,
    /// The records of tasks as [`Checkpointer::open_records`] answers them.
    pub tasks: Vec<TaskRecord>,
}

/// A checkpoint of which a reader has the values. A number may be that of another checkpoint once a thread
/// was deleted, its id is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The checkpoint's number.
    pub number: u64,
    /// The checkpoint's id.
    pub id: CheckpointId,
    /// The versions of the checkpoint's fields. The reader has the values of all but the runtime's own.
    pub fields: FieldVersions,
}

impl Known {
    /// Whether a checkpoint is this one. The id says what was written at which place, the fields say of what.
    pub fn is(&self, row: &CheckpointRow) -> bool {
        self.number == row.number && self.id == row.id && self.fields == row.fields
    }

    /// The version of a field whose value the reader has.
    pub fn version_of(&self, field: &str) -> Option<u64> {
        self.fields.of(field).filter(|_| !field.starts_with('#'))
    }
}

/// [`Checkpointer::load`] by the other methods of the store.
pub(super) async fn load_in_parts<C: Checkpointer + ?Sized>(
    store: &C,
    thread: &str,
    ns: &str,
    number: Option<u64>,
    known: Option<&Known>,
) -> Result<Option<Loaded>, CheckpointError> {
    let Some(head) = store.checkpoint(thread, ns, None).await? else { return Ok(None) };
    let newest = newest_number(store, thread, ns, head.number).await?;
    let (row, head) = match number {
        Some(number) if number != head.number => {
            let row = store.checkpoint(thread, ns, Some(number)).await?;
            let missing =
                || CheckpointError::UnknownCheckpoint { thread: thread.to_owned(), ns: ns.to_owned(), number };
            (row.ok_or_else(missing)?, head.number)
        }
        _ => {
            let number = head.number;
            (head, number)
        }
    };
    let mut known = known;
    if let Some(wanted) = known
        && !wanted.is(&row)
    {
        // One that cannot be read is not known: the head does not need it.
        let stored = store.checkpoint(thread, ns, Some(wanted.number)).await;
        known = known.filter(|known| matches!(&stored, Ok(Some(row)) if known.is(row)));
    }
    let fields = fields_after(store, thread, ns, &row.fields, known).await?;
    let tasks = store.open_records(thread, ns).await?;
    Ok(Some(Loaded { head, newest, row, fields, tasks }))
}

/// The greatest number of a checkpoint of a namespace that has this head.
pub(crate) async fn newest_number<C: Checkpointer + ?Sized>(
    store: &C,
    thread: &str,
    ns: &str,
    head: u64,
) -> Result<u64, CheckpointError> {
    let filter = HistoryFilter { limit: Some(1), ..HistoryFilter::default() };
    let newest = store.checkpoints(thread, ns, &filter).await?;
    Ok(newest.first().map_or(head, |row| row.number.max(head)))
}

/// For each field, the records that make its value from the known one, if there is one.
pub(crate) async fn fields_after<C: Checkpointer + ?Sized>(
    store: &C,
    thread: &str,
    ns: &str,
    fields: &FieldVersions,
    known: Option<&Known>,
) -> Result<Vec<Vec<FieldRecord>>, CheckpointError> {
    let mut records = Vec::with_capacity(fields.len());
    for (field, version) in fields.iter() {
        records.push(match known.and_then(|known| known.version_of(field)) {
            Some(known) if known == version => Vec::new(),
            Some(known) => store.field_after(thread, ns, field, version, known).await?,
            None => store.field(thread, ns, field, version).await?,
        });
    }
    Ok(records)
}
