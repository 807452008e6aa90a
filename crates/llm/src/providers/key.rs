//! A key that is never printed.

use std::fmt;

/// A provider's key. `Debug` does not print the key, the type is not serialisable, and [`ApiKey::scrub`] takes the key
/// out of texts.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key; `None` when it is blank.
    pub fn new(key: impl Into<String>) -> Option<Self> {
        let key = key.into();
        let trimmed = key.trim();
        (!trimmed.is_empty()).then(|| Self(trimmed.to_owned()))
    }

    /// The key in an environment variable, where it is set and not blank.
    pub fn from_env(variable: &str) -> Option<Self> {
        std::env::var(variable).ok().and_then(Self::new)
    }

    /// `text` with every occurrence of the key replaced.
    pub fn scrub(&self, text: &str) -> String {
        if text.contains(&self.0) { text.replace(&self.0, "[key]") } else { text.to_owned() }
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey([key])")
    }
}
