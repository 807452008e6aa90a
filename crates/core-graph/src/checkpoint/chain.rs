//! The chain of records that makes a field's value: whether the next one is a whole value, and whether one is missing.

use super::{CheckpointError, FieldRecord, RecordKind};
use crate::state::{self, StateError};

/// The chain of records that makes a field's value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    /// The newest record's version, 0 for none.
    pub(crate) version: u64,
    pub(crate) whole_bytes: usize,
    pub(crate) deltas: usize,
    pub(crate) delta_bytes: usize,
}

/// A whole value is stored after this many differences at the earliest.
const MIN_DELTAS: usize = 16;

/// About what a record takes in a store besides its bytes.
const RECORD_BYTES: usize = 64;

impl Chain {
    /// Whether the next record is to be a whole value, so that few are to be read.
    ///
    /// Differences that overwrite each other are read as long as they are no larger than the value. Those that add up
    /// hold what the value holds, and only their number is to be spared: a whole value is stored when it is smaller than
    /// what so many records take besides their bytes. Either way the cost of whole values is at most that of the
    /// differences, and reading takes time in proportion to the value.
    pub(crate) fn wants_whole(&self, stored: state::Stored) -> bool {
        let costs_more = match stored {
            state::Stored::Additions => self.deltas * RECORD_BYTES > self.whole_bytes + self.delta_bytes,
            _ => self.delta_bytes > self.whole_bytes,
        };
        self.version == 0 || (self.deltas >= MIN_DELTAS && costs_more)
    }

    /// Counts a record that was read back.
    pub(crate) fn count(&mut self, record: &FieldRecord) {
        self.add(record.version, record.kind == RecordKind::Whole, record.payload.bytes().len());
    }

    /// Adds a record. Returns the version that it builds on, none for a whole value.
    pub(crate) fn add(&mut self, version: u64, whole: bool, bytes: usize) -> Option<u64> {
        let previous = (!whole).then_some(self.version);
        self.version = version;
        if whole {
            (self.whole_bytes, self.deltas, self.delta_bytes) = (bytes, 0, 0);
        } else {
            self.deltas += 1;
            self.delta_bytes += bytes;
        }
        previous
    }
}

/// Records of a field must be a whole value, or build on that of the version `known`, and on each other up to the version.
/// 0 is no version.
pub(crate) fn check_chain(
    thread: &str,
    ns: &str,
    field: &str,
    known: u64,
    version: u64,
    records: &[FieldRecord],
) -> Result<(), CheckpointError> {
    let builds_on_known = |record: &FieldRecord| known > 0 && record.previous == Some(known);
    let begins = records.first().map_or(known > 0, |first| first.kind == RecordKind::Whole || builds_on_known(first));
    let ends_there = records.last().map_or(known, |record| record.version) == version;
    let is_linked = records.windows(2).all(|pair| pair[1].previous == Some(pair[0].version));
    if begins && ends_there && is_linked {
        return Ok(());
    }
    Err(CheckpointError::Corrupt {
        place: format!("thread `{thread}`, namespace `{ns}`, field `{field}`, version {version}"),
        message: "records are missing".to_owned(),
    })
}

pub(crate) fn corrupt(thread: &str, ns: &str, field: &str, version: u64, error: &StateError) -> CheckpointError {
    let place = format!("thread `{thread}`, namespace `{ns}`, field `{field}`, version {version}");
    CheckpointError::Corrupt {
        place,
        message: format!(
            "{error}; if the type of the field changed, state a new state version and a migration from this one"
        ),
    }
}
