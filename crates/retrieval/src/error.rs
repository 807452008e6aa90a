//! What can go wrong, by whose fault it is.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// So many files that could not be read are named in a message.
const MOST_REASONS: usize = 5;

/// A failed retrieval: what happened, where, and what to do about it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RetrievalError {
    /// No corpus directory was given.
    #[error("no corpus folder was given; name at least one folder of Markdown, text or HTML files")]
    NoRoots,

    /// A corpus directory is absent or cannot be listed.
    #[error("the corpus folder `{}` cannot be read: {source}; check the path and its permissions", root.display())]
    UnreadableRoot {
        /// The folder as it was given.
        root: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },

    /// No threads could be started that read the documents.
    #[error(
        "no thread could be started to read the corpus: {message}; end other programs, or raise the limit of threads"
    )]
    Threads {
        /// The system's reason.
        message: String,
    },

    /// The folders hold nothing that can be searched.
    #[error(
        "the corpus in {} holds no searchable text ({} files could not be read, {skipped} have other endings){}; \
         accepted endings: {}",
        roots_in_words(roots), unread.len(), reasons_in_words(unread), endings.join(", ")
    )]
    EmptyCorpus {
        /// The folders as they were given.
        roots: Vec<PathBuf>,
        /// The endings a file must have to be read.
        endings: Vec<String>,
        /// Files with an accepted ending that could not be read, each with its reason: `` `a.txt` is a binary file``.
        unread: Vec<String>,
        /// Files with another ending.
        skipped: usize,
    },

    /// A search came before the first [`refresh`](crate::Corpus::refresh), or the index on disk is damaged.
    #[error("the index `{}` cannot be searched yet ({reason}); run `refresh` on the corpus first", index.display())]
    NotIndexed {
        /// The index directory.
        index: PathBuf,
        /// Why there is nothing to search.
        reason: String,
    },

    /// Another process is writing the index.
    #[error(
        "the index `{}` is being written by {holder}; waited {} s; try again when it has finished, or use another \
         index directory", index.display(), waited.as_secs()
    )]
    Locked {
        /// The index directory.
        index: PathBuf,
        /// Who holds the lock, as far as is known.
        holder: String,
        /// How long this process waited.
        waited: Duration,
    },

    /// The index was written by a newer version.
    #[error(
        "the index `{}` has format {found}, this version reads up to {supported}; update the program or use another \
         index directory", index.display()
    )]
    NewerFormat {
        /// The index directory.
        index: PathBuf,
        /// The format found.
        found: u32,
        /// The newest format this version can read.
        supported: u32,
    },

    /// The directory meant for the index holds something else.
    #[error(
        "the directory `{}` is not empty and is not an index; nothing in it was touched; use an empty or new directory",
        index.display()
    )]
    NotAnIndex {
        /// The directory.
        index: PathBuf,
    },

    /// The disk that holds the index is full.
    #[error("no space is left for the index `{}`; free some space and refresh again", index.display())]
    DiskFull {
        /// The index directory.
        index: PathBuf,
    },

    /// A file of the index could not be read or written.
    #[error("the index file `{}` cannot be read or written: {source}; check permissions and the disk", path.display())]
    IndexFile {
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },

    /// The search library refused an operation.
    #[error(
        "the index `{}` failed: {source}; if it happens again, delete the directory and refresh", index.display()
    )]
    Engine {
        /// The index directory.
        index: PathBuf,
        /// The library's reason.
        source: tantivy::TantivyError,
    },

    /// The file of the vectors could not be read or written.
    #[error(
        "the vectors in `{}` cannot be read or written: {reason}; if it happens again, delete the file", path.display()
    )]
    Vectors {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },

    /// The vectors of the index were made by another model, and cannot be compared with those of this one.
    #[error(
        "the vectors in `{}` are those of `{stored}`, and `{asked}` is asked for; have them made anew, or name the model \
         that made them", index.display()
    )]
    OtherEmbedder {
        /// The folder of the vectors.
        index: PathBuf,
        /// The model that made them.
        stored: String,
        /// The model that was asked for.
        asked: String,
    },

    /// The model that makes vectors failed. What it had made before is stored.
    #[error(
        "the vectors of passages could not be made, after {made} of {of}: {source}; the next attempt goes on there"
    )]
    Embedding {
        /// How many were made in this attempt.
        made: usize,
        /// How many were to be made.
        of: usize,
        /// What the model said.
        source: Box<graphloom_llm::ModelError>,
    },

    /// A question to the literature has neither a letter nor a digit.
    #[error("the question `{query}` has no words to search for; name what the works are about")]
    NoWords {
        /// The question as it was given.
        query: String,
    },

    /// The contact for the sources of literature is no e-mail address.
    #[error("`{given}` is no e-mail address; give one at which the sources can reach you, such as `name@example.org`")]
    NoContact {
        /// What was given.
        given: String,
    },

    /// The address of a source of literature cannot be used.
    #[error("the address `{given}` of `{name}` cannot be used ({reason}); give one such as `https://api.example.org`")]
    SourceAddress {
        /// The name of the source.
        name: String,
        /// The address as it was given.
        given: String,
        /// What does not fit.
        reason: String,
    },

    /// There is no engine of this name.
    #[error(
        "there is no engine `{name}`; the engines of the web are `tavily`, `google`, `brave`, `exa`, `searxng` and `wikipedia`"
    )]
    NoSuchEngine {
        /// What was given.
        name: String,
    },

    /// There is no source of literature of this name.
    #[error(
        "there is no source `{name}`; the sources of literature are `openalex`, `arxiv`, `crossref`, `pubmed`, \
         `semanticscholar`, `core` and `europepmc`"
    )]
    NoSuchSource {
        /// What was given.
        name: String,
    },

    /// An engine of the web needs a key.
    #[error("the engine `{name}` needs a key; set `{variable}`, or `{variable}_FILE` to a file that holds it")]
    NoKey {
        /// The name of the engine.
        name: &'static str,
        /// The variable for the key.
        variable: String,
    },

    /// The hosts that a key is for cannot be read.
    #[error("`{variable}` must be `HOST` or `HOST:PORT`, or several with commas between")]
    KeyHost {
        /// The variable.
        variable: String,
    },

    /// A key would go over `http` to another machine.
    #[error(
        "the key that `{variable}` is about would go to `{host}` over `http`, where everybody on the way can read it; use \
         an `https` address, or take the host away"
    )]
    OpenKey {
        /// The host.
        host: String,
        /// What names the host.
        variable: String,
    },

    /// An engine of the web has no usual address.
    #[error("the engine `{name}` needs the address of an instance; set `{variable}`")]
    NoAddress {
        /// The name of the engine.
        name: &'static str,
        /// The variable for the address.
        variable: String,
    },

    /// A file with a key cannot be read.
    #[error("the key file `{}` cannot be read: {source}; check the path and its permissions", path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },

    /// No client for a host of literature can be made.
    #[error("no client for `{address}` can be made: {reason}; check the certificates of this system")]
    NoClient {
        /// The host.
        address: String,
        /// The system's reason.
        reason: String,
    },

    /// The program is offline, and the host is not on this machine.
    #[error(
        "`{host}` is not asked, because the program runs with `--offline`; leave that out, or use what is on this machine"
    )]
    Offline {
        /// The host with its port.
        host: String,
    },

    /// No engine gave an answer.
    #[error("no engine answered: {}", if told.is_empty() { "none is set up; name one with its key".to_owned() } else { told.join(" ") })]
    NoEngine {
        /// A line for each engine.
        told: Vec<String>,
        /// Whether an engine may answer later.
        retryable: bool,
    },

    /// A recording of answers cannot be read or written.
    #[error("the recording `{}` cannot be read or written: {source}; check the path and its permissions", path.display())]
    RecordingFile {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },

    /// A file is no recording that this version reads.
    #[error("the file `{}` is no recording of answers ({reason}); record the questions again", path.display())]
    RecordingForm {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },

    /// A search ended abnormally in its worker thread.
    #[error("the search in `{name}` was interrupted: {reason}; try again")]
    Interrupted {
        /// The name of the engine.
        name: String,
        /// What the worker reported.
        reason: String,
    },
}

impl RetrievalError {
    /// Whether the same call may succeed later without a change by the user.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Locked { .. } | Self::Interrupted { .. } => true,
            Self::NoEngine { retryable, .. } => *retryable,
            Self::Embedding { source, .. } => source.is_retryable(),
            _ => false,
        }
    }

    /// Sorts a failed file operation of the index.
    pub(crate) fn index_file(index: &Path, path: &Path, source: io::Error) -> Self {
        if is_full(&source) {
            return Self::DiskFull { index: index.to_path_buf() };
        }
        Self::IndexFile { path: path.to_path_buf(), source: Arc::new(source) }
    }

    /// Sorts a failure of the search library.
    pub(crate) fn engine(index: &Path, source: tantivy::TantivyError) -> Self {
        if engine_says_full(&source) || (is_write_failure(&source) && disk_is_full(index)) {
            return Self::DiskFull { index: index.to_path_buf() };
        }
        Self::Engine { index: index.to_path_buf(), source }
    }
}

#[cfg(feature = "literature")]
impl From<graphloom_http::HttpError> for RetrievalError {
    fn from(error: graphloom_http::HttpError) -> Self {
        use graphloom_http::HttpError;
        match error {
            HttpError::Offline { host } => Self::Offline { host },
            HttpError::Client { host, reason } => Self::NoClient { address: host, reason },
            other => Self::NoClient { address: "the network".to_owned(), reason: other.to_string() },
        }
    }
}

fn roots_in_words(roots: &[PathBuf]) -> String {
    roots.iter().map(|root| format!("`{}`", root.display())).collect::<Vec<_>>().join(", ")
}

/// The first reasons why files could not be read.
fn reasons_in_words(unread: &[String]) -> String {
    if unread.is_empty() {
        return String::new();
    }
    let more = unread.len().saturating_sub(MOST_REASONS);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!(": {}{more}", unread[..unread.len().min(MOST_REASONS)].join(", "))
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn engine_says_full(error: &tantivy::TantivyError) -> bool {
    use tantivy::directory::error::OpenWriteError;
    match error {
        tantivy::TantivyError::IoError(io) => is_full(io),
        tantivy::TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. }) => is_full(io_error),
        _ => false,
    }
}

/// The library's worker threads keep only words of the error that stopped them.
fn is_write_failure(error: &tantivy::TantivyError) -> bool {
    matches!(error, tantivy::TantivyError::ErrorInThread(_) | tantivy::TantivyError::SystemError(_))
}

/// Finds out by trying, because a worker thread's report has lost the kind of its error.
fn disk_is_full(index: &Path) -> bool {
    let probe = index.join("space.probe");
    let written = std::fs::write(&probe, [0_u8; 256 * 1024]);
    let _ = std::fs::remove_file(&probe);
    written.is_err_and(|error| is_full(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_apart_from_other_failures() {
        let dir = Path::new("index");
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let disk_full = |error: RetrievalError| matches!(error, RetrievalError::DiskFull { .. });
        assert!(disk_full(RetrievalError::index_file(dir, dir, full())));
        assert!(disk_full(RetrievalError::engine(dir, full().into())));
        assert!(!disk_full(RetrievalError::index_file(dir, dir, denied())));
        assert!(!disk_full(RetrievalError::engine(dir, denied().into())));
    }
}
