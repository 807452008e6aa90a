//! The direct way into the store.

use std::sync::{Arc, Mutex, Weak};

use super::{CheckpointError, Commit, Lease, MemoryCheckpointer, ThreadSlot, lock};
use crate::checkpoint::{CompactStep, StepOrigin};

/// Writes a thread of this process's memory under a lease, without a future that would have to be waited for: commits,
/// and compact steps, as what differs from the checkpoint before. The store makes rows of those when somebody
/// reads them.
#[derive(Debug)]
pub struct DirectWriter {
    store: MemoryCheckpointer,
    /// After the lease has ended, the store may forget the thread.
    slot: Weak<Mutex<ThreadSlot>>,
    lease: Lease,
}

impl DirectWriter {
    pub(super) fn new(store: &MemoryCheckpointer, lease: &Lease) -> Option<Self> {
        let slot = Arc::downgrade(&store.slot(&lease.thread)?);
        Some(Self { store: store.clone(), slot, lease: lease.clone() })
    }

    pub(crate) fn commit(&self, mut commit: Commit) -> Result<(), CheckpointError> {
        self.store.commit_to(self.slot.upgrade(), &self.lease, &mut commit)
    }

    /// Writes a step and what it changes, with its place in the journal. Returns false when it is to be a commit.
    pub(crate) fn write(&self, origin: &Arc<StepOrigin>, step: &CompactStep, writes: &[u8], seq: u64) -> bool {
        let Some(slot) = self.slot.upgrade() else { return false };
        let mut slot = lock(&slot);
        let ThreadSlot { lease: Some(owner), thread: Some(thread) } = &mut *slot else { return false };
        let owns = Arc::ptr_eq(owner, &self.lease.owner) || *owner == self.lease.owner;
        owns && thread.put_step(self.lease.epoch, origin, step, writes, seq)
    }
}
