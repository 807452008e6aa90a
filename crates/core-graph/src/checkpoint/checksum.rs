//! Checksums of rows, so that a damaged one is an error and not another value.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::ThreadRow;

/// The checksum of a row, column by column: a store writes [`stored`](Self::stored) beside the row and asks
/// [`fits`](Self::fits) when it reads the row back. Every column counts, and so does its place.
///
/// ```
/// use graphloom_core_graph::checkpoint::Checksum;
///
/// let sum = |number| Checksum::default().text("child:1.0").number(number);
/// let stored = sum(7).stored();
/// assert!(sum(7).fits(Some(stored)) && !sum(8).fits(Some(stored)));
/// assert!(sum(8).fits(None), "a row of a version without checksums has none");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum(u64);

impl Checksum {
    /// The row of a thread, without the columns that say who writes it: [`Checksum::of_holder`] has those. `thread` and
    /// `status` are the texts of the columns.
    pub fn of_thread_row(thread: &str, row: &ThreadRow, status: &str) -> Self {
        let ThreadRow { thread: _, graph, graph_version, status: _, detail, created, updated, epoch: _, owner: _ } =
            row;
        let texts = Self::default().text(thread).text(graph).text(status).text(detail);
        texts.number((*graph_version).into()).number(*created).number(*updated)
    }

    /// Who writes a thread, and in which epoch.
    pub fn of_holder(thread: &str, epoch: u64, owner: &str) -> Self {
        Self::default().text(thread).number(epoch).text(owner)
    }

    /// The head of a namespace.
    pub fn of_head(thread: &str, ns: &str, number: Option<u64>) -> Self {
        Self::default().text(thread).text(ns).optional(number)
    }

    /// A record of a task. `kind` is the text of the column.
    pub fn of_task_record(task: &str, kind: &str, key: &str, payload: &[u8]) -> Self {
        Self::default().text(task).text(kind).text(key).bytes(payload)
    }

    /// A row of the journal.
    pub fn of_event(seq: u64, event: &[u8]) -> Self {
        Self::default().number(seq).bytes(event)
    }

    /// Adds a column of bytes.
    #[must_use]
    pub fn bytes(self, column: &[u8]) -> Self {
        Self(xxh3_64_with_seed(column, self.0))
    }

    /// Adds a column of text.
    #[must_use]
    pub fn text(self, column: &str) -> Self {
        self.bytes(column.as_bytes())
    }

    /// Adds a column that has a number.
    #[must_use]
    pub fn number(self, column: u64) -> Self {
        self.bytes(&column.to_le_bytes())
    }

    /// Adds a column that has a number, or nothing.
    #[must_use]
    pub fn optional(self, column: Option<u64>) -> Self {
        match column {
            Some(number) => self.number(number),
            None => self.bytes(&[]),
        }
    }

    /// Returns the value to store: half of the bits, which take four bytes of a row.
    pub fn stored(self) -> i32 {
        let [.., a, b, c, d] = self.0.to_be_bytes();
        i32::from_be_bytes([a, b, c, d])
    }

    /// Whether a row is as it was written: its stored checksum is this one, or it has none.
    pub fn fits(self, stored: Option<i32>) -> bool {
        stored.is_none_or(|stored| stored == self.stored())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_counts_and_so_does_its_place() {
        let of =
            |columns: [&[u8]; 2]| columns.iter().fold(Checksum::default(), |sum, column| sum.bytes(column)).stored();
        let sums = [of([b"ab", b""]), of([b"a", b"b"]), of([b"", b"ab"]), of([b"b", b"a"]), of([b"", b""])];
        for (at, sum) in sums.iter().enumerate() {
            assert!(!sums[..at].contains(sum), "{at}");
        }
        assert_ne!(Checksum::default().optional(None).stored(), Checksum::default().optional(Some(0)).stored());
        let sum = Checksum::default().number(7);
        assert!(sum.fits(None) && sum.fits(Some(sum.stored())) && !sum.fits(Some(!sum.stored())));
    }

    #[test]
    fn every_column_of_a_threads_row_counts() {
        let row = ThreadRow {
            thread: "t".into(),
            graph: "g".to_owned(),
            graph_version: 1,
            status: crate::checkpoint::ThreadStatus::Done,
            detail: String::new(),
            created: 2,
            updated: 3,
            epoch: 4,
            owner: "o".to_owned(),
        };
        let sum = Checksum::of_thread_row("t", &row, "done");
        for other in [
            ThreadRow { graph: "h".to_owned(), ..row.clone() },
            ThreadRow { graph_version: 2, ..row.clone() },
            ThreadRow { detail: "g".to_owned(), ..row.clone() },
            ThreadRow { created: 3, ..row.clone() },
            ThreadRow { updated: 2, ..row.clone() },
        ] {
            assert_ne!(Checksum::of_thread_row("t", &other, "done"), sum, "{other:?}");
        }
        assert_ne!(Checksum::of_thread_row("t", &row, "failed"), sum);
        assert_ne!(Checksum::of_thread_row("u", &row, "done"), sum);
        let holder = Checksum::of_holder("t", 4, "o");
        assert!(
            ![("u", 4, "o"), ("t", 5, "o"), ("t", 4, "")]
                .map(|(t, e, o)| Checksum::of_holder(t, e, o))
                .contains(&holder)
        );
    }
}
