//! How a database is opened.

use std::time::Duration;

/// What a commit has survived when it returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Synchronous {
    /// The death of the process. Power loss may take the last commits, never the file. Commits run on a thread
    /// that asks for one, those that wait together in one transaction; see [`SqliteOptions::own_thread`].
    #[default]
    Normal,
    /// Power loss. Commits run on a thread of their own, and those that wait together share one write to the disk.
    Full,
}

/// How [`SqliteCheckpointer::open_with`](crate::SqliteCheckpointer::open_with) opens its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// What a commit has survived when it returns. [`Synchronous::Normal`] unless set.
    pub synchronous: Synchronous,
    /// How long another program's lock on the file is waited for. Five seconds unless set.
    pub busy_timeout: Duration,
    /// The size that the file must not exceed; none unless set. A commit beyond it fails like one on a full disk.
    pub max_bytes: Option<u64>,
    /// Whether commits run on a thread of their own, as they always do with [`Synchronous::Full`]. Otherwise a thread of
    /// the async runtime waits up to [`busy_timeout`](Self::busy_timeout) while another program writes the file, and all
    /// that runs on that thread waits with it.
    pub own_thread: bool,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            synchronous: Synchronous::default(),
            busy_timeout: Duration::from_secs(5),
            max_bytes: None,
            own_thread: false,
        }
    }
}

impl SqliteOptions {
    /// The defaults with another durability.
    pub fn synchronous(synchronous: Synchronous) -> Self {
        Self { synchronous, ..Self::default() }
    }

    /// Waits this long for another program's lock.
    #[must_use]
    pub fn busy_timeout(mut self, busy_timeout: Duration) -> Self {
        self.busy_timeout = busy_timeout;
        self
    }

    /// Commits on a thread of their own: no thread of the async runtime waits for another program's lock.
    #[must_use]
    pub fn own_thread(mut self) -> Self {
        self.own_thread = true;
        self
    }

    /// Keeps the file below this size.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }
}
