//! Answers in a file of `SQLite`, which several processes may share.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params};

use super::{CachePolicy, ResponseStore};
use crate::ModelError;

/// The version of the form of the file. A file of another version is emptied.
const VERSION: i64 = 2;

/// How long an answer waits for other processes that write. A cache that is busy for longer is a miss.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// How long the file is waited for when it is opened.
const LONGEST_OPENING: Duration = Duration::from_secs(5);

/// Answers in a file that only the user can read. The file is about twice as large as its answers.
pub struct SqliteResponses {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl SqliteResponses {
    /// Opens the file, and makes it where there is none. Its folder must be there.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the file cannot be made, or is no file of `SQLite`.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        // Journals of SQLite get the mode of the file.
        private(path).map_err(|error| fault(path, &error))?;
        let connection = opened(path).map_err(|error| fault(path, &error))?;
        Ok(Self { path: path.to_owned(), connection: Mutex::new(connection) })
    }

    /// Does some work, and nothing while other processes write for too long.
    fn run<T: Default>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, ModelError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        match work(&connection) {
            Err(error) if is_busy(&error) => {
                tracing::debug!("the cache of answers is busy, so it is passed by");
                Ok(T::default())
            }
            done => done.map_err(|error| fault(&self.path, &error)),
        }
    }
}

fn private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(|_| ())
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn opened(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(LONGEST_OPENING)?;
    into_wal(&connection)?;
    // What a crash of the machine loses is asked for again.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Several processes may make the file at the same time.
    let write = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = write.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version != VERSION {
        write.execute_batch("DROP TABLE IF EXISTS responses; DROP TABLE IF EXISTS sizes")?;
    }
    write.execute_batch(
        "CREATE TABLE IF NOT EXISTS responses (
            key TEXT PRIMARY KEY, put_at INTEGER NOT NULL, used_at INTEGER NOT NULL, size INTEGER NOT NULL, value BLOB NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS responses_by_use ON responses (used_at, key, size);
        CREATE INDEX IF NOT EXISTS responses_by_age ON responses (put_at);
        CREATE TABLE IF NOT EXISTS sizes (sum INTEGER NOT NULL);
        INSERT INTO sizes SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM sizes);
        CREATE TRIGGER IF NOT EXISTS size_more AFTER INSERT ON responses
            BEGIN UPDATE sizes SET sum = sum + new.size; END;
        CREATE TRIGGER IF NOT EXISTS size_less AFTER DELETE ON responses
            BEGIN UPDATE sizes SET sum = sum - old.size; END;",
    )?;
    write.pragma_update(None, "user_version", VERSION)?;
    write.commit()?;
    connection.busy_timeout(LONGEST_WAIT)?;
    Ok(connection)
}

/// Lets readers and a writer work at the same time. `SQLite` does not wait for another process that does the same, so it is
/// tried again.
fn into_wal(connection: &Connection) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && begun.elapsed() < LONGEST_OPENING => {
                std::thread::sleep(Duration::from_millis(10));
            }
            done => return done,
        }
    }
}

/// Milliseconds since 1970.
fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn before(now: SystemTime, age: Duration) -> i64 {
    millis(now).saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
}

fn fault(path: &Path, error: &dyn fmt::Display) -> ModelError {
    let message = format!(
        "the cache of answers `{}` cannot be used: {error}; run without `--cache`, or remove it",
        path.display()
    );
    ModelError::Setup { message }
}

impl ResponseStore for SqliteResponses {
    fn get(&self, key: &str, age: Duration, now: SystemTime) -> Result<Option<Vec<u8>>, ModelError> {
        self.run(|connection| {
            let sql = "UPDATE responses SET used_at = ?3 WHERE key = ?1 AND put_at >= ?2 RETURNING value";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_row(params![key, before(now, age), millis(now)], |row| row.get(0)).optional()
        })
    }

    fn put(&self, key: &str, value: &[u8], policy: &CachePolicy, now: SystemTime) -> Result<(), ModelError> {
        let size = i64::try_from(value.len()).unwrap_or(i64::MAX);
        let most = i64::try_from(policy.size).unwrap_or(i64::MAX);
        if size > most {
            return Ok(());
        }
        self.run(|connection| {
            let write = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            let at = millis(now);
            // `REPLACE` would fire no trigger for the row that goes.
            write.execute("DELETE FROM responses WHERE key = ?1", params![key])?;
            write.execute("INSERT INTO responses VALUES (?1, ?2, ?2, ?3, ?4)", params![key, at, size, value])?;
            write.execute("DELETE FROM responses WHERE put_at < ?1", params![before(now, policy.age)])?;
            let mut sum: i64 = write.query_row("SELECT sum FROM sizes", [], |row| row.get(0))?;
            while sum > most {
                let sql = "DELETE FROM responses WHERE key = (
                    SELECT key FROM responses WHERE key <> ?1 ORDER BY used_at, key LIMIT 1) RETURNING size";
                let freed: Option<i64> = write.query_row(sql, params![key], |row| row.get(0)).optional()?;
                let Some(freed) = freed else { break };
                sum -= freed;
            }
            write.commit()
        })
    }
}

impl fmt::Debug for SqliteResponses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteResponses").field("path", &self.path).finish_non_exhaustive()
    }
}
