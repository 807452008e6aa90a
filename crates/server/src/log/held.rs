//! Entries in memory, in order, and how many bytes they take.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::log::entry::Entry;

/// Entries in memory, in order, and about how many bytes they take together.
#[derive(Default)]
pub(super) struct Held {
    entries: VecDeque<(Arc<Entry>, usize)>,
    bytes: usize,
}

/// How much may be held.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pub(super) entries: usize,
    pub(super) bytes: usize,
}

impl Held {
    pub(super) fn push(&mut self, entry: Arc<Entry>) {
        let bytes = entry.bytes();
        self.bytes += bytes;
        self.entries.push_back((entry, bytes));
    }

    pub(super) fn pop(&mut self) -> Option<Arc<Entry>> {
        let (entry, bytes) = self.entries.pop_front()?;
        self.bytes -= bytes;
        Some(entry)
    }

    /// The entry of a number, if it is held.
    pub(super) fn get(&self, seq: u64) -> Option<Arc<Entry>> {
        let first = self.entries.front()?.0.seq;
        let at = usize::try_from(seq.checked_sub(first)?).ok()?;
        self.entries.get(at).map(|(entry, _)| Arc::clone(entry))
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.entries.iter().map(|(entry, _)| entry)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether less is held than there may be.
    pub(super) fn is_below(&self, bound: Bound) -> bool {
        self.entries.len() < bound.entries && self.bytes < bound.bytes
    }

    /// The first entries, as many as a bound allows, and one at least where any is held.
    pub(super) fn first(&self, bound: Bound) -> Vec<Arc<Entry>> {
        let mut bytes = 0;
        let fit = self.entries.iter().take(bound.entries).take_while(|(_, size)| {
            bytes += size;
            bytes <= bound.bytes
        });
        let count = fit.count().max(1);
        self.entries.iter().take(count).map(|(entry, _)| Arc::clone(entry)).collect()
    }

    /// Lets the oldest entries go until the rest is within a bound. The newest stays.
    pub(super) fn shrink(&mut self, bound: Bound) {
        while self.entries.len() > 1 && (self.entries.len() > bound.entries || self.bytes > bound.bytes) {
            self.pop();
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}
