//! Pending changes over a vault: the notes as they will be after the changes.

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

/// A vault with changes that are not written yet. Reads see the changes; the overlay never writes to the disk.
///
/// Every edit keeps the byte order mark of the note, its kind of line breaks, and the presence of a line break at its
/// end. The first edit of a note records the hash of the text on disk, and applying the changes refuses a file whose
/// hash has changed. A change whose result equals the text on disk disappears.
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
    /// An overlay of these changes over the vault.
    #[must_use]
    pub fn new(vault: Arc<Vault>, changes: Changes) -> Self {
        Self { vault, changes, links: OverlayLinks::default() }
    }

    /// The vault below the changes.
    #[must_use]
    pub fn vault(&self) -> &Arc<Vault> {
        &self.vault
    }

    /// The pending changes.
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// All links of the files after the changes: the links of the [vault](Vault::links), with the changed files read
    /// anew. Each changed file is read once.
    #[must_use]
    pub fn links(&self) -> Arc<LinkIndex> {
        self.links.of(self)
    }

    /// Turns the overlay into its changes.
    #[must_use]
    pub fn into_changes(self) -> Changes {
        self.changes
    }

    /// Makes a new note. A link that led to another note of this name, and would now lead to the new note, is rewritten
    /// so that it still leads to the other note.
    ///
    /// # Errors
    /// [`VaultError::Exists`] when a file has the path in any case of letters, and [`VaultError::IllegalPath`] when the
    /// name is not allowed for new files.
    pub fn create(&mut self, path: &NotePath, text: &str) -> Result<Renamed, VaultError> {
        if !path.is_note() {
            return Err(VaultError::illegal_path(path.as_str(), "the path of a note ends in `.md`"));
        }
        self.check_new(path, None)?;
        self.check_free(path, |_| true)?;
        self.check_size(path, text)?;
        rename::created(self, path, text)
    }

    /// Replaces the whole text of a note, or makes the note when it does not exist.
    ///
    /// # Errors
    /// A note that cannot be read, and those of [`create`](Self::create) for a new note.
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

    /// Replaces the text below a heading, sub-sections included, and keeps the heading. The heading is named by its
    /// text; with `#` signs before the text, only a heading of that level matches.
    ///
    /// # Errors
    /// [`VaultError::NoSuchSection`], [`VaultError::AmbiguousSection`], and those of [`append`](Self::append).
    pub fn replace_section(&mut self, path: &NotePath, heading: &str, content: &str) -> Result<(), VaultError> {
        self.edit_existing(path, |note| text::section_replaced(note, heading, content))
    }

    /// Replaces every occurrence of a text, if there are exactly `expected` occurrences.
    ///
    /// # Errors
    /// [`VaultError::Occurrences`] with the lines of the text, and those of [`append`](Self::append).
    pub fn replace_text(&mut self, path: &NotePath, old: &str, new: &str, expected: usize) -> Result<(), VaultError> {
        self.edit_existing(path, |note| text::replaced(path, note.text(), old, new, expected))
    }

    /// Sets a key of the frontmatter. A note without frontmatter gets one. Only the lines of this key change.
    ///
    /// # Errors
    /// [`VaultError::BrokenFrontmatter`]; [`VaultError::IllegalEdit`] when another key refers to a YAML anchor
    /// in this key.
    #[expect(clippy::needless_pass_by_value, reason = "callers make the value for this call")]
    pub fn set_frontmatter(&mut self, path: &NotePath, key: &str, value: Value) -> Result<(), VaultError> {
        self.edit_existing(path, |note| {
            let text = set_key(note.text(), key, &value).map_err(|problem| refused(path, problem))?;
            Ok(Edited::between(note.text(), text))
        })
    }

    /// Removes a key of the frontmatter, and returns whether the key was there.
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

    /// Moves a note or another file, and rewrites every link in a note, canvas or base that would otherwise lead
    /// elsewhere. A rewritten link keeps its form: a bare name stays a bare name while it is unambiguous, and a
    /// relative path is computed anew. No other byte changes.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`]; [`VaultError::Exists`], unless the existing file is the moved file and only the case of
    /// letters differs; [`VaultError::IllegalPath`] when a new name of the path is not allowed for new files;
    /// [`VaultError::IllegalEdit`] when a link cannot be written so that it leads to the same file.
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

    /// Merges a note into another. The text of `from` comes after the text of `into`, the lines of frontmatter keys that
    /// `into` lacks are added as they are, lists are joined, and links to `from` lead to `into`. What cannot be joined is
    /// told by [`Merged::told`]. Applying the changes moves `from` to `.trash`.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`], and [`VaultError::IllegalEdit`] when a link of either note would change its meaning.
    pub fn merge(&mut self, from: &NotePath, into: &NotePath) -> Result<Merged, VaultError> {
        merge::merge(self, from, into)
    }

    /// Rewrites links to a deleted note so that they lead to another note.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`] when the note `to` does not exist.
    pub fn redirect(&mut self, deleted: &NotePath, to: &NotePath) -> Result<Renamed, VaultError> {
        rename::redirected(self, deleted, to)
    }

    /// Rewrites links to moved files in files without a change of the overlay that are new or changed on disk since the
    /// moves. Call [`Vault::refresh`] first.
    ///
    /// # Errors
    /// As [`rename`](Self::rename).
    pub fn catch_up(&mut self) -> Result<Renamed, VaultError> {
        rename::caught_up(self)
    }

    /// Updates the changes of files that somebody else has edited on disk since. Links are rewritten anew, and edits of
    /// different lines are joined. Where both edited the same lines, the change stays as it is and the result reports a
    /// conflict. Without conflicts, reconciling also [catches up](Self::catch_up). Call [`Vault::refresh`] first.
    ///
    /// # Errors
    /// As [`rename`](Self::rename), and a file that cannot be read.
    pub fn reconcile(&mut self) -> Result<Reconciled, VaultError> {
        reconcile::reconciled(self)
    }

    /// The files whose links led to a deleted note.
    #[must_use]
    pub fn linking_to_deleted(&self, deleted: &NotePath) -> Vec<NotePath> {
        rename::linking(self, deleted)
    }

    /// Rewrites the targets of links in a note so that the links lead to other notes. A link is named by its first
    /// byte. All other bytes of the links stay.
    ///
    /// # Errors
    /// [`VaultError::IllegalEdit`] when a link cannot be written with its new target.
    pub fn retarget(&mut self, path: &NotePath, links: &[(usize, NotePath)]) -> Result<Vec<Relinked>, VaultError> {
        relink::retargeted(self, path, links)
    }

    /// Rewrites the wikilinks of a note that the author of the edits wrote in the style that the settings of the vault
    /// have for new links. The default style changes nothing. Links that name no file stay.
    ///
    /// # Errors
    /// [`VaultError::IllegalEdit`] when a rewritten link would lead elsewhere; then the note is unchanged.
    pub fn restyle(&mut self, path: &NotePath, style: LinkStyle) -> Result<Vec<Relinked>, VaultError> {
        restyle::restyled(self, path, style)
    }

    /// The bytes of a note that the author of the pending edits wrote.
    #[must_use]
    pub fn written(&self, path: &NotePath) -> &[Range<usize>] {
        self.changes.get(path).map_or(&[], |change| change.written.as_slice())
    }

    /// Deletes a note: applying the changes moves the note to `.trash`. Links to the note stay and no longer resolve.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`], or a note that cannot be read.
    pub fn delete(&mut self, path: &NotePath) -> Result<(), VaultError> {
        self.expect(path)?;
        self.put(path, After::Gone)?;
        self.changes.settle();
        Ok(())
    }

    /// All files after the changes: notes, and other files that links can name.
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

    /// Records an edit by the author.
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

    /// Sets the new content of a file. The first change of a file also stores the old content as the base.
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

    /// The text from which the change of a file is made: the stored base, or else the text on disk. `None` when the
    /// change was made from another text than the text on disk, and for a file of a kind without links.
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
