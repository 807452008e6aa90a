//! Pending changes shown: line by line, and by what they mean.

mod semantic;

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use crate::{Change, ChangeKind, Changes, Note, NotePath, Notes, Vault};
pub use semantic::SemanticChange;

/// The changes of a run as a person reviews them. [`Display`](fmt::Display) shows them all as text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Diff {
    /// One for each note that changes; a move is one, under its new path.
    pub files: Vec<FileDiff>,
}

/// The change of one note, for reading.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FileDiff {
    /// The note; a moved one by its new path.
    pub path: NotePath,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// Where a moved note was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<NotePath>,
    /// The difference in the unified form, without file names; empty for a note that only moves.
    pub unified: String,
    /// How many lines are new.
    pub added: usize,
    /// How many lines are gone.
    pub removed: usize,
    /// Changed keys and links.
    pub meanings: Vec<SemanticChange>,
    /// Whether the note on disk is no longer what the change was made from. The difference is to what that was, where
    /// it is known; applying needs [`Overlay::reconcile`](crate::Overlay::reconcile) before it.
    pub outdated: bool,
}

/// Compares the changes with the notes on disk.
///
/// ```
/// use std::sync::Arc;
/// use graphloom_vault::{ChangeKind, NotePath, Overlay, Vault, VaultOptions, diff};
///
/// # let place = tempfile::tempdir()?;
/// # let root = place.path();
/// std::fs::write(root.join("A.md"), "one\ntwo\n")?;
/// let vault = Arc::new(Vault::open(root, VaultOptions::default())?);
/// let mut overlay = Overlay::new(Arc::clone(&vault), Default::default());
/// overlay.replace_text(&NotePath::parse("A.md")?, "two", "2", 1)?;
///
/// let shown = diff(&vault, overlay.changes());
/// assert_eq!((shown.files[0].kind, shown.files[0].added, shown.files[0].removed), (ChangeKind::Edited, 1, 1));
/// assert_eq!(shown.files[0].unified, "@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn diff(vault: &Vault, changes: &Changes) -> Diff {
    let files = changes.iter().filter(|(_, change)| change.kind() != ChangeKind::MovedAway);
    Diff { files: files.map(|(path, change)| file(vault, changes, path, change)).collect() }
}

fn file(vault: &Vault, changes: &Changes, path: &NotePath, change: &Change) -> FileDiff {
    let origin = change.moved_from.as_ref().unwrap_or(path);
    let before = if origin.is_note() { vault.read(origin).ok().flatten() } else { None };
    let after = change.after.as_ref().filter(|_| path.is_note());
    let after = after.map(|text| Note::parse(path.clone(), std::sync::Arc::clone(text)));
    let bare = if change.after.is_some() && !origin.is_note() { vault.text(origin).ok().flatten() } else { None };
    let old = bare.as_deref().or(before.as_ref().map(Note::text)).unwrap_or_default();
    let base = change.base();
    let old = base.as_deref().unwrap_or(old);
    let new = change.after.as_deref().unwrap_or_default();
    let text = TextDiff::from_lines(old, new);
    let count = |tag| text.iter_all_changes().filter(|change| change.tag() == tag).count();
    let expected = changes.get(origin).and_then(|change| change.before.as_ref());
    let now = before.as_ref().map(|note| note.hash().clone()).or_else(|| vault.hash_at(origin).ok().flatten());
    let moved_over = origin != path && vault.hash_at(path).ok().flatten() != change.before;
    FileDiff {
        path: path.clone(),
        kind: change.kind(),
        moved_from: change.moved_from.clone(),
        unified: text.unified_diff().context_radius(3).to_string(),
        added: count(ChangeTag::Insert),
        removed: count(ChangeTag::Delete),
        meanings: semantic::semantic_changes(before.as_ref(), after.as_ref()),
        outdated: now.as_ref() != expected || moved_over,
    }
}

impl Diff {
    /// How many lines are new and gone in all notes together.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        self.files.iter().fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed))
    }
}

impl FileDiff {
    /// One line: the note, what happens to it, how many lines.
    #[must_use]
    pub fn headline(&self) -> String {
        let (added, removed) = (self.added, self.removed);
        let kind = if self.path.is_note() { "note" } else { "file" };
        match (self.kind, &self.moved_from) {
            (ChangeKind::Created, _) => format!("new note `{}` (+{added})", self.path),
            (ChangeKind::Deleted, _) => format!("note `{}` goes to `.trash` (-{removed})", self.path),
            (_, Some(from)) => format!("{kind} `{from}` moves to `{}` (+{added} -{removed})", self.path),
            _ => format!("{kind} `{}` (+{added} -{removed})", self.path),
        }
    }
}

impl fmt::Display for FileDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline())?;
        if self.outdated {
            writeln!(f, "  the note on disk has changed since; both changes are joined where they are on other lines")?;
        }
        for meaning in &self.meanings {
            writeln!(f, "  {meaning}")?;
        }
        f.write_str(&self.unified)
    }
}

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, file) in self.files.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            file.fmt(f)?;
        }
        Ok(())
    }
}
