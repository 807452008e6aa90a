//! What goes wrong in a store.

use crate::error_text::debug_is_text;

/// An error of a store, by whose fault it is.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Another live owner writes the thread.
    #[error("thread `{thread}` is being written by `{owner}`; wait for that run to end, or stop it")]
    ThreadBusy {
        /// The thread.
        thread: String,
        /// The owner.
        owner: String,
    },
    /// The head moved, or another owner took over, since this run read it.
    #[error(
        "thread `{thread}` was taken over or moved on since it was read (epoch {epoch}, namespace `{ns}`): {detail}; load it again"
    )]
    StaleHead {
        /// The thread.
        thread: String,
        /// The namespace.
        ns: String,
        /// The epoch of the refused writer.
        epoch: u64,
        /// What differed.
        detail: String,
    },
    /// No such thread.
    #[error("there is no thread `{thread}` in this store")]
    UnknownThread {
        /// The thread.
        thread: String,
    },
    /// No such checkpoint.
    #[error("thread `{thread}` has no checkpoint {number} in namespace `{ns}`; its history lists those it has")]
    UnknownCheckpoint {
        /// The thread.
        thread: String,
        /// The namespace.
        ns: String,
        /// The number.
        number: u64,
    },
    /// A thread of this id exists already.
    #[error("a thread `{thread}` exists already; choose another id or delete it first")]
    ThreadExists {
        /// The thread.
        thread: String,
    },
    /// The store's files were written by a newer version of this crate.
    #[error(
        "`{path}` has format {found}, this program reads up to {known}; update the program, or choose another file"
    )]
    NewerFormat {
        /// The file.
        path: String,
        /// The file's format.
        found: u32,
        /// The newest known format.
        known: u32,
    },
    /// Stored data is not what it must be.
    #[error("stored data of {place} cannot be read: {message}")]
    Corrupt {
        /// Thread, namespace and record.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// The store is locked by another program for longer than the time-out.
    #[error("`{path}` is locked by another program ({message}); close that program or wait, then run again")]
    Locked {
        /// The file.
        path: String,
        /// The database's words.
        message: String,
    },
    /// No room is left.
    #[error("no room is left for `{path}` ({message}); free some and resume, what was committed is safe")]
    Full {
        /// The file.
        path: String,
        /// The database's words.
        message: String,
    },
    /// The store cannot do this.
    #[error("this store has no `{ability}`; see `capabilities()`")]
    Unsupported {
        /// The missing ability.
        ability: &'static str,
    },
    /// Any other failure of the store below.
    #[error("the store failed at {action}: {source}")]
    Store {
        /// What was being done, and where.
        action: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

debug_is_text!(CheckpointError);
