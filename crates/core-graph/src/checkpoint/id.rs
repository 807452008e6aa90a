//! The id of a checkpoint.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The id of a checkpoint: a hash over namespace, parent and what was written, shown in hexadecimal, or the
/// text that a layer around a store put in its place.
///
/// ```
/// use graphloom_core_graph::checkpoint::CheckpointId;
///
/// let id = CheckpointId::from(255_u128);
/// assert_eq!(id.to_string(), "000000000000000000000000000000ff");
/// assert_eq!(CheckpointId::from("000000000000000000000000000000ff"), id);
/// assert_eq!(CheckpointId::from("sealed").text(), "sealed");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CheckpointId(IdForm);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum IdForm {
    /// Big-endian.
    Hash([u8; 16]),
    /// What is not 32 lower-case hexadecimal digits.
    Text(Arc<str>),
}

impl CheckpointId {
    /// The id as a text.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0 {
            IdForm::Hash(bytes) => Cow::Owned(hexadecimal(*bytes)),
            IdForm::Text(text) => Cow::Borrowed(text),
        }
    }

    /// The bytes of an id that is a hash.
    pub fn hash(&self) -> Option<[u8; 16]> {
        match &self.0 {
            IdForm::Hash(bytes) => Some(*bytes),
            IdForm::Text(_) => None,
        }
    }

    /// What the id of the next checkpoint is made of, besides what is written.
    pub(crate) fn seed(&self) -> u128 {
        match &self.0 {
            IdForm::Hash(bytes) => u128::from_be_bytes(*bytes),
            IdForm::Text(text) => xxhash_rust::xxh3::xxh3_128(text.as_bytes()),
        }
    }
}

impl From<u128> for CheckpointId {
    fn from(hash: u128) -> Self {
        Self(IdForm::Hash(hash.to_be_bytes()))
    }
}

impl From<&str> for CheckpointId {
    fn from(text: &str) -> Self {
        Self(hash_of(text.as_bytes()).map_or_else(|| IdForm::Text(text.into()), IdForm::Hash))
    }
}

impl From<String> for CheckpointId {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

impl fmt::Debug for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text(), f)
    }
}

impl Serialize for CheckpointId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for CheckpointId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

fn hexadecimal(bytes: [u8; 16]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect()
}

fn hash_of(text: &[u8]) -> Option<[u8; 16]> {
    let digit = |letter: u8| match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_chunks::<2>();
    let mut bytes = [0; 16];
    if pairs.len() != bytes.len() || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_id_comes_back_from_its_text(hash: u128, text in "[0-9a-fA-F]{30,34}|.{0,40}") {
            let id = CheckpointId::from(hash);
            prop_assert_eq!(&*id.text(), format!("{hash:032x}"));
            prop_assert_eq!(CheckpointId::from(id.to_string()), id);
            prop_assert_eq!(CheckpointId::from(text.as_str()).to_string(), text);
        }
    }
}
