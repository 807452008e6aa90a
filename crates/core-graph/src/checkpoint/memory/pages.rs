//! Rows in pages.

use super::{CheckpointRow, FieldRecord, JournalRow};

/// Rows in the order of their keys. They stand in pages, so that a row is never moved when others are added: what a
/// commit costs does not depend on how many rows there are.
#[derive(Clone, Debug)]
pub(super) struct Pages<T>(Vec<Vec<T>>);

/// Rows of a page.
const ROOM: usize = 128;

/// A row with a key of its own.
pub(super) trait Keyed {
    fn key(&self) -> u64;
}

impl Keyed for CheckpointRow {
    fn key(&self) -> u64 {
        self.number
    }
}

impl Keyed for FieldRecord {
    fn key(&self) -> u64 {
        self.version
    }
}

impl Keyed for JournalRow {
    fn key(&self) -> u64 {
        self.seq
    }
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Keyed> Pages<T> {
    /// Adds a row, or replaces the one of its key.
    pub(super) fn put(&mut self, row: T) {
        match self.0.last_mut() {
            Some(page) if page.last().is_none_or(|last| last.key() < row.key()) => {
                if page.len() < ROOM {
                    page.push(row);
                } else {
                    let mut page = Vec::with_capacity(ROOM);
                    page.push(row);
                    self.0.push(page);
                }
            }
            Some(_) => {
                let at = self.page_of(row.key());
                let Some(page) = self.0.get_mut(at) else { return };
                match page.binary_search_by_key(&row.key(), Keyed::key) {
                    Ok(at) => page[at] = row,
                    Err(at) => page.insert(at, row),
                }
            }
            // The first page grows with its rows: most threads are short.
            None => self.0.push(vec![row]),
        }
    }

    /// The page in which a key is, if it is anywhere.
    fn page_of(&self, key: u64) -> usize {
        self.0.partition_point(|page| page.first().is_some_and(|first| first.key() <= key)).saturating_sub(1)
    }

    /// The row of a key.
    pub(super) fn get(&self, key: u64) -> Option<&T> {
        let page = self.0.get(self.page_of(key))?;
        page.binary_search_by_key(&key, Keyed::key).ok().and_then(|at| page.get(at))
    }

    /// The rows after a key.
    pub(super) fn after(&self, key: u64) -> impl Iterator<Item = &T> {
        let pages = self.0.get(self.page_of(key)..).unwrap_or_default();
        pages.iter().flatten().skip_while(move |row| row.key() <= key)
    }

    pub(super) fn last(&self) -> Option<&T> {
        self.0.last()?.last()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.iter().flatten()
    }

    pub(super) fn retain(&mut self, mut stays: impl FnMut(&T) -> bool) {
        self.0.iter_mut().for_each(|page| page.retain(&mut stays));
        self.0.retain(|page| !page.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    impl Keyed for (u64, usize) {
        fn key(&self) -> u64 {
            self.0
        }
    }

    proptest! {
        #[test]
        fn pages_hold_what_a_map_holds(
            first in 0..600_u64,
            more in prop::collection::vec(0..700_u64, 0..200),
            gone in prop::collection::btree_set(0..700_u64, 0..300),
            asked in 0..800_u64,
        ) {
            let keys = (0..first).map(|key| key * 2).chain(more);
            let (mut pages, mut map) = (Pages::default(), BTreeMap::new());
            for row in keys.zip(0..) {
                pages.put(row);
                map.insert(row.0, row.1);
            }
            for round in 0..2 {
                prop_assert!(pages.iter().copied().eq(map.clone()));
                prop_assert_eq!((pages.len(), pages.is_empty()), (map.len(), map.is_empty()));
                prop_assert_eq!(pages.get(asked).copied(), map.get(&asked).map(|place| (asked, *place)));
                prop_assert_eq!(pages.last().copied(), map.iter().next_back().map(|(key, place)| (*key, *place)));
                let after = map.range(asked + 1..).map(|(key, place)| (*key, *place));
                prop_assert!(pages.after(asked).copied().eq(after));
                if round == 0 {
                    pages.retain(|(key, _)| !gone.contains(key));
                    map.retain(|key, _| !gone.contains(key));
                }
            }
        }
    }
}
