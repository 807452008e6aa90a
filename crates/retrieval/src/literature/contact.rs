//! Who runs the program, and the key that OpenAlex gives.

use std::fmt;

use crate::RetrievalError;

/// An e-mail address at which a source's operators can reach who runs the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact(String);

impl Contact {
    /// Reads an address.
    ///
    /// # Errors
    /// [`RetrievalError::NoContact`] when it is none that can stand in a header.
    pub fn parse(text: &str) -> Result<Self, RetrievalError> {
        let text = text.trim();
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '@');
        let fits = match text.split_once('@') {
            Some((name, host)) => {
                !name.is_empty()
                    && host.contains('.')
                    && !host.contains('@')
                    && !host.starts_with('.')
                    && !host.ends_with('.')
            }
            None => false,
        };
        if fits && text.len() <= 254 && text.chars().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(RetrievalError::NoContact { given: super::text::shortened(text, 60) })
        }
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A key that must not be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Keeps a key, without the white space around it. `None` when there is nothing else.
    #[must_use]
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}
