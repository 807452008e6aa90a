//! The working memory: few entries, the important ones kept.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::unit;
use super::{CompletionSignal, EntryKind, MemoryEntry};

/// The limit of entries, unless another one is set.
const ENTRIES: usize = 50;
/// The limit of one entry, in characters.
const CHARACTERS: usize = 2_000;

/// What an agent keeps in mind while it works: a list in the order of insertion that forgets the least important.
///
/// Over the limit the entry of the lowest importance goes, the oldest among equals; the newest plan never goes. Clones
/// share their entries, so that a snapshot costs nothing.
///
/// ```
/// use graphloom_agents::{EntryKind, MemoryEntry, WorkingMemory};
///
/// let mut memory = WorkingMemory::with_limit(2);
/// memory.remember(MemoryEntry::new(EntryKind::Action, "search", 1, "searched for tides"));
/// memory.remember(MemoryEntry::new(EntryKind::Observation, "search", 1, "found three notes"));
/// memory.remember(MemoryEntry::new(EntryKind::Plan, "analyze", 2, "write an index"));
/// let kept: Vec<&str> = memory.iter().map(|entry| entry.content.as_str()).collect();
/// assert_eq!(kept, ["found three notes", "write an index"]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkingMemory {
    entries: Arc<Vec<Arc<MemoryEntry>>>,
    limit: usize,
    characters: usize,
    /// The number of the next id.
    next: u64,
}

impl Default for WorkingMemory {
    /// An empty memory of at most 50 entries of 2000 characters.
    fn default() -> Self {
        Self::with_limit(ENTRIES)
    }
}

impl WorkingMemory {
    /// An empty memory of at most this many entries, and at least one.
    pub fn with_limit(entries: usize) -> Self {
        Self { entries: Arc::default(), limit: entries.max(1), characters: CHARACTERS, next: 1 }
    }

    /// The same memory with another limit for the text of one entry, in characters.
    #[must_use]
    pub fn with_characters(mut self, characters: usize) -> Self {
        self.characters = characters;
        self
    }

    /// The most entries that are kept.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry, gives it the next id, cuts its text at the limit, and forgets what is over the limit of entries.
    /// Returns the id.
    pub fn remember(&mut self, mut entry: MemoryEntry) -> String {
        let id = format!("m{}", self.next);
        self.next = self.next.saturating_add(1);
        entry.id.clone_from(&id);
        entry.importance = unit(entry.importance);
        if let Some((cut, _)) = entry.content.char_indices().nth(self.characters) {
            entry.omitted += entry.content[cut..].chars().count();
            entry.content.truncate(cut);
        }
        Arc::make_mut(&mut self.entries).push(Arc::new(entry));
        self.prune();
        id
    }

    /// Adds entries in order. It has the form of a reducer: `#[state(reduce_with = WorkingMemory::remember_all, update =
    /// Vec<MemoryEntry>)]`.
    pub fn remember_all(&mut self, entries: Vec<MemoryEntry>) {
        for entry in entries {
            self.remember(entry);
        }
    }

    /// All entries in the order of insertion.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &MemoryEntry> {
        self.entries.iter().map(|entry| &**entry)
    }

    /// The newest entry of a kind.
    pub fn newest(&self, kind: EntryKind) -> Option<&MemoryEntry> {
        self.iter().rev().find(|entry| entry.kind == kind)
    }

    /// The newest signal that the work is complete.
    pub fn signal(&self) -> Option<&CompletionSignal> {
        self.iter().rev().find_map(|entry| entry.signal.as_ref())
    }

    /// The `most` most important entries that fit, newer ones first among equals, in the order of insertion.
    pub fn recall(&self, most: usize, fits: impl Fn(&MemoryEntry) -> bool) -> Vec<&MemoryEntry> {
        let mut ranked: Vec<(usize, &MemoryEntry)> = self.iter().enumerate().filter(|(_, entry)| fits(entry)).collect();
        ranked.sort_by(|(i, a), (j, b)| b.importance.total_cmp(&a.importance).then(j.cmp(i)));
        ranked.truncate(most);
        ranked.sort_by_key(|(index, _)| *index);
        ranked.into_iter().map(|(_, entry)| entry).collect()
    }

    fn prune(&mut self) {
        let limit = self.limit.max(1);
        while self.entries.len() > limit {
            let plan = self.entries.iter().rposition(|entry| entry.kind == EntryKind::Plan);
            let candidates = self.entries.iter().enumerate().filter(|(index, _)| Some(*index) != plan);
            // The first of equals is the oldest.
            let least = candidates.min_by(|(_, a), (_, b)| a.importance.total_cmp(&b.importance));
            let Some((index, _)) = least else { return };
            Arc::make_mut(&mut self.entries).remove(index);
        }
    }
}
