//! Where the rows of a lease's thread are, so that a commit need not look them up.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use graphloom_core_graph::checkpoint::Lease;

use super::names::RequestedNames;
use crate::database::lock;

/// What the commits of a lease have found. Nothing is taken for granted: the statement that moves a head by it also
/// checks that the head, its thread and the owner are what they were.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The thread's row.
    pub(super) thread: i64,
    /// The row of each namespace.
    pub(super) heads: BTreeMap<Arc<str>, i64>,
    /// The newest sequence number of the journal, which only the owner of the thread writes.
    pub(super) last_seq: Option<u64>,
    /// Names of fields.
    pub(super) asked: RequestedNames,
}

/// Facts about each lease that need not be read again, by owner.
#[derive(Debug, Default)]
pub(super) struct Leased(Mutex<HashMap<Arc<str>, Arc<Mutex<Known>>>>);

impl Leased {
    pub(super) fn of(&self, lease: &Lease) -> Arc<Mutex<Known>> {
        let mut leased = lock(&self.0);
        match leased.get(&lease.owner) {
            Some(known) => Arc::clone(known),
            None => Arc::clone(leased.entry(Arc::clone(&lease.owner)).or_default()),
        }
    }

    /// Forgets a lease: it has ended, or a commit of it was undone.
    pub(super) fn forget(&self, lease: &Lease) {
        lock(&self.0).remove(&lease.owner);
    }
}
