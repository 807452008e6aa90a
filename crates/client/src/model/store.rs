//! The long-term store of a server.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::or_default;

/// An item of the long-term store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Item {
    /// Where it lies.
    pub namespace: Vec<String>,
    /// Its key there.
    pub key: String,
    /// What it is.
    #[serde(default, deserialize_with = "or_default")]
    pub value: Value,
    /// When it was made, RFC 3339.
    #[serde(default)]
    pub created_at: Option<String>,
    /// When it was changed last, RFC 3339.
    #[serde(default)]
    pub updated_at: Option<String>,
    /// How well it fits a question, where one was asked.
    #[serde(default)]
    pub score: Option<f64>,
}
