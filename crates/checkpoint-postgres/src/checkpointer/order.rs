//! The order of a thread's commits, which run on several connections.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One turn per thread; who waits for it gets it in the order of asking.
#[derive(Debug, Default)]
pub(super) struct Order {
    turns: Mutex<HashMap<Arc<str>, Turn>>,
}

pub(super) type Turn = Arc<tokio::sync::Mutex<()>>;

impl Order {
    pub(super) fn turn(&self, thread: &Arc<str>) -> Turn {
        Arc::clone(self.lock().entry(Arc::clone(thread)).or_default())
    }

    /// Forgets a thread that nobody waits for.
    pub(super) fn forget(&self, thread: &str) {
        let mut turns = self.lock();
        // One is the map's own; turns are taken only under the map's lock.
        if turns.get(thread).is_some_and(|turn| Arc::strong_count(turn) <= 2) {
            turns.remove(thread);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Turn>> {
        // No change of the map is made in two parts.
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
