//! Why a file is not read.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a file is not in the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnreadReason {
    /// The system refused to open or read it.
    System {
        /// The system's words.
        message: String,
    },
    /// It is larger than [`max_file_bytes`](crate::CorpusOptions::max_file_bytes), or as a PDF file, a book, a DOCX file or
    /// mail larger than [`max_document_bytes`](crate::CorpusOptions::max_document_bytes).
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
    /// Its content is of another kind than its name says.
    Mislabelled {
        /// What the name says, as `PDF file`.
        named: String,
        /// What it is, as `HTML page`.
        found: String,
    },
    /// It cannot be read without a password or a licence.
    Encrypted,
    /// Its pages are pictures without text.
    Scanned {
        /// How many pages it has.
        pages: u32,
    },
    /// It unpacks to more than [`max_unpacked_bytes`](crate::CorpusOptions::max_unpacked_bytes).
    Expands {
        /// The limit in bytes.
        limit: u64,
    },
    /// Reading it took longer than [`read_time`](crate::CorpusOptions::read_time).
    Slow {
        /// The limit in milliseconds.
        milliseconds: u64,
    },
    /// A symbolic link leads back to a folder above it.
    LinkLoop,
    /// Its name is not valid Unicode.
    Name,
}

impl UnreadReason {
    /// Its markup cannot be read.
    pub(crate) fn malformed(message: impl fmt::Display) -> Self {
        Self::Malformed { message: message.to_string() }
    }
}

impl fmt::Display for UnreadReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System { message } => write!(f, "cannot be opened: {message}"),
            Self::TooBig { bytes, limit } => write!(f, "has {bytes} bytes, the limit is {limit}"),
            Self::Binary => f.write_str("is a binary file"),
            Self::Empty => f.write_str("holds no text"),
            Self::Malformed { message } => write!(f, "cannot be understood: {message}"),
            Self::Mislabelled { named, found } => {
                write!(
                    f,
                    "is named as a {named} and its content is that of a {found}: give it the ending of what it is"
                )
            }
            Self::Encrypted => f.write_str("is encrypted: save it without a password"),
            Self::Scanned { pages } => {
                write!(f, "has no text on its pages ({pages}), only pictures: recognise its text first (OCR)")
            }
            Self::Expands { limit } => write!(f, "unpacks to more than {limit} bytes"),
            Self::Slow { milliseconds } => write!(f, "took longer than {milliseconds} ms to read"),
            Self::LinkLoop => f.write_str("is a symbolic link to a folder above itself"),
            Self::Name => f.write_str("has a name that is not valid Unicode"),
        }
    }
}
