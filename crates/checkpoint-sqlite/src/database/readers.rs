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
    pub(super) fn new(path: PathBuf, options: SqliteOptions) -> Self {
        Self { path, options, idle: Mutex::default() }
    }

    pub(super) fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        let idle = lock(&self.idle).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => {
                let connection = connect(&self.path, self.options, OpenFlags::empty())?;
                connection.pragma_update(None, "query_only", true)?;
                connection
            }
        };
        let result = read(&connection);
        let mut idle = lock(&self.idle);
        if idle.len() < KEPT {
            idle.push(connection);
        }
        result
    }
}
