//! Files with all that links need to know of them, one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::resolve::{Names, target_key};
use crate::source::{Source, holds_links};
use crate::{Link, Note, NotePath, Notes, SkipReason, Skipped};

/// One file as the link index sees it.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Note(Note),
    /// A canvas or a base.
    Source(Arc<Source>),
    /// A file of which only the name counts.
    Named,
    /// A file that holds links and cannot be read.
    Unread(Skipped),
}

impl Entry {
    /// Reads a file.
    pub(crate) fn read(notes: &(impl Notes + ?Sized), path: &NotePath) -> Self {
        if path.is_note() {
            return match notes.read(path) {
                Ok(Some(note)) => Self::Note(note),
                Ok(None) => Self::Named,
                Err(error) => Self::Unread(Skipped::of(path, &error)),
            };
        }
        if !holds_links(path) {
            return Self::Named;
        }
        let read = notes.text(path).map_err(|error| error.to_string());
        match read.and_then(|text| text.map(|text| Source::read(path, text)).transpose()) {
            Ok(Some(source)) => Self::Source(Arc::new(source)),
            Ok(None) => Self::Named,
            Err(reason) => {
                Self::Unread(Skipped { path: path.as_str().to_owned(), reason: SkipReason::Unreadable(reason) })
            }
        }
    }

    pub(super) fn note(&self) -> Option<&Note> {
        match self {
            Self::Note(note) => Some(note),
            _ => None,
        }
    }

    pub(super) fn links(&self) -> &[Link] {
        match self {
            Self::Note(note) => note.links(),
            Self::Source(source) => &source.links,
            Self::Named | Self::Unread(_) => &[],
        }
    }
}

/// Files by path, and an index of the files that link to a name or have an alias. The file that a link leads to is
/// not stored, because it depends on all names: it is looked up when it is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    pub(super) entries: BTreeMap<NotePath, Entry>,
    pub(super) names: Arc<Names>,
    /// The files with links whose target has this [key](target_key).
    linking: BTreeMap<String, BTreeSet<NotePath>>,
    aliases: BTreeMap<String, BTreeSet<NotePath>>,
    /// The files that name folders.
    with_folders: BTreeSet<NotePath>,
    unread: BTreeSet<NotePath>,
}

impl Layer {
    /// Adds a file, or replaces it.
    pub(crate) fn insert(&mut self, path: &NotePath, entry: Entry) {
        self.forget(path);
        for link in entry.links().iter().filter(|link| !link.is_same_note()) {
            self.linking.entry(target_key(&link.target)).or_default().insert(path.clone());
        }
        match &entry {
            Entry::Note(note) => {
                for alias in note.aliases() {
                    self.aliases.entry(alias.to_lowercase()).or_default().insert(path.clone());
                }
            }
            Entry::Source(source) if !source.folders.is_empty() => {
                self.with_folders.insert(path.clone());
            }
            Entry::Unread(_) => {
                self.unread.insert(path.clone());
            }
            Entry::Source(_) | Entry::Named => {}
        }
        if self.entries.insert(path.clone(), entry).is_none() {
            Arc::make_mut(&mut self.names).insert(path);
        }
    }

    pub(crate) fn remove(&mut self, path: &NotePath) {
        self.forget(path);
        if self.entries.remove(path).is_some() {
            Arc::make_mut(&mut self.names).remove(path);
        }
    }

    /// Removes from the index what the content of a file put into it.
    fn forget(&mut self, path: &NotePath) {
        let Some(entry) = self.entries.get(path) else { return };
        for link in entry.links() {
            take_out(&mut self.linking, &target_key(&link.target), path);
        }
        for alias in entry.note().map(Note::aliases).unwrap_or_default() {
            take_out(&mut self.aliases, &alias.to_lowercase(), path);
        }
        self.with_folders.remove(path);
        self.unread.remove(path);
    }

    pub(super) fn linking(&self, key: &str) -> impl Iterator<Item = &NotePath> {
        self.linking.get(key).into_iter().flatten()
    }

    pub(super) fn called(&self, alias: &str) -> impl Iterator<Item = &NotePath> {
        self.aliases.get(alias).into_iter().flatten()
    }

    pub(super) fn with_folders(&self) -> impl Iterator<Item = &NotePath> {
        self.with_folders.iter()
    }

    pub(super) fn unread(&self) -> impl Iterator<Item = &NotePath> {
        self.unread.iter()
    }
}

fn take_out(sets: &mut BTreeMap<String, BTreeSet<NotePath>>, key: &str, path: &NotePath) {
    if let Some(paths) = sets.get_mut(key) {
        paths.remove(path);
        if paths.is_empty() {
            sets.remove(key);
        }
    }
}
