//! Updates of one field in stored form: a MessagePack array of what its reducer folds, oldest first. The record that
//! holds them knows the field, and a field that is replaced is stored whole.

use serde_bytes::{ByteBuf, Bytes};

use crate::state::{FieldChange, Op, ReadFields, StateError, codec};

/// The stored form of updates.
pub(crate) fn encode(field: &str, changes: &[&FieldChange]) -> Result<Vec<u8>, StateError> {
    let updates: Vec<&Bytes> = changes.iter().map(|change| Bytes::new(&change.bytes)).collect();
    codec::encode_row(field, &updates)
}

/// The updates of a stored form, encoded each.
pub(crate) fn decode(field: &str, bytes: &[u8]) -> Result<Vec<ByteBuf>, StateError> {
    codec::decode(field, bytes)
}

/// Folds updates of the field at `at` into a state, each from the record of a version; an error names that.
pub(crate) fn fold(
    state: &mut dyn ReadFields,
    at: usize,
    updates: Vec<(u64, ByteBuf)>,
) -> Result<(), (u64, StateError)> {
    let Some(newest) = updates.last().map(|(version, _)| *version) else { return Ok(()) };
    let field = u32::try_from(at).unwrap_or(u32::MAX);
    let (versions, changes): (Vec<_>, Vec<_>) = updates
        .into_iter()
        .map(|(version, bytes)| (version, FieldChange { field, op: Op::Fold, bytes: bytes.into_vec().into() }))
        .unzip();
    state.fold(&changes).map_err(|error| {
        let wrong = changes.iter().position(|change| !state.is_readable(change));
        (wrong.and_then(|at| versions.get(at).copied()).unwrap_or(newest), error)
    })
}
