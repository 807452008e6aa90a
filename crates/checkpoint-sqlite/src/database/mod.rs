//! The file: how it is opened, who writes it and how it is read.

mod gathering;
mod owner;
mod readers;
mod schema;
mod wal;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

pub(crate) use self::owner::{OwnerFile, is_alive};
use self::readers::Readers;
use self::wal::WalMover;
pub(crate) use self::writer::Writer;
use crate::failure::Failure;
use crate::options::{SqliteOptions, Synchronous};

/// An open database file, shared by the handles of a checkpointer and of its store.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) path: PathBuf,
    pub(crate) writer: Writer,
    readers: Readers,
}

impl Database {
    /// Opens a file, makes it when it is not there, and checks that it is ours and of a known format. The path of the
    /// result is absolute and free of links, so that all programs agree on the place of the owner files.
    pub(crate) fn open(path: &Path, options: SqliteOptions) -> Result<Arc<Self>, Failure> {
        if path == Path::new(":memory:") || path.as_os_str().is_empty() {
            let message = "a database needs a file; for threads in memory use `MemoryCheckpointer`";
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, message).into());
        }
        let mut connection = connect(path, options, OpenFlags::SQLITE_OPEN_CREATE)?;
        schema::prepare(&mut connection)?;
        let path = std::fs::canonicalize(path)?;
        let mover = WalMover::new(&connection, path.clone(), options);
        let writer =
            Writer::new(connection, options.own_thread || options.synchronous == Synchronous::Full, Some(mover))?;
        Ok(Arc::new(Self { readers: Readers::open(path.clone(), options)?, writer, path }))
    }

    /// Reads with a connection that nobody else uses meanwhile and that never waits for a writer.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        self.readers.read(read)
    }

    /// Reads a row or two, with the writing connection where it is free: it has the pages in memory that it wrote, while those
    /// of another connection are read again after each commit.
    pub(crate) fn read_row<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        match self.writer.spare() {
            Some(spare) => spare.read(read),
            None => self.readers.read(read),
        }
    }
}

/// Opens a connection and sets what belongs to connections rather than to the file.
fn connect(path: &Path, options: SqliteOptions, create: OpenFlags) -> Result<Connection, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(options.busy_timeout)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    // Otherwise a statement is prepared again whenever a limit is bound, in case that another plan would do better.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    let synchronous = match options.synchronous {
        Synchronous::Normal => "NORMAL",
        Synchronous::Full => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    if let Some(bytes) = options.max_bytes {
        let page: u64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let pages = (bytes / page.max(1)).max(1);
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    }
    Ok(connection)
}

/// Locks what no panic can leave half changed: a connection rolls back what was not committed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
