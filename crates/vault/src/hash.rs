//! The fingerprint of a file's bytes.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The BLAKE3 hash of a file's bytes, in lower-case hexadecimal.
///
/// ```
/// use graphloom_vault::ContentHash;
/// assert_eq!(ContentHash::of(b"a"), ContentHash::of("a".as_bytes()));
/// assert_ne!(ContentHash::of(b"a"), ContentHash::of(b"b"));
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct ContentHash(Box<str>);

impl ContentHash {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).to_hex().as_str().into())
    }

    /// The hash of all that a reader gives.
    pub(crate) fn of_reader(mut reader: impl std::io::Read) -> std::io::Result<Self> {
        let mut hasher = blake3::Hasher::new();
        std::io::copy(&mut reader, &mut hasher)?;
        Ok(Self(hasher.finalize().to_hex().as_str().into()))
    }

    /// The 64 hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ContentHash {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
            Ok(Self(text.into()))
        } else {
            Err(format!("`{text}` is not a content hash of 64 hexadecimal digits"))
        }
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({})", &self.0[..12])
    }
}
