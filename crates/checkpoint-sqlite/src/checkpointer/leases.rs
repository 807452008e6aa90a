//! The leases of this checkpointer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use graphloom_core_graph::checkpoint::Lease;

use crate::database::lock;
use crate::failure::Refusal;

#[derive(Debug)]
pub(super) struct Leases {
    instance: String,
    given: AtomicU64,
    live: Mutex<HashMap<Arc<str>, Live>>,
}

#[derive(Debug)]
struct Live {
    owner: Arc<str>,
    /// Whether the file may name the owner.
    claimed: bool,
}

/// A thread that is being asked for. Free again when dropped.
pub(super) struct Reserved<'l> {
    leases: &'l Leases,
    thread: Arc<str>,
    owner: Arc<str>,
    taken: bool,
}

impl Leases {
    pub(super) fn new(instance: &str) -> Self {
        Self { instance: instance.to_owned(), given: AtomicU64::new(0), live: Mutex::default() }
    }

    /// Keeps others of this checkpointer from asking for the thread.
    pub(super) fn reserve(&self, thread: &Arc<str>) -> Result<Reserved<'_>, Refusal> {
        let mut live = lock(&self.live);
        if let Some(live) = live.get(thread) {
            return Err(Refusal::Busy { thread: thread.to_string(), owner: live.owner.to_string() });
        }
        let number = self.given.fetch_add(1, Ordering::Relaxed) + 1;
        let owner: Arc<str> = format!("{}/{number}", self.instance).into();
        live.insert(Arc::clone(thread), Live { owner: Arc::clone(&owner), claimed: false });
        Ok(Reserved { leases: self, thread: Arc::clone(thread), owner, taken: false })
    }

    /// Notes that the lease writes; an error in words when it was given back.
    pub(super) fn claim(&self, lease: &Lease) -> Result<(), String> {
        match lock(&self.live).get_mut(&lease.thread) {
            Some(live) if live.owner == lease.owner => {
                live.claimed = true;
                Ok(())
            }
            _ => Err("the lease was given back".to_owned()),
        }
    }

    /// Ends a lease, and tells whether the file may still name its owner.
    pub(super) fn remove(&self, lease: &Lease) -> bool {
        let mut all = lock(&self.live);
        match all.get(&lease.thread) {
            Some(live) if live.owner == lease.owner => {
                let claimed = live.claimed;
                all.remove(&lease.thread);
                claimed
            }
            _ => false,
        }
    }
}

impl Reserved<'_> {
    /// The thread is taken until [`Leases::remove`].
    pub(super) fn into_lease(mut self, epoch: u64) -> Lease {
        self.taken = true;
        Lease { thread: Arc::clone(&self.thread), owner: Arc::clone(&self.owner), epoch }
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if !self.taken {
            lock(&self.leases.live).remove(&self.thread);
        }
    }
}
