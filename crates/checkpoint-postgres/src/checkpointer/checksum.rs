//! The checksums of the rows whose columns are this store's own. A copy of a thread keeps them, so they are of nothing that
//! names the thread or the namespace.

use graphloom_core_graph::checkpoint::{CheckpointRow, Checksum, RecordKind, RecordRef};

/// The row of a checkpoint. `source` is the text of the column.
pub(super) fn of_checkpoint(row: &CheckpointRow, source: &str) -> Checksum {
    let CheckpointRow { number, parent, id, step, source: _, time, executed, fields, state_version } = row;
    let numbers = [*number, *step, *time, *executed, (*state_version).into()];
    let sum = numbers.into_iter().fold(Checksum::default().optional(*parent), Checksum::number);
    fields.iter().fold(sum.text(&id.text()).text(source), |sum, (field, version)| sum.text(field).number(version))
}

/// The row of a field, with its bytes or the hash of a large value.
pub(super) fn of_field(record: RecordRef<'_>) -> Checksum {
    let content = record.blob.map_or(record.bytes, |blob| blob.hash.as_bytes());
    field(record.field, record.version, record.previous, record.kind == RecordKind::Whole, content)
}

/// The same from its columns.
pub(super) fn field(name: &str, version: u64, previous: Option<u64>, whole: bool, content: &[u8]) -> Checksum {
    Checksum::default().text(name).number(version).optional(previous).number(whole.into()).bytes(content)
}
