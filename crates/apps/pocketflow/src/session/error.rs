//! Why a session could not be loaded or saved.

use graphloom_core_graph::store::StoreError;

/// Why a session could not be loaded or saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A newer program wrote it.
    #[error(
        "the conversation `{id}` was saved with schema {found}, this program reads up to {known}; update the program, \
         or begin a conversation under another id"
    )]
    Newer {
        /// The conversation.
        id: String,
        /// Its schema.
        found: u64,
        /// The newest known one.
        known: u32,
    },
    /// Somebody else saved it meanwhile.
    #[error(
        "the conversation `{id}` was saved by somebody else since revision {ours} was loaded (it is at {theirs} now); \
         load it again and repeat the change"
    )]
    Conflict {
        /// The conversation.
        id: String,
        /// The revision that was loaded.
        ours: u64,
        /// The revision that is stored.
        theirs: u64,
    },
    /// The store failed.
    #[error("the session cannot be read or written: {0}")]
    Store(#[from] StoreError),
    /// The session cannot be written as JSON.
    #[error("the session cannot be encoded: {0}")]
    Encode(#[from] serde_json::Error),
}

impl SessionError {
    /// Whether loading again and repeating the change can succeed.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Conflict { .. } | Self::Store(StoreError::Locked { .. }))
    }
}
