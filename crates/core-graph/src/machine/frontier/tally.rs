//! How many unfinished tasks each node has.

use smallvec::SmallVec;

/// How many tasks there are of each node that has any. Asking which nodes have tasks costs as much as there are such nodes,
/// however many tasks they have.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Nodes and their tasks, sorted by node. A node without tasks may be among them.
    counts: SmallVec<[(u32, u32); 2]>,
    /// How many nodes without tasks are.
    spent: usize,
}

/// Nodes without tasks are dropped when there are more than this, and more than of others.
const SPENT: usize = 8;

impl Tally {
    pub(super) fn add(&mut self, node: u32) {
        match self.counts.last_mut() {
            Some((last, count)) if *last == node => {
                self.spent -= usize::from(*count == 0);
                *count += 1;
            }
            Some((last, _)) if *last > node => match self.counts.binary_search_by_key(&node, |(node, _)| *node) {
                Ok(at) => {
                    self.spent -= usize::from(self.counts[at].1 == 0);
                    self.counts[at].1 += 1;
                }
                Err(at) => self.counts.insert(at, (node, 1)),
            },
            _ => self.counts.push((node, 1)),
        }
    }

    pub(super) fn remove(&mut self, node: u32) {
        let Ok(at) = self.counts.binary_search_by_key(&node, |(node, _)| *node) else { return };
        let count = &mut self.counts[at].1;
        if *count == 1 {
            self.spent += 1;
        }
        *count = count.saturating_sub(1);
        if self.spent > SPENT && self.spent * 2 > self.counts.len() {
            self.counts.retain(|(_, count)| *count > 0);
            self.spent = 0;
        }
    }

    pub(super) fn clear(&mut self) {
        self.counts.clear();
        self.spent = 0;
    }

    /// Puts a task of one node in the place of all.
    pub(super) fn set_only(&mut self, node: u32) {
        self.clear();
        self.counts.push((node, 1));
    }

    pub(super) fn has(&self, node: u32) -> bool {
        self.counts.binary_search_by_key(&node, |(node, _)| *node).is_ok_and(|at| self.counts[at].1 > 0)
    }

    /// The nodes that have tasks, sorted.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.counts.iter().filter(|(_, count)| *count > 0).map(|(node, _)| *node)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_map_counts_the_same(changes in prop::collection::vec((any::<bool>(), 0..40_u32), 0..300)) {
            let (mut tally, mut map) = (Tally::default(), BTreeMap::<u32, u32>::new());
            for (adds, node) in changes {
                if adds {
                    tally.add(node);
                    *map.entry(node).or_default() += 1;
                } else if map.get(&node).is_some_and(|count| *count > 0) {
                    tally.remove(node);
                    *map.entry(node).or_default() -= 1;
                }
                map.retain(|_, count| *count > 0);
                prop_assert_eq!(tally.nodes().collect::<Vec<_>>(), map.keys().copied().collect::<Vec<_>>());
                prop_assert_eq!(tally.has(node), map.contains_key(&node));
            }
        }
    }
}
