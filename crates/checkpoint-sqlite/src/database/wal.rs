//! The write-ahead log is moved into the file by a thread of its own.
//!
//! A commit appends to the log; from time to time what is in it is moved into the file, and the log begins anew. That waits
//! for the disk, so a commit leaves it to a thread, unless the log has grown past all bounds: while somebody writes without
//! a pause, the log does not begin anew, and the commit that finds it too long moves the rest itself.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::{Connection, OpenFlags};

use super::{connect, lock};
use crate::failure::Failure;
use crate::options::SqliteOptions;

/// Pages in the log, more than when it was last moved, from which on they are moved.
const MOVED_FROM: u32 = 1_000;

/// Pages in the log from which on a commit moves them itself: 64 MiB at 4 KiB a page.
const MOST: u32 = 16_000;

thread_local! {
    /// The pages in the log after the last commit on this thread.
    static PAGES: Cell<u32> = const { Cell::new(0) };
}

/// Moves the write-ahead log of one file.
#[derive(Debug)]
pub(super) struct WalMover {
    path: PathBuf,
    options: SqliteOptions,
    shared: Arc<Shared>,
    /// The pages that the log had when the thread was last told, less where it began anew.
    told: AtomicU32,
    /// There from the first log that is moved.
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_due: bool,
    is_closed: bool,
}

impl WalMover {
    /// The mover of a file, for the connection that writes it.
    pub(super) fn new(writer: &Connection, path: PathBuf, options: SqliteOptions) -> Self {
        // Replaces what would move the log within a commit.
        writer.wal_hook(Some(|_, pages| {
            PAGES.set(u32::try_from(pages).unwrap_or_default());
            Ok(())
        }));
        Self { path, options, shared: Arc::default(), told: AtomicU32::new(0), thread: Mutex::default() }
    }

    /// Has the log moved if the commits on this thread made it long. Called by who has the connection, outside of a
    /// transaction.
    pub(super) fn after_commits(&self, writer: &Connection) {
        let pages = PAGES.replace(0);
        if pages == 0 {
            return;
        }
        let told = self.told.load(Ordering::Relaxed).min(pages);
        self.told.store(told, Ordering::Relaxed);
        if pages >= MOST {
            move_log(writer);
        } else if pages - told >= MOVED_FROM {
            self.told.store(pages, Ordering::Relaxed);
            lock(&self.shared.state).is_due = true;
            self.shared.changed.notify_one();
            if self.start_thread().is_err() {
                move_log(writer);
            }
        }
    }

    fn start_thread(&self) -> Result<(), Failure> {
        let mut thread = lock(&self.thread);
        if thread.is_none() {
            let connection = connect(&self.path, self.options, OpenFlags::empty())?;
            let shared = Arc::clone(&self.shared);
            let named = std::thread::Builder::new().name("graphloom-sqlite-wal".to_owned());
            *thread = Some(named.spawn(move || shared.move_until_closed(&connection))?);
        }
        Ok(())
    }
}

impl Drop for WalMover {
    fn drop(&mut self) {
        lock(&self.shared.state).is_closed = true;
        self.shared.changed.notify_one();
        if let Some(thread) = lock(&self.thread).take() {
            // It has no reason to panic, and nothing would be lost.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn move_until_closed(&self, connection: &Connection) {
        loop {
            let state = lock(&self.state);
            let waiting = |state: &mut State| !state.is_due && !state.is_closed;
            let mut state = self.changed.wait_while(state, waiting).unwrap_or_else(PoisonError::into_inner);
            if state.is_closed {
                // The last connection that is closed moves what is left.
                return;
            }
            state.is_due = false;
            drop(state);
            move_log(connection);
        }
    }
}

/// Moves as much of the log as no reader needs there, without waiting for anybody. What cannot be moved now, as on a full
/// disk, stays in the log, where it is as safe, and is tried again after a later commit.
fn move_log(connection: &Connection) {
    let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::database::Database;

    fn insert(count: u32) -> crate::database::writer::Work {
        Box::new(move |connection| {
            let mut statement = connection.prepare_cached("INSERT INTO t (bytes) VALUES (zeroblob(4000))")?;
            (0..count).try_for_each(|_| statement.execute([]).map(drop)).map_err(Failure::from)
        })
    }

    fn database(directory: &tempfile::TempDir) -> Arc<Database> {
        let database = Database::open(&directory.path().join("d.db"), SqliteOptions::default()).unwrap();
        let made = database.writer.write(Box::new(|connection| {
            connection.execute_batch("CREATE TABLE t (n INTEGER PRIMARY KEY, bytes BLOB)").map_err(Failure::from)
        }));
        futures::executor::block_on(made).unwrap();
        database
    }

    fn pages(path: &std::path::Path) -> u64 {
        std::fs::metadata(path).map_or(0, |file| file.len() / 4096)
    }

    #[test]
    fn a_long_log_is_moved_into_the_file_and_begins_anew() {
        let directory = tempfile::tempdir().unwrap();
        let (file, log) = (directory.path().join("d.db"), directory.path().join("d.db-wal"));
        let database = database(&directory);
        let write = |count| futures::executor::block_on(database.writer.write(insert(count))).unwrap();
        write(MOVED_FROM / 2);
        std::thread::sleep(Duration::from_millis(100));
        assert!(pages(&file) < 100, "a short log stays");
        write(MOVED_FROM);
        let moved = || pages(&file) > u64::from(MOVED_FROM);
        (0..500).take_while(|_| !moved()).for_each(|_| std::thread::sleep(Duration::from_millis(10)));
        assert!(moved(), "{} pages", pages(&file));
        let is_written_over = || {
            let before = pages(&log);
            write(30);
            std::thread::sleep(Duration::from_millis(10));
            pages(&log) == before
        };
        assert!((0..500).any(|_| is_written_over()), "{} pages", pages(&log));
    }

    #[test]
    fn a_log_that_others_hold_does_not_grow_for_ever_once_they_let_go() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("d.db-wal");
        let database = database(&directory);
        let write = |count| futures::executor::block_on(database.writer.write(insert(count))).unwrap();
        let reader = Connection::open(directory.path().join("d.db")).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM t;").unwrap();
        let held = |count| (0..count).for_each(|_| write(1_000));
        held(MOST / 1_000 + 2);
        assert!(pages(&log) > u64::from(MOST), "nothing is lost that the reader sees");
        reader.execute_batch("COMMIT").unwrap();
        held(4);
        let before = pages(&log);
        held(10);
        assert_eq!(pages(&log), before);
    }
}
