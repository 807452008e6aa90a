//! Connections that only read.

use std::path::PathBuf;
use std::sync::Mutex;

use rusqlite::{Connection, OpenFlags};

use super::{connect, lock};
use crate::failure::Failure;
use crate::options::SqliteOptions;

/// Idle connections that are kept open.
const KEPT: usize = 4;

/// A pool of connections. There are as many as readers at one time.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    options: SqliteOptions,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// A pool with one connection, which the first run needs.
    pub(super) fn open(path: PathBuf, options: SqliteOptions) -> Result<Self, Failure> {
        let readers = Self { path, options, idle: Mutex::default() };
        lock(&readers.idle).push(readers.connect()?);
        Ok(readers)
    }

    fn connect(&self) -> Result<Connection, Failure> {
        let connection = connect(&self.path, self.options, OpenFlags::empty())?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    }

    pub(super) fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        let idle = lock(&self.idle).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let result = read(&connection);
        let mut idle = lock(&self.idle);
        if idle.len() < KEPT {
            idle.push(connection);
        }
        result
    }
}
