//! An append-only list that is cheap to share.

use std::borrow::Cow;
use std::fmt;

use rpds::VectorSync;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An append-only list for `#[state(append)]` fields.
///
/// A clone shares its entries with the original, and appending to either leaves the other as it was. So a snapshot held
/// over a super-step costs a few pointers, not a copy of the list; while nobody holds one, entries are added in place.
///
/// ```
/// use graphloom_core_graph::Log;
///
/// let mut notes = Log::from(["first"]);
/// let before = notes.clone();
/// notes.push("second");
/// assert_eq!(notes.iter().copied().collect::<Vec<_>>(), ["first", "second"]);
/// assert_eq!(before.len(), 1);
/// ```
///
/// It is written and read as a sequence, and its JSON schema is that of `Vec<T>`.
pub struct Log<T>(VectorSync<T>);

/// The entries of a [`Log`], oldest first.
pub struct LogIter<'a, T>(<&'a VectorSync<T> as IntoIterator>::IntoIter);

impl<T> Log<T> {
    /// An empty log.
    pub fn new() -> Self {
        Self(VectorSync::new_sync())
    }

    /// Appends an entry.
    pub fn push(&mut self, entry: T) {
        self.0.push_back_mut(entry);
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry at `index`, counted from the oldest.
    pub fn get(&self, index: usize) -> Option<&T> {
        self.0.get(index)
    }

    /// The oldest entry.
    pub fn first(&self) -> Option<&T> {
        self.0.first()
    }

    /// The newest entry.
    pub fn last(&self) -> Option<&T> {
        self.0.last()
    }

    /// The entries, oldest first.
    pub fn iter(&self) -> LogIter<'_, T> {
        LogIter(self.0.iter())
    }
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for Log<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<T: PartialEq> PartialEq for Log<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Eq> Eq for Log<T> {}

impl<T> Extend<T> for Log<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        self.0.extend(entries);
    }
}

impl<T> FromIterator<T> for Log<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl<T> From<Vec<T>> for Log<T> {
    fn from(entries: Vec<T>) -> Self {
        entries.into_iter().collect()
    }
}

impl<T, const N: usize> From<[T; N]> for Log<T> {
    fn from(entries: [T; N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<'a, T> IntoIterator for &'a Log<T> {
    type Item = &'a T;
    type IntoIter = LogIter<'a, T>;

    fn into_iter(self) -> LogIter<'a, T> {
        self.iter()
    }
}

impl<'a, T> Iterator for LogIter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> DoubleEndedIterator for LogIter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back()
    }
}

impl<T> ExactSizeIterator for LogIter<'_, T> {}

impl<T> fmt::Debug for LogIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogIter").field("left", &self.len()).finish()
    }
}

impl<T: Serialize> Serialize for Log<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Log<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        VectorSync::deserialize(deserializer).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for Log<T> {
    fn inline_schema() -> bool {
        Vec::<T>::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Vec::<T>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::codec;

    proptest! {
        #[test]
        fn it_behaves_like_a_vector_whoever_holds_a_clone(
            first in prop::collection::vec(any::<u16>(), 0..100),
            second in prop::collection::vec(any::<u16>(), 0..100),
        ) {
            let mut log = Log::from(first.clone());
            let held = log.clone();
            log.extend(second.clone());
            let all: Vec<u16> = first.iter().chain(&second).copied().collect();
            prop_assert_eq!(log.iter().copied().collect::<Vec<_>>(), all.clone());
            prop_assert_eq!(log.iter().rev().count(), log.len());
            prop_assert_eq!(log.last(), all.last());
            prop_assert_eq!(held.iter().copied().collect::<Vec<_>>(), first);
        }

        #[test]
        fn it_is_written_as_a_sequence(entries in prop::collection::vec(any::<Option<String>>(), 0..20)) {
            let log = Log::from(entries.clone());
            let bytes = codec::encode("log", &log).unwrap();
            prop_assert_eq!(&bytes, &codec::encode("log", &entries).unwrap());
            prop_assert_eq!(codec::decode::<Log<Option<String>>>("log", &bytes).unwrap(), log);
        }
    }

    #[test]
    fn its_schema_is_that_of_a_list() {
        let log = schemars::schema_for!(Log<u8>);
        assert_eq!(log.get("type").and_then(|kind| kind.as_str()), Some("array"));
        assert_eq!(log, schemars::schema_for!(Vec<u8>));
    }
}
