//! Which threads a client asks for.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::super::containment::contains_fields;
use super::super::listing::Paging;
use super::{ThreadRecord, ThreadStatus};

/// What a search for threads asks for. The fields are those of the wire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct ThreadSearch {
    /// What the metadata contains.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// What the state's values contain.
    pub(crate) values: Option<Map<String, Value>>,
    /// Only these threads.
    pub(crate) ids: Option<Vec<Uuid>>,
    /// The status.
    pub(crate) status: Option<ThreadStatus>,
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
    /// Paths into the thread, by the name under `extracted` that their values are answered with.
    pub(crate) extract: Option<BTreeMap<String, String>>,
}

impl ThreadSearch {
    pub(super) fn paging(&self) -> Paging<'_> {
        Paging {
            limit: self.limit,
            offset: self.offset,
            sort_by: self.sort_by.as_deref(),
            sort_order: self.sort_order.as_deref(),
            select: self.select.as_deref(),
        }
    }

    pub(super) fn matches(&self, thread: &ThreadRecord) -> bool {
        let values = |part: &Map<String, Value>| {
            part.is_empty() || thread.values.as_object().is_some_and(|values| contains_fields(values, part))
        };
        self.status.is_none_or(|status| status == thread.status)
            && self.metadata.as_ref().is_none_or(|part| contains_fields(&thread.metadata, part))
            && self.values.as_ref().is_none_or(values)
    }
}
