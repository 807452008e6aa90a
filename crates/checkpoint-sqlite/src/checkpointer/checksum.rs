//! Checksums of rows, so that a damaged one is an error and not another value.
//!
//! A row's checksum is over all its columns but the namespace's, which a copy of a thread changes. Rows of files of format 1
//! have none, and are read as they are.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The checksum of the columns so far.
#[derive(Clone, Copy)]
pub(super) struct Checksum(u64);

impl Checksum {
    pub(super) fn new() -> Self {
        Self(0)
    }

    pub(super) fn bytes(self, column: &[u8]) -> Self {
        Self(xxh3_64_with_seed(column, self.0))
    }

    pub(super) fn number(self, column: u64) -> Self {
        self.bytes(&column.to_le_bytes())
    }

    pub(super) fn optional(self, column: Option<u64>) -> Self {
        match column {
            Some(number) => self.number(number),
            None => self.bytes(&[]),
        }
    }

    /// Returns the value to store: half of the bits, which take four bytes of a row.
    pub(super) fn stored(self) -> i32 {
        let [.., a, b, c, d] = self.0.to_be_bytes();
        i32::from_be_bytes([a, b, c, d])
    }

    /// Whether a row is as it was written: its stored checksum is this one, or it has none.
    pub(super) fn fits(self, stored: Option<i32>) -> bool {
        stored.is_none_or(|stored| stored == self.stored())
    }
}

/// The checksums of the rows of each table.
pub(super) mod row {
    use rusqlite::types::ValueRef;

    use super::Checksum;

    /// The row of a field, with its bytes or the hash of a large value.
    pub(in crate::checkpointer) fn field(
        name: i64,
        version: u64,
        previous: Option<u64>,
        whole: bool,
        content: &[u8],
    ) -> Checksum {
        let numbers = Checksum::new().number(name.cast_unsigned()).number(version).optional(previous);
        numbers.number(whole.into()).bytes(content)
    }

    /// The row of a record of a task.
    pub(in crate::checkpointer) fn task_record(task: &str, kind: &str, key: &str, payload: &[u8]) -> Checksum {
        Checksum::new().bytes(task.as_bytes()).bytes(kind.as_bytes()).bytes(key.as_bytes()).bytes(payload)
    }

    /// The row of a checkpoint.
    pub(in crate::checkpointer) fn checkpoint(
        numbers: [u64; 5],
        parent: Option<u64>,
        id: ValueRef<'_>,
        source: &str,
        fields: &[u8],
    ) -> Checksum {
        let id = match id {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => bytes,
            _ => &[],
        };
        let sum = numbers.into_iter().fold(Checksum::new().optional(parent), Checksum::number);
        sum.bytes(id).bytes(source.as_bytes()).bytes(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_counts_and_so_does_its_place() {
        let of = |columns: [&[u8]; 2]| columns.iter().fold(Checksum::new(), |sum, column| sum.bytes(column)).stored();
        let sums = [of([b"ab", b""]), of([b"a", b"b"]), of([b"", b"ab"]), of([b"b", b"a"]), of([b"", b""])];
        for (at, sum) in sums.iter().enumerate() {
            assert!(!sums[..at].contains(sum), "{at}");
        }
        assert_ne!(Checksum::new().optional(None).stored(), Checksum::new().optional(Some(0)).stored());
        let sum = Checksum::new().number(7);
        assert!(sum.fits(None) && sum.fits(Some(sum.stored())) && !sum.fits(Some(!sum.stored())));
    }
}
