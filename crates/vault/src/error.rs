//! What can go wrong with a vault, by whose fault it is.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::NotePath;

/// A failed operation on a vault: what happened, where, and what to do about it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    // ---- what was asked for -------------------------------------------------------------------------------------
    /// The path cannot name a note of a vault.
    #[error("`{path}` cannot be the path of a note: {reason}")]
    IllegalPath {
        /// The path as it was given.
        path: String,
        /// The rule it breaks, and what would be right.
        reason: String,
    },

    /// There is no note at this path.
    #[error("there is no note `{path}`{}", similar_in_words(similar))]
    NoSuchNote {
        /// The path that was asked for.
        path: NotePath,
        /// Notes with the same name elsewhere, or in another spelling.
        similar: Vec<NotePath>,
    },

    /// A note is already at the path; nothing is ever overwritten by creating or moving.
    #[error("there is already a note `{path}`; change it with an edit, or choose another path")]
    Exists {
        /// The taken path, in the spelling it has in the vault.
        path: NotePath,
    },

    /// The note has no such heading.
    #[error("the note `{path}` has no heading `{heading}`; {}", known_in_words("its headings are", known))]
    NoSuchSection {
        /// The note.
        path: NotePath,
        /// The heading that was asked for.
        heading: String,
        /// The headings there are.
        known: Vec<String>,
    },

    /// Several headings of the note have this text.
    #[error(
        "the note `{path}` has {} headings `{heading}` (lines {}); put the right number of `#` before it, or replace text instead",
        lines.len(), list(lines)
    )]
    AmbiguousSection {
        /// The note.
        path: NotePath,
        /// The heading that was asked for.
        heading: String,
        /// The lines of the headings, counted from 1.
        lines: Vec<usize>,
    },

    /// The text to replace is there more or less often than expected.
    #[error(
        "the text to replace is {found} times in `{path}`{}, {expected} expected; quote it exactly, with enough around it to be unique",
        at_lines(lines)
    )]
    Occurrences {
        /// The note.
        path: NotePath,
        /// How often it was expected.
        expected: usize,
        /// How often it is there.
        found: usize,
        /// The lines where it starts, counted from 1.
        lines: Vec<usize>,
    },

    /// An edit that cannot be made as asked.
    #[error("the note `{path}` cannot be edited so: {reason}")]
    IllegalEdit {
        /// The note.
        path: NotePath,
        /// Why not, and what to do.
        reason: String,
    },

    /// The frontmatter is not valid YAML, so none of its keys can be changed.
    #[error("the frontmatter of `{path}` is broken at line {line}: {problem}; correct it before its keys are edited")]
    BrokenFrontmatter {
        /// The note.
        path: NotePath,
        /// The line in the note, counted from 1.
        line: usize,
        /// What the reader stumbled over.
        problem: String,
    },

    /// The run's name cannot be used for its journal.
    #[error("`{run}` cannot name a run: use 1 to 100 letters, digits, `-`, `_` or `.`, not a `.` first")]
    IllegalRun {
        /// The name as it was given.
        run: String,
    },

    /// The vault's journal knows no such run.
    #[error(
        "no changes of a run `{run}` can be undone in this vault; {}",
        known_in_words("those that can be are", known)
    )]
    NoSuchRun {
        /// The name that was asked for.
        run: String,
        /// The runs that changed the vault and are not undone.
        known: Vec<String>,
    },

    // ---- what the vault is like ---------------------------------------------------------------------------------
    /// The vault is not a directory that can be read.
    #[error("the vault `{}` cannot be opened: {source}; name a directory of Markdown notes", root.display())]
    NotAVault {
        /// The directory as it was given.
        root: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },

    /// The file is not UTF-8, so it is neither read nor changed.
    #[error("`{path}` is not UTF-8 text, so it is left alone; convert it to UTF-8 to use it as a note")]
    NotUtf8 {
        /// The note.
        path: NotePath,
    },

    /// The file is larger than a note may be.
    #[error("`{path}` has {bytes} bytes, more than the {limit} a note may have, so it is left alone")]
    TooLarge {
        /// The note.
        path: NotePath,
        /// Its size.
        bytes: u64,
        /// The limit of [`VaultOptions`](crate::VaultOptions).
        limit: u64,
    },

    /// A part of the path is a symbolic link or is no directory; links are never followed.
    #[error("`{path}` cannot be reached: `{part}` is {found}; links out of a vault, and inside it, are not followed")]
    Unreachable {
        /// The path, relative to the vault.
        path: String,
        /// The part that is in the way.
        part: String,
        /// What it is.
        found: String,
    },

    /// Notes changed between reading and applying; nothing was written.
    #[error(
        "{} changed since the changes were made: {}; nothing was written, read the notes again and redo the changes",
        if paths.len() == 1 { "a note" } else { "notes" }, in_backticks(paths)
    )]
    Changed {
        /// The notes that are not what they were.
        paths: Vec<NotePath>,
    },

    /// A file that its owner has made read-only was to be changed or removed.
    #[error(
        "{} read-only: {}; nothing was written, allow writing to it or leave it out",
        if paths.len() == 1 { "a file is" } else { "files are" }, in_backticks(paths)
    )]
    ReadOnly {
        /// The files.
        paths: Vec<NotePath>,
    },

    /// Another process is applying changes to the vault.
    #[error("changes are being applied to the vault `{}` by another process; try again when it has finished", root.display())]
    Busy {
        /// The vault.
        root: PathBuf,
    },

    // ---- the system ---------------------------------------------------------------------------------------------
    /// A file operation failed.
    #[error("could not {operation} `{}`: {source}", path.display())]
    Io {
        /// What was being done, as a verb.
        operation: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },

    /// Changes could not be applied, and everything is again as it was before.
    #[error("the changes of `{run}` were not applied, every note is as before: {source}{}", hint(source))]
    NotApplied {
        /// The run.
        run: String,
        /// What failed.
        source: Box<VaultError>,
    },

    /// Applying stopped half way and could not be taken back; the journal is kept for recovery.
    #[error(
        "applying the changes of `{run}` stopped half way: {source}{}; nothing is lost, the journal is kept and recovery finishes it",
        hint(source)
    )]
    Interrupted {
        /// The run.
        run: String,
        /// What failed.
        source: Box<VaultError>,
    },

    /// The journal or a backup in `.obsius` is damaged.
    #[error("the journal `{}` is damaged: {reason}; its notes were left as they are", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl VaultError {
    /// Whether the same call can succeed later, after reading again or when another process has finished.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Changed { .. }
                | Self::Busy { .. }
                | Self::Io { .. }
                | Self::NotApplied { .. }
                | Self::Interrupted { .. }
        )
    }

    /// Whether a full disk is the cause.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Io { source, .. } => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            Self::NotApplied { source, .. } | Self::Interrupted { source, .. } => source.is_disk_full(),
            _ => false,
        }
    }

    pub(crate) fn io(operation: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { operation, path: path.to_owned(), source: Arc::new(source) }
    }

    pub(crate) fn illegal_path(path: &str, reason: impl Into<String>) -> Self {
        Self::IllegalPath { path: path.to_owned(), reason: reason.into() }
    }

    pub(crate) fn illegal_edit(path: &NotePath, reason: impl Into<String>) -> Self {
        Self::IllegalEdit { path: path.clone(), reason: reason.into() }
    }
}

fn hint(source: &VaultError) -> &'static str {
    if source.is_disk_full() { "; free some disk space" } else { "" }
}

fn list(lines: &[usize]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn at_lines(lines: &[usize]) -> String {
    if lines.is_empty() { String::new() } else { format!(" (lines {})", list(lines)) }
}

fn in_backticks(paths: &[NotePath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}

fn similar_in_words(similar: &[NotePath]) -> String {
    if similar.is_empty() {
        "; list the notes to see what there is".to_owned()
    } else {
        format!("; did you mean {}", in_backticks(similar))
    }
}

fn known_in_words(intro: &str, known: &[String]) -> String {
    const SHOWN: usize = 20;
    if known.is_empty() {
        return "there are none".to_owned();
    }
    let shown = known.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = known.len().saturating_sub(SHOWN);
    if more == 0 { format!("{intro} {shown}") } else { format!("{intro} {shown} and {more} more") }
}
