//! Requests about the long-term store.

use serde::Serialize;
use serde_json::Value;

use super::request;

/// Where items lie: labels, from the outside in. A label has no `.`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Namespace(pub Vec<String>);

impl<const N: usize> From<[&str; N]> for Namespace {
    fn from(labels: [&str; N]) -> Self {
        Self(labels.map(str::to_owned).to_vec())
    }
}

impl From<Vec<String>> for Namespace {
    fn from(labels: Vec<String>) -> Self {
        Self(labels)
    }
}

request! {
    /// An item to be put.
    NewItem(namespace: Namespace, key: String, value: Value) {
        /// What of it is searched by meaning: `false`, or a list of paths.
        index: Value,
        /// Lives for so many minutes.
        ttl: f64,
    }
}

request! {
    /// Which items below a namespace are searched for.
    ItemSearch(namespace_prefix: Namespace) {
        /// Those whose value has this: `{"key": value}` or `{"key": {"$gt": 3}}`.
        filter: Value,
        /// Those that fit this by meaning.
        query: String,
        /// At most so many.
        limit: u64,
        /// After so many.
        offset: u64,
        /// Whether what is found lives longer for it.
        refresh_ttl: bool,
    }
}

request! {
    /// Which namespaces are listed.
    NamespaceSearch() {
        /// Those that begin so.
        prefix: Namespace,
        /// Those that end so.
        suffix: Namespace,
        /// As far as so many labels.
        max_depth: u64,
        /// At most so many.
        limit: u64,
        /// After so many.
        offset: u64,
    }
}
