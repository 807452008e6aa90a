//! One SQLite file of the data directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;

use super::RunStore;
use crate::{DataDir, Failure, private};

/// Opens the database of runs, and makes it when it is not there.
pub(super) fn open(dirs: &DataDir) -> Result<RunStore, Failure> {
    let path = dirs.threads_db();
    let file = open_file(dirs, &path)?;
    Ok(RunStore {
        memory: Arc::new(file.store()),
        checkpointer: Arc::new(file),
        place: path.display().to_string(),
        signals: None,
    })
}

/// Opens a file for this user only: it holds every prompt and reply.
pub(super) fn open_file(dirs: &DataDir, path: &Path) -> Result<SqliteCheckpointer, Failure> {
    dirs.create()?;
    // SQLite gives its other files the mode of this one; those of an older version are there already.
    let others = ["-wal", "-shm"].map(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    });
    for file in std::iter::once(path).chain(others.iter().map(PathBuf::as_path).filter(|file| file.exists())) {
        // What cannot be opened here is told by the store, in its own words.
        private::claim(file).ok();
    }
    Ok(SqliteCheckpointer::open(path)?)
}
