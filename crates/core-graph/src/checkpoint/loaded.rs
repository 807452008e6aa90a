//! What is read of a namespace to go on with it.

use super::{CheckpointError, CheckpointRow, Checkpointer, FieldRecord, HistoryFilter, TaskRecord};

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
    /// [`Checkpointer::field`] answers them.
    pub fields: Vec<Vec<FieldRecord>>,
    /// The records of tasks as [`Checkpointer::open_records`] answers them.
    pub tasks: Vec<TaskRecord>,
}

/// [`Checkpointer::load`] by the other methods of the store.
pub(super) async fn load_in_parts<C: Checkpointer + ?Sized>(
    store: &C,
    thread: &str,
    ns: &str,
    number: Option<u64>,
) -> Result<Option<Loaded>, CheckpointError> {
    let Some(head) = store.checkpoint(thread, ns, None).await? else { return Ok(None) };
    let filter = HistoryFilter { limit: Some(1), ..HistoryFilter::default() };
    let newest = store.checkpoints(thread, ns, &filter).await?;
    let newest = newest.first().map_or(head.number, |row| row.number.max(head.number));
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
    let mut fields = Vec::with_capacity(row.fields.len());
    for (field, version) in row.fields.iter() {
        fields.push(store.field(thread, ns, field, version).await?);
    }
    let tasks = store.open_records(thread, ns).await?;
    Ok(Some(Loaded { head, newest, row, fields, tasks }))
}
