//! Keys that are unique in the whole tree.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const ROOT: &str = "root";

/// The place of a node in its tree, such as `root`, `2`, `2.1` or `2.1.0`: unique and the same in every run.
///
/// Nodes of one graph count from 1 in plan order; an execute node alone in its graph, which is how an atomic task is
/// carried out, is 0. Keys sort in numeric depth-first order: `1`, `1.2`, `1.10`, `2`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeKey(Arc<[u32]>);

impl NodeKey {
    /// The key of the root.
    pub fn root() -> Self {
        Self::default()
    }

    /// The key of the node at `place` in the inner graph of this node.
    #[must_use]
    pub fn child(&self, place: u32) -> Self {
        Self(self.0.iter().copied().chain([place]).collect())
    }

    /// The key of the node this one stands inside; none for the root.
    pub fn outer(&self) -> Option<Self> {
        self.0.split_last().map(|(_, before)| Self(before.into()))
    }

    /// Whether this is the root's key.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// How deep the node stands: 0 for the root.
    pub fn layer(&self) -> usize {
        self.0.len()
    }

    /// Whether `self` stands somewhere inside `other`.
    pub fn is_inside(&self, other: &Self) -> bool {
        self.0.len() > other.0.len() && self.0.starts_with(&other.0)
    }

    /// The place in the graph it stands in; none for the root.
    pub fn place(&self) -> Option<u32> {
        self.0.last().copied()
    }
}

impl fmt::Display for NodeKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.0.split_first() else { return formatter.write_str(ROOT) };
        write!(formatter, "{first}")?;
        rest.iter().try_for_each(|place| write!(formatter, ".{place}"))
    }
}

/// A text that is not a node key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a node key; write `root`, or places separated by dots such as `2.1.0`")]
pub struct KeyError {
    /// The text.
    pub text: String,
}

impl FromStr for NodeKey {
    type Err = KeyError;

    /// Reads `root`, the empty text (also the root) or dotted places.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        if text.is_empty() || text == ROOT {
            return Ok(Self::root());
        }
        text.split('.')
            .map(u32::from_str)
            .collect::<Result<_, _>>()
            .map(Self)
            .map_err(|_| KeyError { text: text.to_owned() })
    }
}

impl Serialize for NodeKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NodeKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for NodeKey {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("NodeKey")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^(root|[0-9]+(\\.[0-9]+)*)$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_key_are_one() {
        for text in ["root", "1", "0", "2.10.0"] {
            let key: NodeKey = text.parse().unwrap();
            assert_eq!(key.to_string(), text);
            assert_eq!(serde_json::from_str::<NodeKey>(&serde_json::to_string(&key).unwrap()).unwrap(), key);
        }
        for text in ["a", "1.", ".1", "1..2", "-1", "99999999999"] {
            assert_eq!(text.parse::<NodeKey>().unwrap_err().text, text);
        }
    }

    #[test]
    fn keys_sort_depth_first_and_by_number() {
        let mut keys: Vec<NodeKey> =
            ["2", "1.10", "root", "1", "1.2", "1.2.0"].map(|text| text.parse().unwrap()).to_vec();
        keys.sort();
        assert_eq!(
            keys.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["root", "1", "1.2", "1.2.0", "1.10", "2"]
        );
    }

    #[test]
    fn a_key_knows_its_surroundings() {
        let key: NodeKey = "2.1.0".parse().unwrap();
        assert_eq!(key.outer(), "2.1".parse().ok());
        assert!(key.is_inside(&NodeKey::root()) && key.is_inside(&"2".parse().unwrap()) && !key.is_inside(&key));
        assert_eq!((key.layer(), key.place(), NodeKey::root().outer()), (3, Some(0), None));
    }
}
