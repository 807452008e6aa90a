//! Where items are.

use super::StoreError;

/// A path of segments such as `users` / `ada` / `notes`.
///
/// Namespaces order segment by segment. A segment is not empty and has no control characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace {
    segments: Vec<String>,
}

impl Namespace {
    /// The namespace above all others.
    pub fn root() -> Self {
        Self::default()
    }

    /// A namespace of segments.
    ///
    /// # Errors
    /// [`StoreError::InvalidSegment`] for an empty segment or one with control characters.
    pub fn new<S: Into<String>>(segments: impl IntoIterator<Item = S>) -> Result<Self, StoreError> {
        let segments = segments.into_iter().map(|segment| checked(segment.into()));
        Ok(Self { segments: segments.collect::<Result<_, _>>()? })
    }

    /// The segments from the top.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// Whether this is `prefix` or below it.
    pub fn starts_with(&self, prefix: &Self) -> bool {
        self.segments.starts_with(&prefix.segments)
    }

    /// The first segments, at most this many.
    #[must_use]
    pub fn cut(&self, depth: usize) -> Self {
        Self { segments: self.segments[..depth.min(self.segments.len())].to_vec() }
    }
}

fn checked(segment: String) -> Result<String, StoreError> {
    let reason = if segment.is_empty() {
        "it is empty"
    } else if segment.contains(char::is_control) {
        "it contains control characters"
    } else {
        return Ok(segment);
    };
    Err(StoreError::InvalidSegment { segment: segment.escape_debug().to_string(), reason })
}

impl std::fmt::Display for Namespace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.segments.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_checked() {
        assert_eq!(Namespace::new(["a", "b c", "ü/x"]).unwrap().segments(), ["a", "b c", "ü/x"]);
        for bad in ["", "a\u{1f}b", "\0"] {
            let error = Namespace::new(["ok", bad]).unwrap_err();
            assert!(matches!(error, StoreError::InvalidSegment { .. }), "{error}");
        }
    }

    #[test]
    fn prefixes_end_at_segments() {
        let prefix = Namespace::new(["user"]).unwrap();
        assert!(Namespace::new(["user", "a"]).unwrap().starts_with(&prefix));
        assert!(!Namespace::new(["users"]).unwrap().starts_with(&prefix));
        assert!(prefix.starts_with(&Namespace::root()));
    }
}
