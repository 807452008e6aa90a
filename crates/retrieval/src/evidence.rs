//! The record of one piece of found text, the same for every engine.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One passage that an engine found and that a text can cite.
///
/// ```
/// use graphloom_retrieval::{Evidence, Source};
///
/// let source = Source::Local { root: "docs".into(), path: "storage/wal.md".into() };
/// let evidence = Evidence::new("storage-wal#0a1b2c3d", source, "The log", "Pages go to the log first.");
/// assert_eq!(evidence.place(), "docs/storage/wal.md");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Evidence {
    /// The short id that citations use: ASCII letters, digits, `-` and one `#`.
    pub id: String,
    /// Where the document is.
    pub source: Source,
    /// The address of the copy that was read, where that is not at `source`: an open copy of a published work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
    /// The title of the document.
    pub title: String,
    /// The headings above the passage, outermost first.
    pub heading: Vec<String>,
    /// Where in the document the passage is.
    pub locator: Locator,
    /// The readable text of the passage, without markup.
    pub text: String,
    /// BLAKE3, in hexadecimal, of the whole document, or of the copy, as it was retrieved.
    pub content_hash: String,
}

impl Evidence {
    /// A record for the whole of a short document: no headings, and the hash of `text` as the document's.
    #[must_use]
    pub fn new(id: impl Into<String>, source: Source, title: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            id: id.into(),
            source,
            copy: None,
            title: title.into(),
            heading: Vec::new(),
            locator: Locator::Document,
            content_hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
            text,
        }
    }

    /// The same with an id that is made of the text and of `path`, which says where the document is: it stays while both do.
    #[must_use]
    pub fn of_text(source: Source, path: &str, title: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(crate::evidence_id::evidence_id(path, &text, 0), source, title, text)
    }

    /// The document and the place in it, as a list of references shows them.
    #[must_use]
    pub fn place(&self) -> String {
        let mut place = self.source.to_string();
        if let Some(copy) = &self.copy {
            place.push_str(&format!(", read at {copy}"));
        }
        match self.locator {
            Locator::Document => place,
            _ => format!("{place}, {}", self.locator),
        }
    }
}

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// A file of a local corpus.
    Local {
        /// The corpus folder, as the user named it.
        root: String,
        /// The file, relative to the folder, with `/` between the parts.
        path: String,
    },
    /// A work of the literature, of which the abstract was read.
    Literature {
        /// First author and year, as `Piwowar et al. 2018`.
        work: String,
        /// Where a reader finds the work; empty when no source says.
        url: String,
    },
    /// A page of the web.
    Web {
        /// The address of the page.
        url: String,
    },
    /// A resource of an MCP server.
    Mcp {
        /// The server, as its user named it.
        server: String,
        /// The address that the server knows the resource by.
        uri: String,
    },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local { root, path } if root.is_empty() => f.write_str(path),
            Self::Local { root, path } => write!(f, "{}/{path}", root.trim_end_matches(['/', '\\'])),
            Self::Literature { work, url } if url.is_empty() => f.write_str(work),
            Self::Literature { work, url } => write!(f, "{work}, {url}"),
            Self::Web { url } => f.write_str(url),
            Self::Mcp { server, uri } => write!(f, "{uri} of the MCP server {server}"),
        }
    }
}

/// Where in its document a passage is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Locator {
    /// The whole document.
    Document,
    /// A part of a file that was read as it is. The bytes are those of the file decoded as UTF-8.
    Lines {
        /// The first line, counted from 1.
        first_line: u32,
        /// The last line, included.
        last_line: u32,
        /// The first byte, counted from 0.
        start_byte: usize,
        /// The byte after the last.
        end_byte: usize,
    },
    /// A part of a document in pages.
    Pages {
        /// The page on which the part begins, counted from 1.
        first_page: u32,
        /// The page on which it ends.
        last_page: u32,
    },
    /// A part of text that was extracted from another format, where source positions are unknown.
    Passage {
        /// The number of the passage in its document, counted from 1.
        number: u32,
    },
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document => f.write_str("whole document"),
            Self::Lines { first_line, last_line, .. } if first_line == last_line => write!(f, "line {first_line}"),
            Self::Lines { first_line, last_line, .. } => write!(f, "lines {first_line}-{last_line}"),
            Self::Pages { first_page, last_page } if first_page == last_page => write!(f, "page {first_page}"),
            Self::Pages { first_page, last_page } => write!(f, "pages {first_page}-{last_page}"),
            Self::Passage { number } => write!(f, "passage {number}"),
        }
    }
}
