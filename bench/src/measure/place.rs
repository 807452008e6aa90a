//! Where states are kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteOptions, Synchronous};
use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use tempfile::TempDir;

use crate::Failure;

/// What a shape is run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// No store: nothing is kept.
    None,
    /// The memory of the process, with the whole history.
    Memory,
    /// A SQLite file that survives the death of the process.
    Normal,
    /// A SQLite file that survives the loss of power.
    Full,
}

impl Store {
    /// The stores that keep something.
    pub(crate) const DURABLE: [Self; 3] = [Self::Memory, Self::Normal, Self::Full];

    /// The store's name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Memory => "memory",
            Self::Normal => "sqlite-normal",
            Self::Full => "sqlite-full",
        }
    }

    pub(crate) fn is_file(self) -> bool {
        matches!(self, Self::Normal | Self::Full)
    }
}

/// A directory for database files, removed at the end.
#[derive(Debug)]
pub(crate) struct Place {
    folder: TempDir,
    files: AtomicU64,
}

impl Place {
    pub(crate) fn new() -> Result<Arc<Self>, Failure> {
        Ok(Arc::new(Self { folder: tempfile::tempdir()?, files: AtomicU64::new(0) }))
    }

    /// A file that does not exist yet.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join(format!("{}.db", self.files.fetch_add(1, Ordering::Relaxed)))
    }

    /// A new, empty store; its file is `file`, if it has one.
    pub(crate) fn open(store: Store, file: &Path) -> Result<Arc<dyn Checkpointer>, Failure> {
        let synchronous = match store {
            Store::None | Store::Memory => return Ok(Arc::new(MemoryCheckpointer::new())),
            Store::Normal => Synchronous::Normal,
            Store::Full => Synchronous::Full,
        };
        Ok(Arc::new(SqliteCheckpointer::open_with(file, SqliteOptions::synchronous(synchronous))?))
    }
}

/// Bytes of a database file that nobody has open, its log folded in.
pub(crate) fn bytes(file: &Path) -> Result<u64, Failure> {
    let connection = rusqlite::Connection::open(file)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    drop(connection);
    Ok(std::fs::metadata(file)?.len())
}
