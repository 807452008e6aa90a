//! Commits that nobody has to wait for.

use super::{CheckpointError, Commit};

/// Writes commits under a lease where it is called; a store that never waits has [one](super::Checkpointer::writer) for each.
pub trait LeaseWriter: Send + Sync {
    /// Writes a commit, under all rules of [`Checkpointer::commit`](super::Checkpointer::commit). It takes out of the commit
    /// what it wants to keep, and leaves all else as it is: the caller uses the room again.
    ///
    /// # Errors
    /// Those of [`Checkpointer::commit`](super::Checkpointer::commit). Nothing is written then.
    fn commit(&self, commit: &mut Commit) -> Result<(), CheckpointError>;
}
