//! What can go wrong between processes.

/// A queue of tasks that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// The database cannot be reached, or refused a statement.
    #[error("the queue of tasks in `{place}` cannot be used: {source}")]
    Database {
        /// Server, database and schema, without a password.
        place: String,
        /// What the database or the connection said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The tables are of a newer version of this crate.
    #[error(
        "the queue of tasks in `{place}` has format {found}, and this program knows formats up to {known}; use a newer program"
    )]
    NewerFormat {
        /// Server, database and schema.
        place: String,
        /// The format that was found.
        found: u32,
        /// The newest format that this program knows.
        known: u32,
    },
    /// A setting that cannot be used.
    #[error("{0}")]
    Setting(String),
}
