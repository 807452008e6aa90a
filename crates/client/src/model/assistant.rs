//! Assistants: graphs with settings of their own.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AssistantId, Object, or_default};

/// A graph with settings of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Assistant {
    /// Its id.
    pub assistant_id: AssistantId,
    /// The name of its graph.
    pub graph_id: String,
    /// Its name.
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: Option<String>,
    /// Counts its changes from 1.
    #[serde(default, deserialize_with = "or_default")]
    pub version: u64,
    /// What its runs are configured with.
    #[serde(default, deserialize_with = "or_default")]
    pub config: Object,
    /// What its runs are given beside their input.
    #[serde(default, deserialize_with = "or_default")]
    pub context: Object,
    /// What was noted about it.
    #[serde(default, deserialize_with = "or_default")]
    pub metadata: Object,
    /// When it was made, RFC 3339.
    #[serde(default)]
    pub created_at: Option<String>,
    /// When it was changed last, RFC 3339.
    #[serde(default)]
    pub updated_at: Option<String>,
    /// What else the server says.
    #[serde(flatten)]
    pub extra: Object,
}

/// The JSON schemas of a graph; each may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Schemas {
    /// The name of the graph.
    #[serde(default)]
    pub graph_id: Option<String>,
    /// What it takes.
    #[serde(default)]
    pub input_schema: Option<Value>,
    /// What it gives.
    #[serde(default)]
    pub output_schema: Option<Value>,
    /// What it keeps.
    #[serde(default)]
    pub state_schema: Option<Value>,
    /// What it is configured with.
    #[serde(default)]
    pub config_schema: Option<Value>,
    /// What its runs are given beside their input.
    #[serde(default)]
    pub context_schema: Option<Value>,
}
