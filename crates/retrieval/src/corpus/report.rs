//! What a refresh did and what it could not read.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::UnreadReason;

/// The outcome of a refresh. Every file below the corpus folders is in one of the counts or lists, apart from those in
/// ignored folders (hidden ones, `target` and `node_modules`) and hidden files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IndexReport {
    /// Documents that are new in the index.
    pub added: usize,
    /// Documents whose content changed.
    pub updated: usize,
    /// Documents that are gone, or cannot be read any more.
    pub removed: usize,
    /// Documents that are as they were.
    pub unchanged: usize,
    /// Documents in the index now.
    pub documents: usize,
    /// Passages in the index now.
    pub passages: usize,
    /// Files with an accepted ending, and folders, that could not be read.
    pub unread: Vec<Unread>,
    /// Files that were read with a loss, or in a charset that is a guess.
    pub lossy: Vec<LossyFile>,
    /// How many files were passed over, by their ending; `symbolic link` and `no ending` count as endings.
    pub skipped: BTreeMap<String, usize>,
    /// How many files that would be read, and folders, a `.gitignore` leaves out; what is below such a folder is not counted.
    pub ignored: usize,
    /// Why the whole index was built anew, if it was.
    pub rebuilt: Option<String>,
}

impl fmt::Display for IndexReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { added, updated, removed, unchanged, documents, passages, .. } = self;
        write!(f, "{documents} documents, {passages} passages ")?;
        write!(f, "({added} added, {updated} updated, {removed} removed, {unchanged} unchanged")?;
        for (count, what) in [
            (self.unread.len(), "unread"),
            (self.lossy.len(), "read with a loss or a guess"),
            (self.skipped.values().sum(), "of other kinds skipped"),
            (self.ignored, "left out by .gitignore"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        f.write_str(")")
    }
}

/// A file or folder that is not in the index, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unread {
    /// The path, beginning with the corpus folder as it was given.
    pub path: String,
    /// Why it could not be read.
    pub reason: UnreadReason,
}

/// A file that was read with a loss, or in a charset that is a guess.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LossyFile {
    /// The path, beginning with the corpus folder as it was given.
    pub path: String,
    /// What was lost or guessed.
    pub note: String,
}
