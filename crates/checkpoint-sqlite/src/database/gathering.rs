//! When a writer lets others queue their work first.

use std::sync::atomic::{AtomicU32, Ordering};

/// Says before which writes it is worth while to let other tasks queue theirs. While that brings more than one piece of work
/// together it is done before each write; each time it does not, twice as many writes go by before the next try. It is a
/// guess only: what it says changes how many share a transaction, and nothing else.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    /// Writes that go by before the next try.
    left: AtomicU32,
    /// Tries in a row that brought nothing together.
    vain: AtomicU32,
}

/// At most 2 to the power of this many writes go by before the next try.
const MOST: u32 = 6;

impl Gathering {
    /// Whether the next write is to let others queue theirs first.
    pub(super) fn is_due(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        left == 0
    }

    /// Takes in how many pieces of work came together.
    pub(super) fn found(&self, count: usize) {
        if count > 1 {
            self.vain.store(0, Ordering::Relaxed);
            self.left.store(0, Ordering::Relaxed);
        } else if count == 1 {
            let vain = self.vain.load(Ordering::Relaxed);
            self.vain.store((vain + 1).min(MOST), Ordering::Relaxed);
            self.left.store(1 << vain, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tries(gathering: &Gathering, writes: u32, found: usize) -> u32 {
        (0..writes)
            .map(|_| {
                let is_due = gathering.is_due();
                if is_due {
                    gathering.found(found);
                }
                u32::from(is_due)
            })
            .sum()
    }

    #[test]
    fn a_lone_writer_seldom_waits_for_others_and_one_of_many_always() {
        let gathering = Gathering::default();
        assert!(tries(&gathering, 640, 1) < 20);
        // The next try is at most so many writes away.
        assert!(tries(&gathering, 1 << MOST, 2) >= 1);
        assert_eq!(tries(&gathering, 100, 2), 100);
        assert!(tries(&gathering, 640, 1) < 20);
    }
}
