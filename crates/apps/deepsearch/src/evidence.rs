//! The record of one document or passage that was found: what the original calls `doc_info`, typed.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Hexadecimal digits of an id.
const DIGITS: usize = 12;

/// The id of a piece of evidence: the same address and text have the same id in every run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct EvidenceId(String);

impl EvidenceId {
    /// The id of a text at an address.
    pub fn new(url: &str, text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        let url = canonical(url);
        hasher.update(&(url.len() as u64).to_le_bytes());
        hasher.update(url.as_bytes());
        hasher.update(text.as_bytes());
        Self(hasher.finalize().to_hex()[..DIGITS].to_owned())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a model thinks of a document, 0 to 10 on each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    /// How much it has to do with the task.
    pub relevance: u8,
    /// How far it answers the task.
    pub answerability: u8,
    /// How much its source can be trusted.
    pub authority: u8,
    /// How many data it holds.
    pub data_density: u8,
}

/// One document or passage that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Document {
    /// The id that citations use.
    pub id: EvidenceId,
    /// Where it is: an address, or the path of a local document.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its text.
    #[schemars(with = "String")]
    pub text: Arc<str>,
    /// The engine that found it.
    pub engine: String,
    /// The query that found it.
    pub query: String,
    /// Its place in the engine's answer, from 1.
    pub rank: u32,
    /// Milliseconds since 1970 when it was found.
    pub fetched_at: u64,
    /// When it was published, as its source says.
    pub published_at: Option<String>,
    /// What a model thinks of it; none when it was not scored, which is not the same as 0.
    pub scores: Option<Scores>,
}

impl Document {
    /// A document, not scored.
    pub fn new(url: impl Into<String>, title: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let (url, text) = (url.into(), text.into());
        Self { id: EvidenceId::new(&url, &text), url, title: title.into(), text, ..Self::default() }
    }

    /// Whether it comes from the web: `web` or `local` in citations.
    pub fn is_web(&self) -> bool {
        self.url.starts_with("http://") || self.url.starts_with("https://")
    }
}

/// An address in the form in which two spellings of it are equal; that of a local document stands without its fragment.
pub fn canonical(url: &str) -> String {
    graphloom_text::canonical(url).unwrap_or_else(|| url.trim().split('#').next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spellings_of_an_address_are_one() {
        let id = EvidenceId::new("https://Example.org/a/", "text");
        assert_eq!(id, EvidenceId::new("https://example.org/a#part", "text"));
        assert_ne!(id, EvidenceId::new("https://example.org/a", "other"));
        assert_ne!(id, EvidenceId::new("https://example.org/A", "text"));
        assert_eq!(id.as_str().len(), DIGITS);
    }
}
