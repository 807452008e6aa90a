//! Which assistants a client asks for.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::containment::{conditions, contains_fields};
use super::super::listing::Paging;
use super::Assistant;

/// What a search for assistants asks for. The fields are those of the wire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct AssistantSearch {
    /// What the metadata contains.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// The graph.
    pub(crate) graph_id: Option<String>,
    /// A part of the name, in any case.
    pub(crate) name: Option<String>,
    /// At most this many, 10 unless set.
    pub(crate) limit: Option<usize>,
    /// Skips this many.
    pub(crate) offset: Option<usize>,
    /// The field that orders them, `created_at` unless set.
    pub(crate) sort_by: Option<String>,
    /// `asc` or `desc`; `desc` unless set.
    pub(crate) sort_order: Option<String>,
    /// The fields that are answered, all unless set.
    pub(crate) select: Option<Vec<String>>,
}

impl AssistantSearch {
    pub(super) fn paging(&self) -> Paging<'_> {
        Paging {
            limit: self.limit,
            offset: self.offset,
            sort_by: self.sort_by.as_deref(),
            sort_order: self.sort_order.as_deref(),
            select: self.select.as_deref(),
        }
    }

    /// What a store can look for.
    pub(super) fn conditions(&self) -> Vec<(String, Value)> {
        let graph = self.graph_id.as_ref().map(|graph| ("graph_id".to_owned(), graph.as_str().into()));
        graph.into_iter().chain(conditions("metadata", self.metadata.as_ref())).collect()
    }

    pub(super) fn matches(&self, assistant: &Assistant) -> bool {
        let metadata = self.metadata.as_ref();
        metadata.is_none_or(|part| contains_fields(&assistant.metadata, part))
            && self.graph_id.as_ref().is_none_or(|graph| *graph == assistant.graph_id)
            && self.name.as_ref().is_none_or(|part| assistant.name.to_lowercase().contains(&part.to_lowercase()))
    }
}

/// Which versions of an assistant a client asks for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct VersionSearch {
    /// What the version's metadata contains.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// At most this many, 10 unless set.
    pub(crate) limit: Option<usize>,
    /// Skips this many.
    pub(crate) offset: Option<usize>,
}
