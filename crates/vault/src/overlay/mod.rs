//! Pending changes over a vault: notes as they are to be.

mod rename;
mod text;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::note::frontmatter::{EditProblem, remove_key, set_key};
use crate::note::lines::Style;
use crate::{Changes, ContentHash, Note, NotePath, Notes, Vault, VaultError};
pub use rename::{Relinked, Renamed};

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
}

impl Overlay {
    /// The vault with these changes.
    #[must_use]
    pub fn new(vault: Arc<Vault>, changes: Changes) -> Self {
        Self { vault, changes }
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

    /// The changes, without the overlay.
    #[must_use]
    pub fn into_changes(self) -> Changes {
        self.changes
    }

    /// Makes a new note.
    ///
    /// # Errors
    /// [`VaultError::Exists`] when there is a note at the path, in whatever case its letters are.
    pub fn create(&mut self, path: &NotePath, text: &str) -> Result<(), VaultError> {
        self.check_free(path, &self.paths())?;
        self.edit(path, |_| Ok(text.to_owned()))
    }

    /// Gives a note another text, whole; makes it when there is none.
    ///
    /// # Errors
    /// A note that cannot be read, or whose letters differ in case from one that exists.
    pub fn write(&mut self, path: &NotePath, text: &str) -> Result<(), VaultError> {
        match self.read(path)? {
            None => self.create(path, text),
            Some(note) => {
                let whole = Style::of(note.text()).whole(text);
                self.edit(path, |_| Ok(whole))
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
        self.edit_existing(path, |note| set_key(note.text(), key, &value).map_err(|problem| refused(path, problem)))
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
            Ok(edited.unwrap_or_else(|| note.text().to_owned()))
        })?;
        Ok(was_there)
    }

    /// Moves a note and rewrites every link, in any note, that would lead elsewhere without it, each in the form it
    /// has: a bare name stays one while it is unambiguous, a relative path is computed anew.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`]; [`VaultError::Exists`], unless only the case of letters differs from the note itself.
    pub fn rename(&mut self, from: &NotePath, to: &NotePath) -> Result<Renamed, VaultError> {
        rename::rename(self, from, to)
    }

    /// Deletes a note: applying moves it to `.trash`. Links to it stay and no longer resolve.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`], or a note that cannot be read.
    pub fn delete(&mut self, path: &NotePath) -> Result<(), VaultError> {
        self.expect(path)?;
        self.put(path, None)?;
        self.changes.settle();
        Ok(())
    }

    fn edit_existing(
        &mut self,
        path: &NotePath,
        edit: impl FnOnce(&Note) -> Result<String, VaultError>,
    ) -> Result<(), VaultError> {
        let note = self.expect(path)?;
        self.edit(path, |_| edit(&note))
    }

    fn edit(
        &mut self,
        path: &NotePath,
        edit: impl FnOnce(&Self) -> Result<String, VaultError>,
    ) -> Result<(), VaultError> {
        let text = edit(self)?;
        let limit = self.vault.max_note_bytes();
        if text.len() as u64 > limit {
            return Err(VaultError::TooLarge { path: path.clone(), bytes: text.len() as u64, limit });
        }
        self.put(path, Some(text.into()))?;
        self.changes.settle();
        Ok(())
    }

    /// Says what a note is to be; the first time, from what it was.
    fn put(&mut self, path: &NotePath, after: Option<Arc<str>>) -> Result<(), VaultError> {
        let before: Option<ContentHash> = match self.changes.get(path) {
            Some(change) => change.before.clone(),
            None => self.vault.read(path)?.map(|note| note.hash().clone()),
        };
        self.changes.put(path, before, after);
        Ok(())
    }

    /// Whether a note can be made at the path: no file has this path in any case, and no file is where a folder must be.
    fn check_free<'a>(&self, path: &NotePath, paths: impl IntoIterator<Item = &'a NotePath>) -> Result<(), VaultError> {
        let key = path.key();
        for other in paths {
            let other_key = other.key();
            if other_key == key {
                return Err(VaultError::Exists { path: other.clone() });
            }
            if key.strip_prefix(&other_key).is_some_and(|rest| rest.starts_with('/')) {
                return Err(VaultError::illegal_edit(path, format!("`{other}` is a note, not a folder")));
            }
        }
        let mut folder = path.folder();
        let attachments = self.vault.listing();
        while !folder.is_empty() {
            if attachments.attachments.contains(folder) {
                return Err(VaultError::illegal_edit(path, format!("`{folder}` is a file, not a folder")));
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
        Ok(())
    }
}

impl Notes for Overlay {
    fn paths(&self) -> Vec<NotePath> {
        let mut paths: BTreeSet<NotePath> = self.vault.paths().into_iter().collect();
        for (path, change) in self.changes.iter() {
            if change.after.is_some() {
                paths.insert(path.clone());
            } else {
                paths.remove(path);
            }
        }
        paths.into_iter().collect()
    }

    fn read(&self, path: &NotePath) -> Result<Option<Note>, VaultError> {
        match self.changes.get(path) {
            Some(change) => Ok(change.after.as_ref().map(|text| Note::parse(path.clone(), Arc::clone(text)))),
            None => self.vault.read(path),
        }
    }

    fn contains(&self, path: &NotePath) -> bool {
        match self.changes.get(path) {
            Some(change) => change.after.is_some(),
            None => self.vault.contains(path),
        }
    }

    fn attachments(&self) -> BTreeSet<String> {
        self.vault.attachments()
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
