//! How long nodes take before they first wait.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// How long tasks of one dispatch may hold up each other and the driver.
pub(crate) const TIME_SLICE: Duration = Duration::from_micros(100);

/// Tasks that take less than this are done before another thread has taken them: a wake-up, two locks, and what moves
/// between the caches of two cores.
pub(crate) const SPAWN_COST: Duration = Duration::from_micros(2);

/// A node that was longer about it is taken for one that computes, for so many dispatches.
const DISPATCHES: u8 = 32;

/// What is known of how long a node takes before it first waits. A guess: it decides where tasks are polled first, and
/// nothing else.
#[derive(Debug)]
pub(crate) struct LatencyEstimate {
    /// For how many dispatches the node is taken for one that computes.
    slow: AtomicU8,
}

impl LatencyEstimate {
    /// Nothing is known: the node may compute.
    pub(crate) fn unknown() -> Self {
        Self { slow: AtomicU8::new(1) }
    }

    /// Whether tasks of the node may be polled one after the other. Each call counts as a dispatch.
    pub(crate) fn is_short(&self) -> bool {
        let left = self.slow.load(Ordering::Relaxed);
        if left > 0 {
            self.slow.store(left - 1, Ordering::Relaxed);
        }
        left == 0
    }

    /// Notes how long a task took before it ended or first waited.
    pub(crate) fn note(&self, took: Duration) {
        if took > TIME_SLICE {
            self.slow.store(DISPATCHES, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_computed_is_not_short_for_a_while() {
        let pace = LatencyEstimate::unknown();
        assert!(!pace.is_short(), "it has not run yet");
        pace.note(Duration::from_micros(3));
        assert!(pace.is_short());
        pace.note(TIME_SLICE * 2);
        assert!((0..DISPATCHES).all(|_| !pace.is_short()));
        assert!(pace.is_short());
    }
}
