//! States in segments: of a state that was stored before, what changed.
//!
//! Each commit tells the whole state, and the log of a state that grows would take the square of its size. A state that is not
//! small is stored beside its entry: whole, or as what changed since the commit before it in its namespace, where that is
//! less. A segment that needs none before it is the base of those that follow, and each names its base: whoever reads a segment
//! in the middle reads from there on. A base is followed by changes that together take about as much as it does, so that all
//! segments together take about twice what changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use json_patch::Patch;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::graph::Fields;
use crate::log::entry::{CommitOf, Entry, LogEvent};

/// A state that takes less is stored with its entry.
const SMALL: usize = 1 << 10;

/// A base is followed by so many segments at most: so many are read to read one in the middle.
const FOLLOWING: u64 = 128;

/// The state of a commit.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stored<'s> {
    Whole(Cow<'s, Fields>),
    /// By field.
    Changes(BTreeMap<Cow<'s, str>, Change<'s>>),
}

/// What became of a field.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Change<'s> {
    Set(Cow<'s, Value>),
    /// RFC 6902.
    Patch(Patch),
    Removed,
}

/// What entries are stored as.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Packed {
    /// The index of the segment from which on it is read.
    pub(super) base: u64,
    /// JSON of the entries, without the states that are not small. Nobody asks for what is inside of it, and a text is a
    /// fraction of the memory and the time of a tree of values.
    pub(super) entries: String,
    /// JSON of those, by the numbers of their entries.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) states: String,
}

impl Packed {
    /// What a segment without entries holds.
    pub(super) fn nothing(index: u64) -> Self {
        Self { base: index, entries: "[]".to_owned(), states: String::new() }
    }
}

/// Makes segments of entries, one after the other.
#[derive(Default)]
pub(super) struct Packer {
    base: u64,
    /// The newest commit whose state is not small, by namespace, since the base.
    commits: HashMap<Arc<str>, Arc<Entry>>,
    /// Bytes of states that are stored whole, and of changes, since the base.
    whole_bytes: usize,
    changes_bytes: usize,
}

impl Packer {
    /// Packs the entries of segment `index`, which follows those that were packed before.
    ///
    /// # Errors
    /// An entry that is no JSON.
    pub(super) fn pack(&mut self, index: u64, entries: &[Arc<Entry>]) -> Result<Packed, serde_json::Error> {
        if self.commits.is_empty()
            || self.changes_bytes >= self.whole_bytes
            || index.saturating_sub(self.base) >= FOLLOWING
        {
            *self = Self { base: index, ..Self::default() };
        }
        let mut states = Vec::new();
        let mut bare = Vec::with_capacity(entries.len());
        for entry in entries {
            let LogEvent::Commit(commit) = &entry.event else {
                bare.push(Arc::clone(entry));
                continue;
            };
            let bytes = entry.bytes();
            if bytes < SMALL {
                self.commits.remove(&entry.ns);
                bare.push(Arc::clone(entry));
                continue;
            }
            states.push(format!("[{},{}]", entry.seq, self.state(entry, commit, bytes)?));
            self.commits.insert(Arc::clone(&entry.ns), Arc::clone(entry));
            bare.push(Arc::new(without_state(entry, commit)));
        }
        let states = if states.is_empty() { String::new() } else { format!("[{}]", states.join(",")) };
        Ok(Packed { base: self.base, entries: serde_json::to_string(&bare)?, states })
    }

    /// JSON of a state, whose entry takes about so many bytes.
    fn state(&mut self, entry: &Entry, commit: &CommitOf, bytes: usize) -> Result<String, serde_json::Error> {
        if let Some(LogEvent::Commit(before)) = self.commits.get(&entry.ns).map(|entry| &entry.event) {
            let changes = serde_json::to_string(&Stored::Changes(changes(&before.values, &commit.values)))?;
            if changes.len() < bytes / 2 {
                self.changes_bytes += changes.len();
                return Ok(changes);
            }
        }
        let whole = serde_json::to_string(&Stored::Whole(Cow::Borrowed(&commit.values)))?;
        self.whole_bytes += whole.len();
        Ok(whole)
    }
}

fn changes<'s>(before: &'s Fields, now: &'s Fields) -> BTreeMap<Cow<'s, str>, Change<'s>> {
    let mut changes = BTreeMap::new();
    for (name, value) in now {
        let change = match before.get(name) {
            Some(before) if before == value => continue,
            Some(before @ (Value::Array(_) | Value::Object(_))) => Change::Patch(json_patch::diff(before, value)),
            _ => Change::Set(Cow::Borrowed(value)),
        };
        changes.insert(Cow::Borrowed(name.as_str()), change);
    }
    for name in before.keys().filter(|name| !now.contains_key(*name)) {
        changes.insert(Cow::Borrowed(name.as_str()), Change::Removed);
    }
    changes
}

fn without_state(entry: &Entry, commit: &CommitOf) -> Entry {
    let CommitOf { number, parent, source, changed, next, values: _ } = commit;
    let (changed, next) = (changed.clone(), next.clone());
    let commit = CommitOf { number: *number, parent: *parent, source: *source, changed, next, values: Fields::new() };
    Entry { ns: Arc::clone(&entry.ns), event: LogEvent::Commit(commit), ..*entry }
}

/// Which states a reader looks at. Small ones are there for all.
#[derive(Clone, Debug, Default)]
pub(super) enum Looks {
    #[default]
    AtAll,
    AtNone,
    /// Those of the entries of these numbers.
    At(BTreeSet<u64>),
}

/// Reads segments, one after the other from a base on.
#[derive(Default)]
pub(super) struct Unpacker {
    /// The newest states that are not small, by namespace.
    states: HashMap<Arc<str>, Fields>,
    looks: Looks,
}

impl Unpacker {
    /// Leaves states out that the reader does not look at. To make those of every commit takes the square of what changed.
    pub(super) fn look(&mut self, looks: Looks) {
        self.looks = looks;
    }

    /// Whether a segment is read from its base on.
    pub(super) fn needs_base(&self) -> bool {
        !matches!(self.looks, Looks::AtNone)
    }

    /// Forgets what was read: what is read next is a base.
    pub(super) fn begin(&mut self) {
        self.states.clear();
    }

    /// Passes over segment `index`, which follows the one that was read before.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn skip(&mut self, index: u64, packed: &Packed) -> Result<(), String> {
        self.read(index, packed, false).map(drop)
    }

    /// The entries of segment `index`, which follows the one that was read before.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn unpack(&mut self, index: u64, packed: &Packed) -> Result<Vec<Arc<Entry>>, String> {
        Ok(self.read(index, packed, true)?.into_iter().map(Arc::new).collect())
    }

    fn read(&mut self, index: u64, packed: &Packed, is_wanted: bool) -> Result<Vec<Entry>, String> {
        let mut entries: Vec<Entry> = serde_json::from_str(&packed.entries).map_err(|error| error.to_string())?;
        if matches!(self.looks, Looks::AtNone) {
            return Ok(entries);
        }
        let states: Vec<(u64, Stored<'_>)> = match packed.states.as_str() {
            "" => Vec::new(),
            states => serde_json::from_str(states).map_err(|error| error.to_string())?,
        };
        if packed.base == index {
            self.begin();
        }
        let mut states = states.into_iter().peekable();
        for entry in &mut entries {
            let LogEvent::Commit(commit) = &mut entry.event else { continue };
            let Some((seq, stored)) = states.next_if(|(seq, _)| *seq == entry.seq) else {
                self.states.remove(&entry.ns);
                continue;
            };
            let state = self.states.entry(Arc::clone(&entry.ns)).or_default();
            change(state, stored).map_err(|error| format!("the state of entry {seq}: {error}"))?;
            let is_looked_at = match &self.looks {
                Looks::AtAll => true,
                Looks::AtNone => false,
                Looks::At(numbers) => numbers.contains(&seq),
            };
            if is_wanted && is_looked_at {
                commit.values.clone_from(state);
            }
        }
        match states.next() {
            Some((seq, _)) => Err(format!("it has a state of entry {seq}, which is no commit of it")),
            None => Ok(entries),
        }
    }
}

fn change(state: &mut Fields, stored: Stored<'_>) -> Result<(), String> {
    let changes = match stored {
        Stored::Whole(whole) => {
            *state = whole.into_owned();
            return Ok(());
        }
        Stored::Changes(changes) => changes,
    };
    for (name, change) in changes {
        match change {
            Change::Set(value) => drop(state.insert(name.into_owned(), value.into_owned())),
            Change::Removed => drop(state.remove(&*name)),
            Change::Patch(patch) => {
                let value = state.get_mut(&*name).ok_or_else(|| format!("`{name}` was not there before"))?;
                json_patch::patch(value, &patch).map_err(|error| error.to_string())?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use graphloom_core_graph::checkpoint::Source;
    use proptest::prelude::*;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn commit(seq: u64, ns: &str, values: &Value) -> Arc<Entry> {
        let values = values.as_object().unwrap().clone();
        let next = vec![];
        let commit = CommitOf { number: seq, parent: None, source: Source::Step, changed: vec![], next, values };
        let (time, run) = (0, Uuid::nil());
        Arc::new(Entry { seq, time, run, ns: ns.into(), step: 0, event: LogEvent::Commit(commit) })
    }

    fn same(read: &[Arc<Entry>], told: &[Arc<Entry>]) -> bool {
        serde_json::to_value(read).unwrap() == serde_json::to_value(told).unwrap()
    }

    /// Bytes of a thread that is told of so many messages, one a segment.
    fn bytes(messages: usize) -> usize {
        let (mut packer, mut all) = (Packer::default(), Vec::new());
        let mut bytes = 0;
        for index in 0..messages {
            all.push(json!({"role": "human", "content": format!("{index} {}", "x".repeat(200))}));
            let entry = commit(index as u64 + 1, "", &json!({"messages": all, "title": "y".repeat(500)}));
            let packed = packer.pack(index as u64, &[entry]).unwrap();
            bytes += packed.entries.len() + packed.states.len();
        }
        bytes
    }

    #[test]
    fn a_state_that_grows_takes_little_more_than_what_was_added() {
        let (some, many) = (bytes(200), bytes(800));
        // Whole states of 800 messages take 80 MB.
        assert!(many < 1_500_000 && many < 8 * some, "{some} {many}");
    }

    fn state() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![any::<bool>().prop_map(Value::from), "[a-c~/]{0,3}".prop_map(Value::from)];
        let value = leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c~/]{0,2}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
            ]
        });
        (prop::collection::btree_map("[a-d]", value, 0..4), any::<bool>()).prop_map(|(fields, is_large)| {
            let mut fields: serde_json::Map<String, Value> = fields.into_iter().collect();
            if is_large {
                fields.insert("large".to_owned(), "z".repeat(SMALL).into());
            }
            fields.into()
        })
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_was_told_from_wherever_it_is_read(
            told in prop::collection::vec(prop::collection::vec((0..2_usize, state()), 1..4), 1..24),
            from in any::<prop::sample::Index>(),
        ) {
            let (mut packer, mut seq) = (Packer::default(), 0);
            let segments: Vec<_> = (0_u64..).zip(&told).map(|(index, commits)| {
                let entries: Vec<_> = commits.iter().map(|(ns, state)| {
                    seq += 1;
                    commit(seq, ["", "a"][*ns], state)
                }).collect();
                let packed = packer.pack(index, &entries).unwrap();
                (index, packed, entries)
            }).collect();
            let base = segments[from.index(segments.len())].1.base;
            let mut unpacker = Unpacker::default();
            for (index, packed, entries) in segments.iter().filter(|(index, ..)| *index >= base) {
                prop_assert!(same(&unpacker.unpack(*index, packed).unwrap(), entries));
            }
        }
    }
}
