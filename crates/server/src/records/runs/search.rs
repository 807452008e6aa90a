//! Which runs a client asks for, of all threads.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::super::containment::{conditions, contains_fields};
use super::super::listing::Paging;
use super::{RunRecord, RunStatus};

/// What a search for runs asks for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct RunSearch {
    /// The thread.
    pub(crate) thread_id: Option<Uuid>,
    /// The assistant, or the graph by its name.
    pub(crate) agent_id: Option<String>,
    /// The graph.
    pub(crate) graph_id: Option<String>,
    /// The status.
    pub(crate) status: Option<RunStatus>,
    /// What the metadata contains.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// A text that is, in any case, in the id of the run, its thread or its assistant, or in the metadata.
    pub(crate) query: Option<String>,
    /// At most this many, 10 unless set.
    pub(crate) limit: Option<usize>,
    /// Skips this many.
    pub(crate) offset: Option<usize>,
    /// The field that orders them, `created_at` unless set.
    pub(crate) sort_by: Option<String>,
    /// `asc` or `desc`; `desc` unless set.
    pub(crate) sort_order: Option<String>,
}

impl RunSearch {
    pub(super) fn paging(&self) -> Paging<'_> {
        Paging {
            limit: self.limit,
            offset: self.offset,
            sort_by: self.sort_by.as_deref(),
            sort_order: self.sort_order.as_deref(),
            select: None,
        }
    }

    /// What a store can look for.
    pub(super) fn conditions(&self) -> Vec<(String, Value)> {
        let graph = self.graph_id.as_ref().map(|graph| ("graph".to_owned(), json!(graph)));
        let status = self.status.map(|status| ("status".to_owned(), json!(status)));
        let agent = self.agent_id.as_ref().map(|agent| match Uuid::parse_str(agent) {
            Ok(assistant) => ("assistant_id".to_owned(), json!(assistant)),
            Err(_) => ("graph".to_owned(), json!(agent)),
        });
        graph.into_iter().chain(status).chain(agent).chain(conditions("metadata", self.metadata.as_ref())).collect()
    }

    /// Whether a run that meets the [conditions](Self::conditions) matches.
    pub(super) fn matches(&self, run: &RunRecord) -> bool {
        self.metadata.as_ref().is_none_or(|part| contains_fields(&run.metadata, part))
            && self.query.as_ref().is_none_or(|text| mentions(run, &text.to_lowercase()))
    }
}

/// Whether a text in lower case is in an id of a run or in its metadata.
fn mentions(run: &RunRecord, text: &str) -> bool {
    [run.run_id, run.thread_id, run.assistant_id].iter().any(|id| id.to_string().contains(text))
        || run.metadata.iter().any(|(name, value)| is_in(name, text) || is_in_value(value, text))
}

fn is_in(whole: &str, text: &str) -> bool {
    whole.to_lowercase().contains(text)
}

fn is_in_value(value: &Value, text: &str) -> bool {
    match value {
        Value::String(value) => is_in(value, text),
        Value::Array(values) => values.iter().any(|value| is_in_value(value, text)),
        Value::Object(fields) => fields.iter().any(|(name, value)| is_in(name, text) || is_in_value(value, text)),
        plain => is_in(&plain.to_string(), text),
    }
}
