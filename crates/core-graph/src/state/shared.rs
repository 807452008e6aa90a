//! A large value that is cheap to share.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A large last value, cloned by reference.
///
/// It reads like a `T` and is written like one; a new value replaces it as a whole.
///
/// ```
/// use graphloom_core_graph::Shared;
///
/// let document: Shared<String> = Shared::from("a long text".to_owned());
/// let snapshot = document.clone();
/// assert!(Shared::ptr_eq(&document, &snapshot));
/// assert_eq!(snapshot.len(), 11);
/// ```
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// Shares a value.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// The pointer behind it.
    pub fn into_arc(shared: Self) -> Arc<T> {
        shared.0
    }

    /// Whether both are the same value in memory.
    pub fn ptr_eq(one: &Self, other: &Self) -> bool {
        Arc::ptr_eq(&one.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> AsRef<T> for Shared<T> {
    fn as_ref(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T> From<Arc<T>> for Shared<T> {
    fn from(value: Arc<T>) -> Self {
        Self(value)
    }
}

impl<T: Default> Default for Shared<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::new)
    }
}

impl<T: JsonSchema> JsonSchema for Shared<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::codec;

    #[test]
    fn it_is_written_like_its_value() {
        let value = vec!["a".to_owned(), "b".to_owned()];
        let shared = Shared::from(value.clone());
        let bytes = codec::encode("shared", &shared).unwrap();
        assert_eq!(bytes, codec::encode("shared", &value).unwrap());
        assert_eq!(codec::decode::<Shared<Vec<String>>>("shared", &bytes).unwrap(), shared);
        assert_eq!(schemars::schema_for!(Shared<Vec<String>>), schemars::schema_for!(Vec<String>));
    }
}
