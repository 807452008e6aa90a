//! States of threads as they were last read, so that a thread is read again by what has changed since.

use std::fmt;
use std::sync::{Arc, Mutex};

use lru::LruCache;

use crate::lock::lock;
use crate::machine::Restored;
use crate::stored_state::{KnownState, bytes_of};

/// So many bytes of states are kept, counted as they are stored.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// A state of fewer bytes is not kept: it is read as quickly as what is known of it is looked up.
const LEAST_BYTES: usize = 4 * 1024;

/// The states that threads had when they were last read. When they take too many bytes, that of the thread which was not
/// read for the longest time goes.
pub(crate) struct KnownStates {
    recent: Mutex<Recent>,
    least: usize,
    most: usize,
}

struct Recent {
    states: LruCache<Arc<str>, KnownState>,
    bytes: usize,
}

impl KnownStates {
    /// For so many bytes of states.
    pub(super) fn new(most: usize) -> Self {
        Self { recent: Mutex::new(Recent { states: LruCache::unbounded(), bytes: 0 }), least: LEAST_BYTES, most }
    }

    /// For states of a few bytes, too.
    pub(crate) fn of_any_size() -> Self {
        Self { least: 0, ..Self::default() }
    }

    /// Takes the state of a thread as it was last read. Its reader keeps the one that it reads.
    pub(super) fn take(&self, thread: &str) -> Option<KnownState> {
        lock(&self.recent).take(thread)
    }

    /// Keeps the state of a thread that was read at its head. One that was migrated is not kept, since the store has it as
    /// it was.
    pub(super) fn keep(&self, thread: &Arc<str>, restored: &Restored) {
        let bytes = bytes_of(&restored.chains);
        if restored.migrated || bytes < self.least || bytes > self.most {
            return;
        }
        let state = KnownState::new(&restored.row, &restored.state, &restored.chains);
        let mut recent = lock(&self.recent);
        // Another reader may have kept one meanwhile.
        recent.take(thread);
        recent.states.push(Arc::clone(thread), state);
        recent.bytes += bytes;
        while recent.bytes > self.most
            && let Some((_, oldest)) = recent.states.pop_lru()
        {
            recent.bytes -= oldest.bytes();
        }
    }
}

impl Recent {
    fn take(&mut self, thread: &str) -> Option<KnownState> {
        let state = self.states.pop(thread)?;
        self.bytes -= state.bytes();
        Some(state)
    }
}

impl Default for KnownStates {
    fn default() -> Self {
        Self::new(MOST_BYTES)
    }
}

impl fmt::Debug for KnownStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownStates").field("bytes", &lock(&self.recent).bytes).finish_non_exhaustive()
    }
}
