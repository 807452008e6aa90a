//! The short way of plain steps into the store.

use std::sync::{Arc, Mutex, Weak};

use super::{Lease, Slot, lock};
use crate::checkpoint::{PlainStep, Teller};

/// Writes plain steps of a thread under a lease: those that a run hands over in short, as what differs from the checkpoint
/// before. The store makes rows of them when somebody reads them.
///
/// It holds nothing of the store: after the lease has ended, or with whatever is not as it should be, it writes nothing,
/// and the step goes to the store as a commit.
#[derive(Debug)]
pub struct StepWriter {
    slot: Weak<Mutex<Slot>>,
    lease: Lease,
}

impl StepWriter {
    pub(super) fn new(slot: &Arc<Mutex<Slot>>, lease: &Lease) -> Self {
        Self { slot: Arc::downgrade(slot), lease: lease.clone() }
    }

    /// Writes a step and what it changes, to be told at a place in the journal; false when it is to be a commit.
    pub(crate) fn write(&self, teller: &Arc<Teller>, step: &PlainStep, writes: &[u8], seq: u64) -> bool {
        let Some(slot) = self.slot.upgrade() else { return false };
        let mut slot = lock(&slot);
        let Slot { lease: Some(owner), thread: Some(thread) } = &mut *slot else { return false };
        let owns = Arc::ptr_eq(owner, &self.lease.owner) || *owner == self.lease.owner;
        owns && thread.put_step(self.lease.epoch, teller, step, writes, seq)
    }
}
