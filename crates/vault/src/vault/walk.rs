//! Which files a vault has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use walkdir::WalkDir;

use super::cache::Stamp;
use crate::path::unnameable;
use crate::source::holds_links;
use crate::{NotePath, VaultError, VaultOptions};

/// A file of the vault that is not read, and why. It is never changed either.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Skipped {
    /// Its path from the vault's root; characters that are not Unicode are replaced.
    pub path: String,
    /// Why it is skipped.
    pub reason: SkipReason,
}

impl Skipped {
    /// A file that could not be read, with what went wrong.
    #[must_use]
    pub fn of(path: &NotePath, error: &VaultError) -> Self {
        let reason = match error {
            VaultError::NotUtf8 { .. } => SkipReason::NotUtf8,
            VaultError::TooLarge { bytes, .. } => SkipReason::TooLarge(*bytes),
            other => SkipReason::Unreadable(other.to_string()),
        };
        Self { path: path.as_str().to_owned(), reason }
    }
}

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// A symbolic link whose target is outside the vault, or is not there.
    LinkOutside,
    /// A symbolic link to something inside the vault, which is read at its own place.
    LinkInside,
    /// The name cannot be shown in a line of text, or is not Unicode; the text says which.
    IllegalName(String),
    /// Another file has the same name in another Unicode form.
    SameName,
    /// More bytes than a note may have.
    TooLarge(u64),
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The system refuses to read it; the text says why.
    Unreadable(String),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LinkOutside => f.write_str("it is a symbolic link out of the vault"),
            Self::LinkInside => f.write_str("it is a symbolic link to another place in the vault"),
            Self::IllegalName(reason) => f.write_str(reason),
            Self::SameName => f.write_str("another file has this name in another Unicode form"),
            Self::TooLarge(bytes) => write!(f, "it has {bytes} bytes, more than a note may have"),
            Self::NotUtf8 => f.write_str("it is not UTF-8 text"),
            Self::Unreadable(reason) => f.write_str(reason),
        }
    }
}

/// A file as it was when the vault was listed.
#[derive(Clone, Debug)]
pub(crate) struct ListedFile {
    /// The path on disk, from the root; differs from the note's path when its Unicode form does.
    pub(crate) disk: PathBuf,
    /// The stamp of the file; `None` when it holds no links, or changed too recently for its stamp to tell its content.
    pub(crate) stamp: Option<Stamp>,
}

/// The files of a vault at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    pub(crate) notes: BTreeMap<NotePath, ListedFile>,
    /// Every other file that links can name.
    pub(crate) files: BTreeMap<NotePath, ListedFile>,
    pub(crate) skipped: BTreeSet<Skipped>,
}

/// Lists the files below `root`. Hidden ones are ignored, symbolic links are not followed.
pub(super) fn walk(root: &Path, options: &VaultOptions) -> Result<Listing, VaultError> {
    let mut listing = Listing::default();
    let walker = WalkDir::new(root).follow_links(false).sort_by_file_name().into_iter();
    let visible = |entry: &walkdir::DirEntry| entry.depth() == 0 || !is_hidden(entry.file_name());
    for entry in walker.filter_entry(visible) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.depth() == 0 => {
                let source = error.into_io_error().unwrap_or_else(|| io::Error::other("it leads back to itself"));
                return Err(VaultError::NotAVault { root: root.to_owned(), source: source.into() });
            }
            Err(error) => {
                let path = error.path().map(|path| relative_path(root, path)).unwrap_or_default();
                listing.skipped.insert(Skipped { path, reason: SkipReason::Unreadable(error.to_string()) });
                continue;
            }
        };
        if entry.depth() > 0 && !entry.file_type().is_dir() {
            file(root, &entry, options, &mut listing);
        }
    }
    Ok(listing)
}

fn file(root: &Path, entry: &walkdir::DirEntry, options: &VaultOptions, listing: &mut Listing) {
    let path = relative_path(root, entry.path());
    let skip = |listing: &mut Listing, reason| {
        listing.skipped.insert(Skipped { path: path.clone(), reason });
    };
    if entry.file_type().is_symlink() {
        let inside = entry.path().canonicalize().is_ok_and(|target| target.starts_with(root));
        return skip(listing, if inside { SkipReason::LinkInside } else { SkipReason::LinkOutside });
    }
    if !entry.file_type().is_file() {
        return;
    }
    let Ok(disk) = entry.path().strip_prefix(root) else { return };
    if disk.to_str().is_none() {
        return skip(listing, SkipReason::IllegalName("its name is not Unicode".to_owned()));
    }
    let named = match NotePath::of_file(&path) {
        Ok(named) => named,
        Err(VaultError::IllegalPath { reason, .. }) => return skip(listing, SkipReason::IllegalName(reason)),
        Err(error) => return skip(listing, SkipReason::IllegalName(error.to_string())),
    };
    let mut listed = ListedFile { disk: disk.to_owned(), stamp: None };
    if listing.notes.contains_key(&named) || listing.files.contains_key(&named) {
        return skip(listing, SkipReason::SameName);
    }
    if !named.is_note() {
        if holds_links(&named) {
            listed.stamp = entry.metadata().ok().and_then(|metadata| Stamp::of(&metadata));
        }
        listing.files.insert(named, listed);
        return;
    }
    match entry.metadata() {
        Ok(metadata) if metadata.len() > options.max_note_bytes => skip(listing, SkipReason::TooLarge(metadata.len())),
        Ok(metadata) => {
            listed.stamp = Stamp::of(&metadata);
            listing.notes.insert(named, listed);
        }
        Err(error) => skip(listing, SkipReason::Unreadable(error.to_string())),
    }
}

fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// The path from the root, composed, with `/` between its parts.
fn relative_path(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let parts = relative.components().map(|part| part.as_os_str().to_string_lossy().nfc().collect::<String>());
    parts.collect::<Vec<_>>().join("/")
}

/// Whether a folder's path leads elsewhere.
pub(crate) fn broken_folder(folder: &str) -> Option<String> {
    if folder.is_empty() { None } else { folder.split('/').find_map(unnameable) }
}
