//! The checksums of the rows of each table.
//!
//! A checksum is over all that is read of a row, and over what the row was found by: a row that damage has brought to
//! another place is told like one that is changed. Numbers of threads are known to this file only, so the rows that are
//! found by one have the thread's name in their checksums.

use graphloom_core_graph::checkpoint::Checksum;
use rusqlite::Row;
use rusqlite::types::ValueRef;

/// The checksum of a row of a namespace.
#[derive(Clone, Copy)]
pub(super) struct InNamespace {
    row: Checksum,
    /// The number of the namespace, which a copy of the row does not keep.
    head: i64,
}

impl InNamespace {
    pub(super) fn stored(self) -> i32 {
        self.row.number(self.head.cast_unsigned()).stored()
    }

    /// Whether a row is as it was written. Format 2 left out the namespace.
    pub(super) fn fits(self, stored: Option<i32>) -> bool {
        stored == Some(self.stored()) || self.row.fits(stored)
    }
}

/// The row of a field, with its bytes or the hash of a large value.
pub(super) fn field(
    head: i64,
    name: i64,
    version: u64,
    previous: Option<u64>,
    whole: bool,
    content: &[u8],
) -> InNamespace {
    let numbers = Checksum::default().number(name.cast_unsigned()).number(version).optional(previous);
    InNamespace { row: numbers.number(whole.into()).bytes(content), head }
}

/// The row of a record of a task.
pub(super) fn task_record(head: i64, task: &str, kind: &str, key: &str, payload: &[u8]) -> InNamespace {
    InNamespace { row: Checksum::of_task_record(task, kind, key, payload), head }
}

/// The row of a checkpoint.
pub(super) fn checkpoint(
    head: i64,
    numbers: [u64; 5],
    parent: Option<u64>,
    id: ValueRef<'_>,
    source: &str,
    fields: &[u8],
) -> InNamespace {
    let row = numbers.into_iter().fold(Checksum::default().optional(parent), Checksum::number);
    InNamespace { row: row.bytes(id.as_bytes().unwrap_or_default()).text(source).bytes(fields), head }
}

/// The row of a name.
pub(super) fn name(number: i64, name: &str) -> Checksum {
    Checksum::default().number(number.cast_unsigned()).text(name)
}

/// The row of an event.
pub(super) fn event(thread: &str, seq: u64, event: &[u8]) -> Checksum {
    Checksum::of_event(seq, event).text(thread)
}

/// The columns of the tables whose rows have a namespace, in the order in which the functions of this file read them.
pub(super) const CHECKPOINT: &str = "number, parent, id, step, source, time, executed, fields, state_version";
pub(super) const FIELD: &str = "field, version, previous, whole, payload, blob";
pub(super) const TASK_RECORD: &str = "task, kind, key, payload";

/// The row of a checkpoint, from its columns.
pub(super) fn of_checkpoint(row: &Row<'_>, head: i64) -> rusqlite::Result<InNamespace> {
    let numbers = [row.get(0)?, row.get(3)?, row.get(5)?, row.get(6)?, row.get(8)?];
    Ok(checkpoint(head, numbers, row.get(1)?, row.get_ref(2)?, row.get_ref(4)?.as_str()?, row.get_ref(7)?.as_blob()?))
}

/// The row of a field, from its columns.
pub(super) fn of_field(row: &Row<'_>, head: i64) -> rusqlite::Result<InNamespace> {
    let content = match row.get_ref(5)? {
        ValueRef::Null => row.get_ref(4)?.as_blob()?,
        blob => blob.as_str()?.as_bytes(),
    };
    Ok(field(head, row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, content))
}

/// The row of a record of a task, from its columns.
pub(super) fn of_task_record(row: &Row<'_>, head: i64) -> rusqlite::Result<InNamespace> {
    let text = |at| Ok::<_, rusqlite::Error>(row.get_ref(at)?.as_str()?);
    Ok(task_record(head, text(0)?, text(1)?, text(2)?, row.get_ref(3)?.as_blob()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_another_namespace_does_not_fit_and_one_of_format_2_does() {
        let content = b"value";
        let format_2 = Checksum::default().number(3).number(7).optional(Some(6)).number(0).bytes(content).stored();
        let of = |head, version| field(head, 3, version, Some(6), false, content);
        assert!(of(1, 7).fits(Some(of(1, 7).stored())));
        assert!(!of(2, 7).fits(Some(of(1, 7).stored())), "it is of another namespace");
        assert!(!of(1, 8).fits(Some(of(1, 7).stored())), "it is of another version");
        assert!(of(1, 7).fits(Some(format_2)) && !of(1, 8).fits(Some(format_2)));
        assert!(of(1, 7).fits(None), "it is of format 1");
    }
}
