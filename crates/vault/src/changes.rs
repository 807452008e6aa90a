//! Pending changes: what is to be different in a vault, as data.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ContentHash, NotePath};

/// The pending change of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Change {
    /// The file the change was made from; `None`: there must be none.
    pub before: Option<ContentHash>,
    /// The whole text after it; `None`: the note goes to `.trash`, or to `moved_to`, or it has `carried`.
    pub after: Option<Arc<str>>,
    /// The hash of a file that comes here from `moved_from` as it is: a picture, or what else is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<ContentHash>,
    /// The bytes of `after` that were written by whoever made the edits; all others were there before, or are links
    /// that were rewritten for a move. In order, apart from each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Range<usize>>,
    /// The bytes of the original text that are not in `after`. They make it possible to join the change with a later
    /// edit of the file.
    #[serde(rename = "was", default, skip_serializing_if = "Option::is_none")]
    replaced: Option<ReplacedText>,
    /// The path it was moved from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<NotePath>,
    /// The path it is moved to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<NotePath>,
}

impl Change {
    /// The kind of the change.
    #[must_use]
    pub fn kind(&self) -> ChangeKind {
        match (&self.before, self.is_there()) {
            (_, true) if self.moved_from.is_some() => ChangeKind::Moved,
            (_, false) if self.moved_to.is_some() => ChangeKind::MovedAway,
            (None, _) => ChangeKind::Created,
            (_, false) => ChangeKind::Deleted,
            _ => ChangeKind::Edited,
        }
    }

    /// Whether there is a file after it.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.after.is_some() || self.carried.is_some()
    }

    /// The text that the change was made from, where that is known.
    pub(crate) fn base(&self) -> Option<String> {
        let (after, replaced) = (self.after.as_ref()?, self.replaced.as_ref()?);
        Some([after.get(..replaced.now.start)?, &replaced.before, after.get(replaced.now.end..)?].concat())
    }

    fn set_base(&mut self, base: Option<&str>) {
        self.replaced = self.after.as_ref().zip(base).map(|(after, base)| {
            let (before, now) = differing(base, after);
            ReplacedText { now, before: base[before].to_owned() }
        });
    }

    /// The hash of the file after it.
    pub(crate) fn hash_after(&self) -> Option<ContentHash> {
        self.carried.clone().or_else(|| self.after.as_ref().map(|text| ContentHash::of(text.as_bytes())))
    }
}

/// A range of the new text, and the text that it replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct ReplacedText {
    now: Range<usize>,
    before: String,
}

/// What kind of change a note undergoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// A new note.
    Created,
    /// The same note with another text.
    Edited,
    /// The new place of a moved note.
    Moved,
    /// The old place of a moved note.
    MovedAway,
    /// A note that goes to `.trash`.
    Deleted,
}

/// A note that moves, and the notes whose links are rewritten for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Move {
    /// Where it is.
    pub from: NotePath,
    /// Where it is to be.
    pub to: NotePath,
    /// The notes, after the move, whose links were rewritten.
    pub relinked: BTreeSet<NotePath>,
}

/// The pending changes of a run, by path. Cloning is cheap: texts are shared.
///
/// A change that ends where it began is not in it. Changes that only make sense together (a move and the links
/// rewritten for it) are one [group](Self::groups), and a part of the changes is always made of whole groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    #[serde(default)]
    files: BTreeMap<NotePath, Change>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moves: Vec<Move>,
    /// Other changes that only make sense together: a merge, or a new note and the links that would have led to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ties: Vec<BTreeSet<NotePath>>,
    /// Notes that go, and the note that links to each are led to.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    redirects: BTreeMap<NotePath, NotePath>,
}

/// The content that a path is to have.
#[derive(Clone, Debug)]
pub(crate) enum After {
    /// Nothing.
    Gone,
    /// This text, of which these bytes are the author's.
    Text(Arc<str>, Vec<Range<usize>>),
    /// The bytes with this hash, from where they are.
    Carried(ContentHash),
}

impl Changes {
    /// Whether nothing is to change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// How many files are to change; a move counts both its places.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// The change of a path.
    #[must_use]
    pub fn get(&self, path: &NotePath) -> Option<&Change> {
        self.files.get(path)
    }

    /// All changes in the order of their paths.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&NotePath, &Change)> {
        self.files.iter()
    }

    /// The moves among them, in the order they were made.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The sets of paths tied to each other for another reason than a move.
    #[must_use]
    pub fn ties(&self) -> &[BTreeSet<NotePath>] {
        &self.ties
    }

    /// The paths that can only be applied together, each group in order; groups are ordered by their first path.
    #[must_use]
    pub fn groups(&self) -> Vec<BTreeSet<NotePath>> {
        let tied = self.moves.iter().map(|moved| {
            let mut paths = moved.relinked.clone();
            paths.insert(moved.from.clone());
            paths.insert(moved.to.clone());
            paths
        });
        let single = self.files.keys().map(|path| BTreeSet::from([path.clone()]));
        let mut groups = connected(tied.chain(self.ties.iter().cloned()).chain(single));
        for group in &mut groups {
            group.retain(|path| self.files.contains_key(path));
        }
        groups.retain(|group| !group.is_empty());
        groups.sort();
        groups
    }

    /// The changes of the groups that hold any of these paths.
    #[must_use]
    pub fn only<'a>(&self, paths: impl IntoIterator<Item = &'a NotePath>) -> Self {
        let wanted: BTreeSet<&NotePath> = paths.into_iter().collect();
        let selected: BTreeSet<NotePath> = self
            .groups()
            .into_iter()
            .filter(|group| group.iter().any(|path| wanted.contains(path)))
            .flatten()
            .collect();
        Self {
            files: self
                .files
                .iter()
                .filter(|(path, _)| selected.contains(*path))
                .map(|(p, c)| (p.clone(), c.clone()))
                .collect(),
            moves: self.moves.iter().filter(|moved| selected.contains(&moved.to)).cloned().collect(),
            ties: self.ties.iter().filter(|tie| tie.iter().any(|path| selected.contains(path))).cloned().collect(),
            redirects: self
                .redirects
                .iter()
                .filter(|(gone, _)| selected.contains(*gone))
                .map(|(gone, to)| (gone.clone(), to.clone()))
                .collect(),
        }
    }

    /// Says what a path is to hold; `before` is what it holds when this is its first change.
    pub(crate) fn put(&mut self, path: &NotePath, before: Option<ContentHash>, after: After) {
        let change = self.files.entry(path.clone()).or_insert_with(|| Change { before, ..Change::default() });
        (change.after, change.carried, change.written) = match after {
            After::Gone => (None, None, Vec::new()),
            After::Text(text, written) => (Some(text), None, written),
            After::Carried(hash) => (None, Some(hash), Vec::new()),
        };
    }

    /// Says what text the change of a path was made from.
    pub(crate) fn set_base(&mut self, path: &NotePath, base: Option<&str>) {
        if let Some(change) = self.files.get_mut(path) {
            change.set_base(base);
        }
    }

    /// Lets the change of a path start from what is there now. [`settle`](Self::settle) comes after it.
    pub(crate) fn rebase(&mut self, path: &NotePath, before: Option<ContentHash>) {
        if let Some(change) = self.files.get_mut(path) {
            change.before = before;
        }
    }

    /// Says what file is carried to a path.
    pub(crate) fn carry(&mut self, path: &NotePath, hash: ContentHash) {
        if let Some(change) = self.files.get_mut(path) {
            change.carried = Some(hash);
        }
    }

    /// Gives the change of a path another text, made from `base`.
    pub(crate) fn rewrite(&mut self, path: &NotePath, text: Arc<str>, written: Vec<Range<usize>>, base: &str) {
        if let Some(change) = self.files.get_mut(path) {
            change.after = Some(text);
            change.written = written;
            change.set_base(Some(base));
        }
    }

    /// Ties paths to each other.
    pub(crate) fn tie(&mut self, paths: BTreeSet<NotePath>) {
        self.ties.push(paths);
        self.settle();
    }

    /// Records that links to a note that goes lead to another one.
    pub(crate) fn redirect(&mut self, gone: &NotePath, to: &NotePath) {
        for led in self.redirects.values_mut().filter(|led| *led == gone) {
            *led = to.clone();
        }
        self.redirects.insert(gone.clone(), to.clone());
    }

    /// The notes that go, and where links to them are led.
    pub(crate) fn redirects(&self) -> &BTreeMap<NotePath, NotePath> {
        &self.redirects
    }

    /// Takes a move, and joins it to the one that brought the file to where it leaves from. When all moves of a step
    /// are taken, [`settle`](Self::settle) comes: before that, one of them can look as if it had lost its end.
    pub(crate) fn record_move(&mut self, from: &NotePath, to: &NotePath, relinked: BTreeSet<NotePath>) {
        let earlier = self.moves.iter().position(|moved| moved.to == *from);
        let mut whole = match earlier {
            Some(at) => self.moves.remove(at),
            None => Move { from: from.clone(), to: to.clone(), relinked: BTreeSet::new() },
        };
        whole.to = to.clone();
        whole.relinked.extend(relinked);
        for paths in self.moves.iter_mut().chain([&mut whole]).map(|moved| &mut moved.relinked).chain(&mut self.ties) {
            if paths.remove(from) {
                paths.insert(to.clone());
            }
        }
        for led in self.redirects.values_mut().filter(|led| *led == from) {
            *led = to.clone();
        }
        self.moves.push(whole);
    }

    /// Drops changes that end where they began, and moves that lost one of their ends, and marks the ends of the rest.
    pub(crate) fn settle(&mut self) {
        self.files.retain(|_, change| change.before != change.hash_after());
        let files = &self.files;
        self.moves.retain(|moved| {
            moved.from != moved.to
                && files.get(&moved.from).is_some_and(|change| change.before.is_some())
                && files.get(&moved.to).is_some_and(Change::is_there)
        });
        self.redirects.retain(|gone, to| {
            files.get(gone).is_some_and(|change| change.before.is_some() && !change.is_there())
                && files.get(to).is_none_or(Change::is_there)
        });
        for moved in &mut self.moves {
            moved.relinked.retain(|path| files.contains_key(path));
        }
        for tie in &mut self.ties {
            tie.retain(|path| files.contains_key(path));
        }
        self.ties.retain(|tie| tie.len() > 1);
        for (path, change) in &mut self.files {
            change.moved_from = self.moves.iter().find(|moved| moved.to == *path).map(|moved| moved.from.clone());
            let away = self.moves.iter().find(|moved| moved.from == *path).map(|moved| moved.to.clone());
            change.moved_to = if change.is_there() { None } else { away };
        }
    }
}

/// The bytes from the first to the last that differ, in each of two texts.
pub(crate) fn differing(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let mut start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    while !(old.is_char_boundary(start) && new.is_char_boundary(start)) {
        start -= 1;
    }
    let most = old.len().min(new.len()) - start;
    let mut same = old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
    while !(old.is_char_boundary(old.len() - same) && new.is_char_boundary(new.len() - same)) {
        same -= 1;
    }
    (start..old.len() - same, start..new.len() - same)
}

/// Joins sets that share a member, until none do.
pub(crate) fn connected(sets: impl IntoIterator<Item = BTreeSet<NotePath>>) -> Vec<BTreeSet<NotePath>> {
    let mut groups: Vec<BTreeSet<NotePath>> = Vec::new();
    let mut group_of: BTreeMap<NotePath, usize> = BTreeMap::new();
    for set in sets {
        let touched: BTreeSet<usize> = set.iter().filter_map(|path| group_of.get(path).copied()).collect();
        let home = touched.first().copied().unwrap_or_else(|| {
            groups.push(BTreeSet::new());
            groups.len() - 1
        });
        let mut members = set;
        for other in touched.into_iter().filter(|other| *other != home) {
            members.append(&mut std::mem::take(&mut groups[other]));
        }
        for path in members {
            group_of.insert(path.clone(), home);
            groups[home].insert(path);
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}
