//! What can go wrong inside, before it becomes an error of one of the two traits.

use std::time::Duration;

use graphloom_core_graph::checkpoint::CheckpointError;
use graphloom_core_graph::store::StoreError;
use tokio::task::JoinError;

/// A failure of one piece of work on the database.
#[derive(Debug)]
pub(crate) enum Failure {
    Sql(sqlx::Error),
    NewerFormat {
        found: u32,
        known: u32,
    },
    Corrupt {
        place: String,
        message: String,
    },
    Setting(String),
    Refused(CheckpointError),
    /// The database did not answer.
    Silent {
        waited: Duration,
    },
    /// The runtime that does the work has stopped.
    Ended(JoinError),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        Self::Refused(error)
    }
}

/// The words of [`Failure::Silent`].
fn silent(waited: Duration) -> String {
    format!(
        "the database has not answered for {} s; what it was asked to write may be written all the same, which is seen when the run goes on",
        waited.as_secs_f64()
    )
}

/// A failure sorted by what its reader can do about it.
enum Sorted {
    Full(String),
    Damaged(String),
    Other(Box<dyn std::error::Error + Send + Sync>),
}

fn sort(error: sqlx::Error) -> Sorted {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap_or_default().into_owned();
    match code.as_str() {
        // disk_full
        "53100" => Sorted::Full(error.to_string()),
        // data_corrupted, index_corrupted
        "XX001" | "XX002" => Sorted::Damaged(error.to_string()),
        _ => Sorted::Other(Box::new(error)),
    }
}

impl Failure {
    /// The failure of a row that does not fit its checksum.
    pub(crate) fn damaged(place: String, row: &str) -> Self {
        let advice = "restore a copy of the store from before the damage";
        Self::Corrupt { place, message: format!("{row} is not as it was written; {advice}") }
    }

    /// The code and message with which our own functions in the database refuse.
    pub(crate) fn refusal(&self) -> Option<(&str, String)> {
        let Self::Sql(error) = self else { return None };
        let error = error.as_database_error()?;
        let code = ["GL001", "GL002"].into_iter().find(|code| error.code().as_deref() == Some(code))?;
        Some((code, error.message().to_owned()))
    }

    /// The failure as an error of the checkpointer. `action` says what was done, the place is added to it.
    pub(crate) fn checkpoint(self, place: &str, action: &str) -> CheckpointError {
        let action = || format!("{action} in `{place}`");
        match self {
            Self::Sql(error) => match sort(error) {
                Sorted::Full(message) => CheckpointError::Full { path: place.to_owned(), message },
                Sorted::Damaged(message) => CheckpointError::Corrupt { place: place.to_owned(), message },
                Sorted::Other(source) => CheckpointError::Store { action: action(), source },
            },
            Self::NewerFormat { found, known } => CheckpointError::NewerFormat { path: place.to_owned(), found, known },
            Self::Corrupt { place, message } => CheckpointError::Corrupt { place, message },
            Self::Setting(message) => CheckpointError::Store { action: action(), source: message.into() },
            Self::Refused(error) => error,
            Self::Silent { waited } => CheckpointError::Store { action: action(), source: silent(waited).into() },
            Self::Ended(error) => CheckpointError::Store { action: action(), source: Box::new(error) },
        }
    }

    /// The failure as an error of the long-term store.
    pub(crate) fn store(self, place: &str, action: &str) -> StoreError {
        let action = || format!("{action} in `{place}`");
        match self {
            Self::Sql(error) => match sort(error) {
                Sorted::Full(message) => StoreError::Full { path: place.to_owned(), message },
                Sorted::Damaged(message) => StoreError::Corrupt { place: place.to_owned(), message },
                Sorted::Other(source) => StoreError::Store { action: action(), source },
            },
            Self::NewerFormat { found, known } => StoreError::NewerFormat { path: place.to_owned(), found, known },
            Self::Corrupt { place, message } => StoreError::Corrupt { place, message },
            Self::Setting(message) => StoreError::Store { action: action(), source: message.into() },
            Self::Refused(error) => StoreError::Store { action: action(), source: Box::new(error) },
            Self::Silent { waited } => StoreError::Store { action: action(), source: silent(waited).into() },
            Self::Ended(error) => StoreError::Store { action: action(), source: Box::new(error) },
        }
    }
}

/// A number that fits a column.
pub(crate) fn storable(number: u64) -> Result<i64, Failure> {
    i64::try_from(number).map_err(|_| Failure::Setting(format!("the number {number} is too large to be stored")))
}

/// A number read from a column.
pub(crate) fn read_number(number: i64, what: impl FnOnce() -> String) -> Result<u64, Failure> {
    u64::try_from(number).map_err(|_| Failure::Corrupt { place: what(), message: format!("`{number}` is negative") })
}
