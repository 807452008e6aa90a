//! What goes wrong with records.

use graphloom_core_graph::store::StoreError;

/// An error of the records, grouped by the answer it gets.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordError {
    /// There is no such record.
    #[error("{what} with ID {id} not found")]
    NotFound {
        /// The kind of record: `Thread`, `Assistant`, `Run`, `Cron`.
        what: &'static str,
        /// Its id, or what else it was asked for by.
        id: String,
    },
    /// The record is there already, or stands in a state that does not allow the change.
    #[error("{0}")]
    Conflict(String),
    /// The request cannot be met by any state of the records.
    #[error("{0}")]
    BadRequest(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
