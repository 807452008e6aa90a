//! The leases that one handle of a store has given.

use std::collections::HashMap;
use std::sync::Arc;

use super::Lease;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{Mutex, lock};

/// The leases that one open store has given and not got back: the part of ownership that is the same for every store
/// which several processes use. What other processes hold, the store must find out by itself.
#[derive(Debug)]
pub struct Leases {
    instance: String,
    given: AtomicU64,
    live: Mutex<HashMap<Arc<str>, LiveLease>>,
}

#[derive(Debug)]
struct LiveLease {
    owner: Arc<str>,
    /// Whether what is stored may name the owner.
    claimed: bool,
}

/// A thread that is being asked for. Free again when dropped.
#[derive(Debug)]
pub struct Reserved<'l> {
    leases: &'l Leases,
    thread: Arc<str>,
    owner: Arc<str>,
    taken: bool,
}

impl Leases {
    /// No leases yet. Owners will be named `instance/1`, `instance/2` and so on.
    pub fn new(instance: &str) -> Self {
        Self { instance: instance.to_owned(), given: AtomicU64::new(0), live: Mutex::default() }
    }

    /// Keeps others of this store from asking for the thread.
    ///
    /// # Errors
    /// The owner that holds it.
    pub fn reserve(&self, thread: &Arc<str>) -> Result<Reserved<'_>, Arc<str>> {
        let mut live = lock(&self.live);
        if let Some(live) = live.get(thread) {
            return Err(Arc::clone(&live.owner));
        }
        let number = self.given.fetch_add(1, Ordering::Relaxed) + 1;
        let owner: Arc<str> = format!("{}/{number}", self.instance).into();
        live.insert(Arc::clone(thread), LiveLease { owner: Arc::clone(&owner), claimed: false });
        Ok(Reserved { leases: self, thread: Arc::clone(thread), owner, taken: false })
    }

    /// Notes that the lease writes.
    ///
    /// # Errors
    /// In words, when it was given back.
    pub fn claim(&self, lease: &Lease) -> Result<(), String> {
        match lock(&self.live).get_mut(&lease.thread) {
            Some(live) if live.owner == lease.owner => {
                live.claimed = true;
                Ok(())
            }
            _ => Err("the lease was given back".to_owned()),
        }
    }

    /// Ends a lease, and tells whether what is stored may still name its owner.
    pub fn remove(&self, lease: &Lease) -> bool {
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
    pub fn into_lease(mut self, epoch: u64) -> Lease {
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

#[cfg(test)]
#[cfg(shuttle)]
mod races;
