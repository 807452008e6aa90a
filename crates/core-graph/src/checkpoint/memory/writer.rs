//! The writer of a lease.

use std::sync::{Arc, Mutex};

use super::{CheckpointError, Commit, Lease, MemoryCheckpointer, ThreadSlot};
use crate::checkpoint::LeaseWriter;

/// Writes a thread under a lease where it is called.
pub(super) struct MemoryWriter {
    pub(super) store: MemoryCheckpointer,
    /// The store does not forget the thread meanwhile, also when nothing of it is left.
    pub(super) slot: Arc<Mutex<ThreadSlot>>,
    pub(super) lease: Lease,
}

impl LeaseWriter for MemoryWriter {
    fn commit(&self, commit: &mut Commit) -> Result<(), CheckpointError> {
        self.store.commit_to(&self.slot, &self.lease, commit)
    }
}
