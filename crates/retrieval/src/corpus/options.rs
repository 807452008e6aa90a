//! What can be chosen about a corpus and a search.

use std::path::PathBuf;
use std::time::Duration;

use crate::document::ReadLimits;

/// How a corpus is read and kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CorpusOptions {
    /// Larger files of text are listed as unread; in bytes, 8 MiB by default.
    pub max_file_bytes: u64,
    /// Larger PDF files, books, DOCX files, messages and mailboxes are listed as unread, much of which is pictures; in bytes,
    /// 64 MiB by default.
    pub max_document_bytes: u64,
    /// The most text that a book or a DOCX file unpacks to; in bytes, 64 MiB by default.
    pub max_unpacked_bytes: u64,
    /// Pages of a PDF file after these are not read, which the report tells; 5,000 by default.
    pub max_pages: usize,
    /// How long reading a PDF file may take; 60 seconds by default.
    pub read_time: Duration,
    /// A program that calls `serve_reader` first, such as the running one: it reads each PDF file in a process of its own, whose
    /// memory is bounded on Unix to 2 GiB. Without one, which is the default, PDF files are read on a thread, and a file that
    /// never ends or fills the memory can hold up or end the program.
    pub reader: Option<PathBuf>,
    /// Passages are about this long; in bytes of UTF-8, 1200 by default. Another value than the index was built with
    /// rebuilds it at the next refresh.
    pub passage_bytes: usize,
    /// Whether symbolic links are followed, also out of the corpus folder; they are not by default. A loop of links is
    /// listed as unread. The corpus folder itself may be a link.
    pub follow_links: bool,
    /// How long a refresh waits for another one of the same index; 30 seconds by default.
    pub lock_wait: Duration,
    /// Folders with these names are ignored, wherever they are; `target` and `node_modules` by default. Hidden ones
    /// always are.
    pub ignored_folders: Vec<String>,
    /// Whether what a `.gitignore` names is left out, and counted; it is by default. The corpus folder itself is read even if
    /// one names it.
    pub git_ignore: bool,
    /// Only files with these endings are read, without the dot and in lower case; all that can be read by default.
    pub endings: Vec<String>,
}

impl Default for CorpusOptions {
    fn default() -> Self {
        Self {
            max_file_bytes: 8 * 1024 * 1024,
            max_document_bytes: 64 * 1024 * 1024,
            max_unpacked_bytes: 64 * 1024 * 1024,
            max_pages: 5000,
            read_time: Duration::from_secs(60),
            reader: None,
            passage_bytes: 1200,
            follow_links: false,
            lock_wait: Duration::from_secs(30),
            ignored_folders: vec!["target".to_owned(), "node_modules".to_owned()],
            git_ignore: true,
            endings: Vec::new(),
        }
    }
}

impl CorpusOptions {
    pub(super) fn read_limits(&self) -> ReadLimits<'_> {
        ReadLimits {
            passage_bytes: self.passage_bytes,
            unpacked_bytes: self.max_unpacked_bytes,
            pages: self.max_pages,
            time: self.read_time,
            reader: self.reader.as_deref(),
        }
    }
}

/// What a search answers with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchOptions {
    /// At most this many hits; 10 by default.
    pub limit: usize,
    /// At most this many hits from one document; 3 by default.
    pub per_document: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { limit: 10, per_document: 3 }
    }
}

impl SearchOptions {
    /// At most `limit` hits, otherwise the defaults.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Sets the most hits from one document.
    #[must_use]
    pub fn per_document(mut self, most: usize) -> Self {
        self.per_document = most;
        self
    }
}
