//! What can go wrong with the index of a vault.

use std::path::PathBuf;

use graphloom_retrieval::RetrievalError;
use graphloom_vault::VaultError;

/// An error of the index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The full-text index failed.
    #[error(transparent)]
    Retrieval(#[from] RetrievalError),
    /// The vault cannot be listed.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// A file of the index cannot be written.
    #[error("the index file `{}` cannot be written: {source}; free some space or choose another `--data-dir`", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
}
