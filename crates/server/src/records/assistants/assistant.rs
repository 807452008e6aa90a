//! One assistant, and its form for clients.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::super::listing::{Compare, Listed};
use super::super::timestamp;

/// A configured graph, as its current version has it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Assistant {
    /// Its id.
    pub(crate) assistant_id: Uuid,
    /// The name of its graph.
    pub(crate) graph_id: String,
    /// The configuration of its runs. `configurable` in it is the same as the context.
    pub(crate) config: Map<String, Value>,
    /// The context of its runs.
    pub(crate) context: Map<String, Value>,
    /// What clients find it by.
    pub(crate) metadata: Map<String, Value>,
    /// Its name.
    pub(crate) name: String,
    /// What it is for.
    pub(crate) description: Option<String>,
    /// The current version, from 1.
    pub(crate) version: u64,
    /// When it was made.
    pub(crate) created: u64,
    /// When it was last changed.
    pub(crate) updated: u64,
    /// When the current version was made.
    pub(crate) version_created: u64,
    /// The highest version there is: another than the current one when an older one was made current.
    pub(crate) highest_version: u64,
    /// Names the versions of this assistant, and not those of a deleted one of the same id.
    pub(super) versions: Uuid,
}

impl Assistant {
    /// The object that clients see.
    pub(crate) fn wire(&self) -> Value {
        json!({
            "assistant_id": self.assistant_id,
            "graph_id": self.graph_id,
            "config": self.config,
            "context": self.context,
            "metadata": self.metadata,
            "name": self.name,
            "description": self.description,
            "version": self.version,
            "created_at": timestamp(self.created),
            "updated_at": timestamp(self.updated),
        })
    }

    /// The object of one version in the list of versions.
    pub(super) fn version_wire(&self) -> Value {
        json!({
            "assistant_id": self.assistant_id,
            "graph_id": self.graph_id,
            "config": self.config,
            "context": self.context,
            "metadata": self.metadata,
            "name": self.name,
            "description": self.description,
            "version": self.version,
            "created_at": timestamp(self.version_created),
        })
    }
}

impl Listed for Assistant {
    const SORTED_BY: &'static [(&'static str, Compare<Self>)] = &[
        ("assistant_id", |left, right| left.assistant_id.cmp(&right.assistant_id)),
        ("graph_id", |left, right| left.graph_id.to_lowercase().cmp(&right.graph_id.to_lowercase())),
        ("name", |left, right| left.name.to_lowercase().cmp(&right.name.to_lowercase())),
        ("created_at", |left, right| left.created.cmp(&right.created)),
        ("updated_at", |left, right| left.updated.cmp(&right.updated)),
    ];
    const FIELDS: &'static [&'static str] = &[
        "assistant_id",
        "graph_id",
        "config",
        "context",
        "metadata",
        "name",
        "description",
        "version",
        "created_at",
        "updated_at",
    ];

    fn id(&self) -> Uuid {
        self.assistant_id
    }

    fn created(&self) -> u64 {
        self.created
    }
}
