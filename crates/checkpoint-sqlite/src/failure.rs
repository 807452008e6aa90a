//! What can go wrong inside, before it becomes an error of one of the two traits.

use std::path::Path;
use std::sync::Arc;

use graphloom_core_graph::checkpoint::CheckpointError;
use graphloom_core_graph::store::StoreError;
use rusqlite::{ErrorCode, ffi};

/// A failure of one piece of work on the database. It can be cloned, because one failed transaction may have carried
/// the work of several callers.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    Sqlite(Arc<rusqlite::Error>),
    Io(Arc<std::io::Error>),
    NewerFormat { found: u32, known: u32 },
    Corrupt { place: String, message: String },
    Refused(Refusal),
}

/// Work that the database could do but must not.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    Busy { thread: String, owner: String },
    Stale { thread: String, ns: String, epoch: u64, detail: String },
    UnknownThread { thread: String },
    UnknownCheckpoint { thread: String, ns: String, number: u64 },
    ThreadExists { thread: String },
}

impl Failure {
    /// The failure of a row that does not fit its checksum.
    pub(crate) fn damaged(place: String, row: &str) -> Self {
        Self::Corrupt { place, message: format!("{row} is not as it was written; {RESTORE}") }
    }

    /// Whether a row of the same key is there already.
    pub(crate) fn is_conflict(&self) -> bool {
        let Self::Sqlite(error) = self else { return false };
        error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(error))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// A failure sorted by what its reader can do about it.
enum Sorted {
    Locked(String),
    Full(String),
    Damaged(String),
    Other(Box<dyn std::error::Error + Send + Sync>),
}

/// What to do about a row that does not fit its checksum.
const RESTORE: &str = "restore a copy of the store from before the damage";
const NOT_A_DATABASE: &str = "it is not a SQLite database; choose another file, or move this one away";
const DAMAGED: &str = "restore a copy of it, or rescue what is left with `sqlite3 <file> .recover`";

fn sort(error: Arc<rusqlite::Error>) -> Sorted {
    let message = error.to_string();
    if is_of_a_column(&error) {
        return Sorted::Damaged(format!("{message}: {RESTORE}"));
    }
    let Some(cause) = error.sqlite_error() else { return Sorted::Other(Box::new(error)) };
    match cause.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Sorted::Locked(message),
        ErrorCode::DiskFull => Sorted::Full(message),
        // The shared memory file beside the database could not grow.
        ErrorCode::SystemIoFailure if cause.extended_code == ffi::SQLITE_IOERR_SHMSIZE => Sorted::Full(message),
        ErrorCode::NotADatabase => Sorted::Damaged(format!("{message}: {NOT_A_DATABASE}")),
        ErrorCode::DatabaseCorrupt => Sorted::Damaged(format!("{message}: {DAMAGED}")),
        _ => Sorted::Other(Box::new(error)),
    }
}

/// Whether a column has what its table does not allow.
fn is_of_a_column(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    matches!(error, FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..))
}

fn sort_io(error: Arc<std::io::Error>) -> Sorted {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Sorted::Full(error.to_string()),
        _ => Sorted::Other(Box::new(error)),
    }
}

impl Failure {
    /// The failure as an error of the checkpointer. `action` says what was done, the path is added to it.
    pub(crate) fn checkpoint(self, path: &Path, action: &str) -> CheckpointError {
        let file = || path.display().to_string();
        let sorted = match self {
            Self::Sqlite(error) => sort(error),
            Self::Io(error) => sort_io(error),
            Self::NewerFormat { found, known } => {
                return CheckpointError::NewerFormat { path: file(), found, known };
            }
            Self::Corrupt { place, message } => return CheckpointError::Corrupt { place, message },
            Self::Refused(refusal) => return refusal.into(),
        };
        match sorted {
            Sorted::Locked(message) => CheckpointError::Locked { path: file(), message },
            Sorted::Full(message) => CheckpointError::Full { path: file(), message },
            Sorted::Damaged(message) => CheckpointError::Corrupt { place: format!("`{}`", path.display()), message },
            Sorted::Other(source) => {
                CheckpointError::Store { action: format!("{action} in `{}`", path.display()), source }
            }
        }
    }

    /// The failure as an error of the long-term store.
    pub(crate) fn store(self, path: &Path, action: &str) -> StoreError {
        let file = || path.display().to_string();
        let action = || format!("{action} in `{}`", path.display());
        let sorted = match self {
            Self::Sqlite(error) => sort(error),
            Self::Io(error) => sort_io(error),
            Self::NewerFormat { found, known } => return StoreError::NewerFormat { path: file(), found, known },
            Self::Corrupt { place, message } => return StoreError::Corrupt { place, message },
            Self::Refused(refusal) => Sorted::Other(Box::new(CheckpointError::from(refusal))),
        };
        match sorted {
            Sorted::Locked(message) => StoreError::Locked { path: file(), message },
            Sorted::Full(message) => StoreError::Full { path: file(), message },
            Sorted::Damaged(message) => StoreError::Corrupt { place: format!("`{}`", path.display()), message },
            Sorted::Other(source) => StoreError::Store { action: action(), source },
        }
    }
}

impl From<Refusal> for CheckpointError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Busy { thread, owner } => Self::ThreadBusy { thread, owner },
            Refusal::Stale { thread, ns, epoch, detail } => Self::StaleHead { thread, ns, epoch, detail },
            Refusal::UnknownThread { thread } => Self::UnknownThread { thread },
            Refusal::UnknownCheckpoint { thread, ns, number } => Self::UnknownCheckpoint { thread, ns, number },
            Refusal::ThreadExists { thread } => Self::ThreadExists { thread },
        }
    }
}
