//! What a state says of a document.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most bytes of a document: 32 MiB.
pub const MAX_BYTES: usize = 32 << 20;

/// The most bytes of a name, as most file systems have it.
const MAX_NAME: usize = 255;

/// All but what may stand in a path and a header as it is.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// A document that can be downloaded. Made by [`keep`](super::keep).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Artifact {
    /// Its name: that of the file it is downloaded as.
    pub name: String,
    /// Its media type (RFC 9110 §8.3.1).
    pub media_type: String,
    /// Its size in bytes.
    pub size: u64,
    /// Where it is, relative to the address of its thread: `artifacts/report.md`.
    pub path: String,
    /// The BLAKE3 hash of its bytes, in hexadecimal digits.
    pub hash: String,
}

/// A document that is not kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArtifactError {
    /// The name is no name of a file.
    #[error(
        "`{}` is no name of a document: use 1 to {MAX_NAME} bytes without `/`, `\\` and control characters, and not `.` or `..`",
        name.escape_debug()
    )]
    Name {
        /// The name.
        name: String,
    },
    /// The media type cannot stand in a header.
    #[error("`{}` is no media type; write one as `text/markdown; charset=utf-8`", media_type.escape_debug())]
    MediaType {
        /// What was given.
        media_type: String,
    },
    /// It is too large.
    #[error("the document `{name}` has {size} bytes; at most {MAX_BYTES} are kept")]
    TooLarge {
        /// Its name.
        name: String,
        /// Its size in bytes.
        size: usize,
    },
    /// The threads have no long-term store.
    #[error("the document `{name}` cannot be kept: the threads have no long-term store; give the server one")]
    NoStore {
        /// Its name.
        name: String,
    },
}

impl Artifact {
    pub(super) fn new(name: &str, media_type: &str, bytes: &[u8]) -> Result<Self, ArtifactError> {
        let is_name = !name.is_empty()
            && name.len() <= MAX_NAME
            && !matches!(name, "." | "..")
            && !name.chars().any(|c| c.is_control() || matches!(c, '/' | '\\'));
        if !is_name {
            return Err(ArtifactError::Name { name: name.to_owned() });
        }
        let is_header = media_type.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
        let (main, sub) = media_type.split_once('/').unwrap_or_default();
        if !is_header || main.is_empty() || sub.is_empty() {
            return Err(ArtifactError::MediaType { media_type: media_type.to_owned() });
        }
        if bytes.len() > MAX_BYTES {
            return Err(ArtifactError::TooLarge { name: name.to_owned(), size: bytes.len() });
        }
        Ok(Self {
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            size: bytes.len() as u64,
            path: format!("artifacts/{}", encoded(name)),
            hash: blake3::hash(bytes).to_hex().to_string(),
        })
    }
}

/// A name as a segment of a path, and as the value of a parameter of a header (RFC 8187 §3.2.1).
pub(super) fn encoded(name: &str) -> String {
    utf8_percent_encode(name, ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_of_a_file_and_no_way_to_another() {
        for name in ["", ".", "..", "../x", "a/b", "/etc/passwd", r"a\b", "a\n", "a\0", &"x".repeat(256)] {
            let made = Artifact::new(name, "text/plain", b"");
            assert_eq!(made, Err(ArtifactError::Name { name: name.to_owned() }));
        }
        for (name, path) in
            [("report.md", "artifacts/report.md"), ("Bärte & Co?.md", "artifacts/B%C3%A4rte%20%26%20Co%3F.md")]
        {
            assert_eq!(Artifact::new(name, "text/plain", b"").map(|made| made.path).as_deref(), Ok(path));
        }
    }

    #[test]
    fn a_media_type_can_stand_in_a_header() {
        for media_type in ["", "text", "/plain", "text/", "text/plain\r\nSet-Cookie: a=b", "text/plä"] {
            assert!(Artifact::new("a", media_type, b"").is_err(), "{media_type:?}");
        }
        let made = Artifact::new("a", "text/markdown; charset=utf-8", b"abc").unwrap();
        assert_eq!((made.size, made.hash.len()), (3, 64));
    }
}
