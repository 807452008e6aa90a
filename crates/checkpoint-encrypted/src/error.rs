//! What can go wrong with keys and with what they protect.

use graphloom_core_graph::checkpoint::CheckpointError;
use graphloom_core_graph::store::StoreError;

/// An error of encryption. Behind the traits it is the source of a
/// [`CheckpointError::Store`](graphloom_core_graph::checkpoint::CheckpointError) or a
/// [`StoreError::Store`](graphloom_core_graph::store::StoreError), from which it can be downcast.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncryptionError {
    /// The bytes given as a key are not one.
    #[error("a key has 32 bytes, not {found}; make one with a generator of random bytes")]
    KeyLength {
        /// How many there were.
        found: usize,
    },
    /// The name given to a key cannot be one.
    #[error("`{id}` cannot name a key; use 1 to 64 letters, digits, `-`, `_` and `.`")]
    KeyName {
        /// The name, escaped.
        id: String,
    },
    /// A value was encrypted with a key that is not there.
    #[error("{place} was encrypted with the key `{id}`, which is not among the keys here; give that key as well")]
    UnknownKey {
        /// The key's name.
        id: String,
        /// Where the value is.
        place: String,
    },
    /// A value is not what was encrypted for its place: damaged, moved, or encrypted with another key of the same name.
    #[error(
        "{place} cannot be trusted: it was changed or moved, or the key `{id}` is another one than that which wrote it"
    )]
    Refused {
        /// The key's name.
        id: String,
        /// Where the value is.
        place: String,
    },
    /// A value was never encrypted.
    #[error("{place} is not encrypted; this store was written without encryption, so open it without")]
    NotEncrypted {
        /// Where the value is.
        place: String,
    },
    /// The system gave no random bytes, or the value is too large for the cipher.
    #[error("{place} could not be encrypted: {message}")]
    Failed {
        /// Where the value was to be.
        place: String,
        /// Why.
        message: String,
    },
}

impl From<EncryptionError> for CheckpointError {
    fn from(error: EncryptionError) -> Self {
        Self::Store { action: "encryption".to_owned(), source: Box::new(error) }
    }
}

impl From<EncryptionError> for StoreError {
    fn from(error: EncryptionError) -> Self {
        Self::Store { action: "encryption".to_owned(), source: Box::new(error) }
    }
}
