//! What a set of notes can be asked, pending changes or not.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{Note, NotePath, VaultError};

/// Notes by path: a [`Vault`](crate::Vault) as it is on disk, or an [`Overlay`](crate::Overlay) as it is to be.
pub trait Notes {
    /// The paths of all notes, in order.
    fn paths(&self) -> Vec<NotePath>;

    /// The note at a path; `None` when there is none, or no note.
    ///
    /// # Errors
    /// A file that cannot be read, is not UTF-8, is too large, or is reached through a symbolic link.
    fn read(&self, path: &NotePath) -> Result<Option<Note>, VaultError>;

    /// Whether there is a note at a path.
    fn contains(&self, path: &NotePath) -> bool;

    /// The paths of all other files, which links can name; `/`-separated, from the vault's root.
    fn attachments(&self) -> BTreeSet<String>;

    /// The text of any of the files, a note or not; `None` when there is none.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn text(&self, path: &NotePath) -> Result<Option<Arc<str>>, VaultError>;

    /// The note at a path.
    ///
    /// # Errors
    /// [`VaultError::NoSuchNote`] with notes of a similar path, and the errors of [`read`](Self::read).
    fn expect(&self, path: &NotePath) -> Result<Note, VaultError> {
        self.read(path)?
            .ok_or_else(|| VaultError::NoSuchNote { path: path.clone(), similar: similar(&self.paths(), path) })
    }
}

/// Up to five paths with the same key, the same name elsewhere, or a name that holds this one.
fn similar(paths: &[NotePath], wanted: &NotePath) -> Vec<NotePath> {
    const SHOWN: usize = 5;
    let (key, name) = (wanted.key(), wanted.name().to_lowercase());
    let closeness = |path: &NotePath| {
        let other = path.name().to_lowercase();
        if path.key() == key {
            Some(0)
        } else if other == name {
            Some(1)
        } else if name.len() > 2 && (other.contains(&name) || name.contains(&other) && other.len() > 2) {
            Some(2)
        } else {
            None
        }
    };
    let mut near: Vec<(u8, &NotePath)> = paths.iter().filter_map(|path| Some((closeness(path)?, path))).collect();
    near.sort();
    near.into_iter().take(SHOWN).map(|(_, path)| path.clone()).collect()
}
