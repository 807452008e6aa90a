//! Pending changes over a vault: notes as they are to be.

mod checks;
mod edited;
mod link_cache;
mod merge;
mod merge3;
mod reconcile;
mod relink;
mod rename;
mod restyle;
mod text;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use crate::changes::After;
use crate::note::frontmatter::{EditProblem, remove_key, set_key};
use crate::note::lines::Style;
use crate::settings::LinkStyle;
use crate::source::holds_links;
use crate::{Change, Changes, ContentHash, LinkIndex, Note, NotePath, Notes, Vault, VaultError};
use edited::Edited;
use link_cache::OverlayLinks;
pub use merge::Merged;
pub use reconcile::{Conflict, Reconciled};
pub use relink::Relinked;
pub use rename::Renamed;

/// A vault with changes that are not written yet. It reads as if they were; the disk is never touched.
///
/// Every edit keeps the note's byte order mark, its kind of line breaks, and whether its last line ends with one. The
/// first edit of a note remembers the hash of what it was made from, and applying refuses when that has changed. A
/// change that ends where it began disappears.
///
/// ```
/// use std::sync::Arc;
/// use graphloom_vault::{NotePath, Notes, Overlay, Vault, VaultOptions};
///
/// # let place = tempfile::tempdir()?;
/// # let root = place.path();
/// std::fs::write(root.join("Plan.md"), "# Plan\n\nSee [[Idea]].\n")?;
/// std::fs::write(root.join("Idea.md"), "An idea.\n")?;
/// let vault = Arc::new(Vault::open(root, VaultOptions::default())?);
/// let mut overlay = Overlay::new(vault, Default::default());
///
/// let (idea, insight) = (NotePath::parse("Idea.md")?, NotePath::parse("Insight.md")?);
/// overlay.set_frontmatter(&idea, "status", serde_json::json!("done"))?;
/// let renamed = overlay.rename(&idea, &insight)?;
/// assert_eq!(renamed.links(), 1);
/// assert_eq!(overlay.expect(&NotePath::parse("Plan.md")?)?.text(), "# Plan\n\nSee [[Insight]].\n");
/// assert_eq!(overlay.expect(&insight)?.text(), "---\nstatus: done\n---\nAn idea.\n");
/// assert!(root.join("Idea.md").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Overlay {
    vault: Arc<Vault>,
    changes: Changes,
    links: OverlayLinks,
}

impl Overlay {
    /// The vault with these changes.
    #[must_use]
    pub fn new(vault: Arc<Vault>, changes: Changes) -> Self {
        Self { vault, changes, links: OverlayLinks::default() }
    }

    /// The vault below the changes.
    #[must_use]
    pub fn vault(&self) -> &Arc<Vault> {
        &self.vault
    }

    /// The changes so far.
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// All links of the files as they are to be: those of the [vault](Vault::links), where only the files that the
    /// changes touch are read anew, each once.
    #[must_use]
    pub fn links(&self) -> Arc<LinkIndex> {
        self.links.of(self)
    }

    /// The changes, without the overlay.
    #[must_use]
    pub fn into_changes(self) -> Changes {
        self.changes
    }

    /// Makes a new note. A link that led to another note of this name, and would now lead to the new one, is
    /// rewritten so that it leads where it did.
    ///
    /// # Errors
    /// [`VaultError::Exists`] when there is a file at the path, in whatever case its letters are, and
    /// [`VaultError::IllegalPath`] when the name is not one for new files.
    pub fn create(&mut self, path: &NotePath, text: &str) -> Result<Renamed, VaultError> {
        if !path.is_note() {
            return Err(VaultError::illegal_path(path.as_str(), "the path of a note ends in `.md`"));
        }
        self.check_new(path, None)?;
        self.check_free(path, |_| true)?;
        self.check_size(path, text)?;
        rename::created(self, path, text)
    }

    /// Gives a note another text, whole; makes it when there is none.
    ///
    /// # Errors
    /// A note that cannot be read, or whose letters differ in case from one that exists.
    pub fn write(&mut self, path: &NotePath, text: &str) -> Result<(), VaultError> {
        match self.read(path)? {
            None => self.create(path, text).map(|_| ()),
            Some(note) => {
                let whole = Style::of(note.text()).whole(text);
                self.edit(path, &note, Edited::between(note.text(), whole))
            }
        }
    }

    /// Adds text at the end of a note, on a line of its own.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`], or a note that cannot be read.
    pub fn append(&mut self, path: &NotePath, more: &str) -> Result<(), VaultError> {
        self.edit_existing(path, |note| Ok(text::appended(note.text(), more)))
    }

    /// Adds text at the start of a note's body, after the frontmatter.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn prepend(&mut self, path: &NotePath, more: &str) -> Result<(), VaultError> {
        self.edit_existing(path, |note| Ok(text::prepended(note, more)))
    }

    /// Replaces what stands below a heading, with its sub-sections, and keeps the heading. The heading is named by its
    /// text; with `#`s before it, only a heading of that level is meant.
    ///
    /// # Errors
    /// [`VaultError::NoSuchSection`], [`VaultError::AmbiguousSection`], and those of [`append`](Self::append).
    pub fn replace_section(&mut self, path: &NotePath, heading: &str, content: &str) -> Result<(), VaultError> {
        self.edit_existing(path, |note| text::section_replaced(note, heading, content))
    }

    /// Replaces every occurrence of a text, if there are exactly as many as expected.
    ///
    /// # Errors
    /// [`VaultError::Occurrences`] with the lines where the text is, and those of [`append`](Self::append).
    pub fn replace_text(&mut self, path: &NotePath, old: &str, new: &str, expected: usize) -> Result<(), VaultError> {
        self.edit_existing(path, |note| text::replaced(path, note.text(), old, new, expected))
    }

    /// Sets a key of the frontmatter, which is made if there is none. Only the lines of this key change.
    ///
    /// # Errors
    /// [`VaultError::BrokenFrontmatter`]; [`VaultError::IllegalEdit`] when another key needs this one (an anchor).
    #[expect(clippy::needless_pass_by_value, reason = "callers make the value for this call")]
    pub fn set_frontmatter(&mut self, path: &NotePath, key: &str, value: Value) -> Result<(), VaultError> {
        self.edit_existing(path, |note| {
            let text = set_key(note.text(), key, &value).map_err(|problem| refused(path, problem))?;
            Ok(Edited::between(note.text(), text))
        })
    }

    /// Removes a key of the frontmatter, and says whether it was there.
    ///
    /// # Errors
    /// As [`set_frontmatter`](Self::set_frontmatter).
    pub fn remove_frontmatter(&mut self, path: &NotePath, key: &str) -> Result<bool, VaultError> {
        let mut was_there = false;
        self.edit_existing(path, |note| {
            let edited = remove_key(note.text(), key).map_err(|problem| refused(path, problem))?;
            was_there = edited.is_some();
            Ok(Edited::between(note.text(), edited.unwrap_or_else(|| note.text().to_owned())))
        })?;
        Ok(was_there)
    }

    /// Moves a note, or another file, and rewrites every link, in any note, canvas or base, that would lead elsewhere
    /// without it, each in the form it has: a bare name stays one while it is unambiguous, a relative path is computed
    /// anew. Nothing else changes by a byte.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`]; [`VaultError::Exists`], unless only the case of letters differs from the file
    /// itself; [`VaultError::IllegalPath`] when the name or a folder is new and none for new files;
    /// [`VaultError::IllegalEdit`] when a link could not be written so that it leads where it did.
    pub fn rename(&mut self, from: &NotePath, to: &NotePath) -> Result<Renamed, VaultError> {
        rename::moved(self, &[(from.clone(), to.clone())].into(), None)
    }

    /// Moves a folder with every file in it, as [`rename`](Self::rename) moves one.
    ///
    /// # Errors
    /// [`VaultError::IllegalEdit`] when no file is in the folder, and those of [`rename`](Self::rename).
    pub fn rename_folder(&mut self, from: &str, to: &str) -> Result<Renamed, VaultError> {
        rename::folder(self, from.trim_matches('/'), to.trim_matches('/'))
    }

    /// Puts a note into another one: its text comes after the text of `into`, keys of its frontmatter that `into` lacks
    /// are added, links to it lead to `into`, and applying moves it to `.trash`.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`], and [`VaultError::IllegalEdit`] when a link of either would change its meaning.
    pub fn merge(&mut self, from: &NotePath, into: &NotePath) -> Result<Merged, VaultError> {
        merge::merge(self, from, into)
    }

    /// Lets links to a note that was deleted lead to another one.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`] when there is no note `to`.
    pub fn redirect(&mut self, deleted: &NotePath, to: &NotePath) -> Result<Renamed, VaultError> {
        rename::redirected(self, deleted, to)
    }

    /// Rewrites links to moved files in files that have changed or come since the moves were made and that no change
    /// touches. [`Vault::refresh`] comes before it.
    ///
    /// # Errors
    /// As [`rename`](Self::rename).
    pub fn catch_up(&mut self) -> Result<Renamed, VaultError> {
        rename::caught_up(self)
    }

    /// Lets changes of files that somebody else has changed since start from what these hold now: links are rewritten
    /// anew, and edits of other lines are joined. Where the same lines were edited, the change stays and the conflict
    /// is told. Without conflicts it also [catches up](Self::catch_up). [`Vault::refresh`] comes before it.
    ///
    /// # Errors
    /// As [`rename`](Self::rename), and a file that cannot be read.
    pub fn reconcile(&mut self) -> Result<Reconciled, VaultError> {
        reconcile::reconciled(self)
    }

    /// The files whose links led to a note that was deleted.
    #[must_use]
    pub fn linking_to_deleted(&self, deleted: &NotePath) -> Vec<NotePath> {
        rename::linking(self, deleted)
    }

    /// Rewrites targets of links in a note, each named by the byte it starts at, so that they lead to other notes. All
    /// other bytes of the links stay.
    ///
    /// # Errors
    /// [`VaultError::IllegalEdit`] when a target cannot be written there.
    pub fn retarget(&mut self, path: &NotePath, links: &[(usize, NotePath)]) -> Result<Vec<Relinked>, VaultError> {
        relink::retargeted(self, path, links)
    }

    /// Writes the wikilinks of a note that the author of the edits wrote as the vault's settings have new links; with
    /// the default style it changes nothing. Links that name no file stay.
    ///
    /// # Errors
    /// [`VaultError::IllegalEdit`] when a link would not lead where it leads; then the note is as it was.
    pub fn restyle(&mut self, path: &NotePath, style: LinkStyle) -> Result<Vec<Relinked>, VaultError> {
        restyle::restyled(self, path, style)
    }

    /// The bytes of a note that the author of the pending edits wrote.
    #[must_use]
    pub fn written(&self, path: &NotePath) -> &[Range<usize>] {
        self.changes.get(path).map_or(&[], |change| change.written.as_slice())
    }

    /// Deletes a note: applying moves it to `.trash`. Links to it stay and no longer resolve.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`], or a note that cannot be read.
    pub fn delete(&mut self, path: &NotePath) -> Result<(), VaultError> {
        self.expect(path)?;
        self.put(path, After::Gone)?;
        self.changes.settle();
        Ok(())
    }

    /// All files: notes, and what else links can name.
    pub(crate) fn files(&self) -> BTreeSet<NotePath> {
        let listing = self.vault.listing();
        let mut files: BTreeSet<NotePath> = listing.notes.keys().chain(listing.files.keys()).cloned().collect();
        for (path, change) in self.changes.iter() {
            if change.is_there() {
                files.insert(path.clone());
            } else {
                files.remove(path);
            }
        }
        files
    }

    fn edit_existing(
        &mut self,
        path: &NotePath,
        edit: impl FnOnce(&Note) -> Result<Edited, VaultError>,
    ) -> Result<(), VaultError> {
        let note = self.expect(path)?;
        let edited = edit(&note)?;
        self.edit(path, &note, edited)
    }

    /// Adds an edit of the author.
    fn edit(&mut self, path: &NotePath, note: &Note, edited: Edited) -> Result<(), VaultError> {
        self.check_size(path, &edited.text)?;
        let written = if edited.text == note.text() {
            self.written(path).to_vec()
        } else {
            edited.written(self.written(path), true)
        };
        self.put(path, After::Text(edited.text.into(), written))?;
        self.changes.settle();
        Ok(())
    }

    /// Sets the new content of a file. The first time, the old content is stored as the base.
    fn put(&mut self, path: &NotePath, after: After) -> Result<(), VaultError> {
        let before: Option<ContentHash> = match self.changes.get(path) {
            Some(change) => change.before.clone(),
            None if path.is_note() => self.vault.read(path)?.map(|note| note.hash().clone()),
            None => self.vault.hash_at(path)?,
        };
        let base = self.base_of(path);
        self.changes.put(path, before, after);
        self.changes.set_base(path, base.as_deref());
        Ok(())
    }

    /// The text that a file has on disk, if that is what its change is made from.
    fn base_of(&self, path: &NotePath) -> Option<Arc<str>> {
        let change = self.changes.get(path);
        if let Some(base) = change.and_then(Change::base) {
            return Some(base.into());
        }
        let expected = change.map(|change| change.before.as_ref());
        let now: Arc<str> = if path.is_note() {
            self.vault.read(path).ok()??.shared_text()
        } else if holds_links(path) {
            self.vault.text(path).ok()??
        } else {
            return None;
        };
        match expected {
            Some(before) if before != Some(&ContentHash::of(now.as_bytes())) => None,
            _ => Some(now),
        }
    }
}

impl Notes for Overlay {
    fn paths(&self) -> Vec<NotePath> {
        let mut paths: BTreeSet<NotePath> = self.vault.paths().into_iter().collect();
        for (path, change) in self.changes.iter().filter(|(path, _)| path.is_note()) {
            if change.is_there() {
                paths.insert(path.clone());
            } else {
                paths.remove(path);
            }
        }
        paths.into_iter().collect()
    }

    fn read(&self, path: &NotePath) -> Result<Option<Note>, VaultError> {
        if !path.is_note() {
            return Ok(None);
        }
        match self.changes.get(path) {
            Some(change) => Ok(change.after.as_ref().map(|text| Note::parse(path.clone(), Arc::clone(text)))),
            None => self.vault.read(path),
        }
    }

    fn contains(&self, path: &NotePath) -> bool {
        match self.changes.get(path) {
            Some(change) => change.is_there(),
            None => self.vault.contains(path),
        }
    }

    fn attachments(&self) -> BTreeSet<String> {
        self.files().into_iter().filter(|path| !path.is_note()).map(|path| path.as_str().to_owned()).collect()
    }

    fn text(&self, path: &NotePath) -> Result<Option<Arc<str>>, VaultError> {
        match self.changes.get(path) {
            Some(change) => match (&change.carried, &change.moved_from) {
                (Some(_), Some(from)) => self.vault.text(from),
                _ => Ok(change.after.clone()),
            },
            None => self.vault.text(path),
        }
    }
}

fn refused(path: &NotePath, problem: EditProblem) -> VaultError {
    match problem {
        EditProblem::Broken { line, message } => {
            VaultError::BrokenFrontmatter { path: path.clone(), line, problem: message }
        }
        EditProblem::Refused(reason) => VaultError::illegal_edit(path, reason),
    }
}
