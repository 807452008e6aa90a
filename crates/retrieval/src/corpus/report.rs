//! What a refresh did and what it could not read.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

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
    /// Files that were read with a loss.
    pub lossy: Vec<LossyFile>,
    /// How many files were passed over, by their ending; `symbolic link` and `no ending` count as endings.
    pub skipped: BTreeMap<String, usize>,
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
            (self.lossy.len(), "read with loss"),
            (self.skipped.values().sum(), "of other kinds skipped"),
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

/// Why a file is not in the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnreadReason {
    /// The system refused to open or read it.
    System {
        /// The system's words.
        message: String,
    },
    /// It is larger than [`max_file_bytes`](crate::CorpusOptions::max_file_bytes).
    TooBig {
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// It is not text.
    Binary,
    /// It holds no text.
    Empty,
    /// Its markup cannot be read.
    Malformed {
        /// What is wrong.
        message: String,
    },
    /// A symbolic link leads back to a folder above it.
    LinkLoop,
    /// Its name is not valid Unicode.
    Name,
}

impl fmt::Display for UnreadReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System { message } => write!(f, "cannot be opened: {message}"),
            Self::TooBig { bytes, limit } => write!(f, "has {bytes} bytes, the limit is {limit}"),
            Self::Binary => f.write_str("is a binary file"),
            Self::Empty => f.write_str("holds no text"),
            Self::Malformed { message } => write!(f, "cannot be understood: {message}"),
            Self::LinkLoop => f.write_str("is a symbolic link to a folder above itself"),
            Self::Name => f.write_str("has a name that is not valid Unicode"),
        }
    }
}

/// A file that was read with a loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LossyFile {
    /// The path, beginning with the corpus folder as it was given.
    pub path: String,
    /// What was lost.
    pub note: String,
}
