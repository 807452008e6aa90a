//! What can be chosen about a corpus and a search.

use std::time::Duration;

/// How a corpus is read and kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CorpusOptions {
    /// Larger files are listed as unread; in bytes, 8 MiB by default.
    pub max_file_bytes: u64,
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
    /// Only files with these endings are read, without the dot and in lower case; all that can be read by default.
    pub endings: Vec<String>,
}

impl Default for CorpusOptions {
    fn default() -> Self {
        Self {
            max_file_bytes: 8 * 1024 * 1024,
            passage_bytes: 1200,
            follow_links: false,
            lock_wait: Duration::from_secs(30),
            ignored_folders: vec!["target".to_owned(), "node_modules".to_owned()],
            endings: Vec::new(),
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
