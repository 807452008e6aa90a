//! Assistants: graphs with a configuration, in versions.
//!
//! The current version of an assistant is one item. Before a change makes another version current, the one that was is
//! put beside it, under its number: it never changes after, so putting it twice does no harm, and a change that stops
//! half way leaves the assistant as it was.

mod assistant;
mod mirror;
mod search;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::Clock;
use graphloom_core_graph::store::Store;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::collection::Collection;
use super::containment::contains_fields;
use super::error::RecordError;
use super::listing::{Arrangement, IfExists, Listing, checked_limit};
use super::merge;
pub(crate) use assistant::Assistant;
pub(crate) use search::{AssistantSearch, VersionSearch};

/// The namespace of the ids of system assistants.
const SYSTEM_IDS: Uuid = Uuid::from_u128(0x6ba7b821_9dad_11d1_80b4_00c04fd430c8);

/// The id of the assistant that the server makes of a graph: version 5 of its name.
pub(crate) fn system_assistant_id(graph_id: &str) -> Uuid {
    Uuid::new_v5(&SYSTEM_IDS, graph_id.as_bytes())
}

/// What an assistant is made of. The fields are those of the wire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct AssistantCreate {
    /// The graph.
    pub(crate) graph_id: String,
    /// The id, a new one unless set.
    pub(crate) assistant_id: Option<Uuid>,
    /// The configuration.
    pub(crate) config: Option<Map<String, Value>>,
    /// The context.
    pub(crate) context: Option<Map<String, Value>>,
    /// The metadata.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// What happens when there is one of this id.
    #[serde(default)]
    pub(crate) if_exists: IfExists,
    /// The name, `Untitled` unless set.
    pub(crate) name: Option<String>,
    /// What it is for.
    pub(crate) description: Option<String>,
}

/// What a change of an assistant sets; the rest stays. The fields are those of the wire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct AssistantPatch {
    /// The graph.
    pub(crate) graph_id: Option<String>,
    /// The configuration in place of the one there is.
    pub(crate) config: Option<Map<String, Value>>,
    /// The context in place of the one there is.
    pub(crate) context: Option<Map<String, Value>>,
    /// Metadata over those there are.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// The name.
    pub(crate) name: Option<String>,
    /// What it is for.
    pub(crate) description: Option<String>,
}

/// The assistants of a store.
#[derive(Clone)]
pub(crate) struct Assistants {
    current: Collection<Assistant>,
    versions: Collection<Assistant>,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Assistants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assistants").finish_non_exhaustive()
    }
}

impl Assistants {
    pub(super) fn new(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        Self {
            current: Collection::new(store, "Assistant", "assistants"),
            versions: Collection::new(store, "Assistant version", "assistant_versions"),
            clock: Arc::clone(clock),
        }
    }

    /// Makes an assistant.
    ///
    /// # Errors
    /// [`RecordError::Conflict`] when there is one of this id and it may not be answered,
    /// [`RecordError::BadRequest`] when configuration and context differ.
    pub(crate) async fn create(&self, new: AssistantCreate) -> Result<Assistant, RecordError> {
        let now = self.clock.now();
        let (mut config, mut context) = (Map::new(), Map::new());
        mirror::set(&mut config, &mut context, new.config.as_ref(), new.context.as_ref())?;
        let assistant = Assistant {
            assistant_id: new.assistant_id.unwrap_or_else(Uuid::new_v4),
            graph_id: new.graph_id,
            config,
            context,
            metadata: new.metadata.unwrap_or_default(),
            name: new.name.unwrap_or_else(|| "Untitled".to_owned()),
            description: new.description,
            version: 1,
            created: now,
            updated: now,
            version_created: now,
            highest_version: 1,
            versions: Uuid::new_v4(),
        };
        let key = assistant.assistant_id.to_string();
        loop {
            if self.current.insert(&[], &key, &assistant).await? {
                return Ok(assistant);
            }
            if new.if_exists == IfExists::Raise {
                return Err(RecordError::Conflict(format!("Assistant with ID {key} already exists")));
            }
            // Where it was deleted meanwhile, it is made after all.
            if let Some(there) = self.current.read(&[], &key).await? {
                return Ok(there.record);
            }
        }
    }

    /// Makes the assistants of graphs that the server itself offers, those that are missing.
    pub(crate) async fn create_system(&self, graphs: impl IntoIterator<Item = &str>) -> Result<(), RecordError> {
        for graph in graphs {
            let new = AssistantCreate {
                graph_id: graph.to_owned(),
                assistant_id: Some(system_assistant_id(graph)),
                metadata: Some(Map::from_iter([("created_by".to_owned(), json!("system"))])),
                if_exists: IfExists::DoNothing,
                name: Some(graph.to_owned()),
                ..AssistantCreate::default()
            };
            self.create(new).await?;
        }
        Ok(())
    }

    /// An assistant.
    ///
    /// # Errors
    /// [`RecordError::NotFound`].
    pub(crate) async fn get(&self, id: Uuid) -> Result<Assistant, RecordError> {
        self.current.get(&[], &id.to_string()).await
    }

    /// Asks the store for something.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn check(&self) -> Result<(), RecordError> {
        self.current.read(&[], "").await.map(drop)
    }

    /// Changes an assistant by making its next version.
    ///
    /// # Errors
    /// [`RecordError::NotFound`], and [`RecordError::BadRequest`] when configuration and context differ.
    pub(crate) async fn patch(&self, id: Uuid, patch: &AssistantPatch) -> Result<Assistant, RecordError> {
        loop {
            let read = self.current.read(&[], &id.to_string()).await?;
            let read = read.ok_or_else(|| self.current.not_found(&id.to_string()))?;
            let mut next = read.record.clone();
            mirror::set(&mut next.config, &mut next.context, patch.config.as_ref(), patch.context.as_ref())?;
            next.graph_id = patch.graph_id.clone().unwrap_or(next.graph_id);
            next.name = patch.name.clone().unwrap_or(next.name);
            next.description = patch.description.clone().or(next.description);
            merge(&mut next.metadata, patch.metadata.clone().unwrap_or_default());
            next.highest_version += 1;
            next.version = next.highest_version;
            next.updated = self.clock.now();
            next.version_created = next.updated;
            self.put_version(&read.record).await?;
            if self.current.replace(&[], &id.to_string(), &read, &next).await? {
                return Ok(next);
            }
            tokio::task::yield_now().await;
        }
    }

    /// Makes a version the current one, with all that it had.
    ///
    /// # Errors
    /// [`RecordError::NotFound`] for the assistant or the version.
    pub(crate) async fn set_latest(&self, id: Uuid, version: u64) -> Result<Assistant, RecordError> {
        loop {
            let read = self.current.read(&[], &id.to_string()).await?;
            let read = read.ok_or_else(|| self.current.not_found(&id.to_string()))?;
            let there = &read.record;
            if there.version == version {
                return Ok(read.record);
            }
            let mut next = self.versions.get(&versions_of(there), &version_key(version)).await.map_err(|error| {
                let id = format!("{version} of {id}");
                if matches!(error, RecordError::NotFound { .. }) {
                    RecordError::NotFound { what: "Assistant version", id }
                } else {
                    error
                }
            })?;
            next.created = there.created;
            next.updated = self.clock.now();
            next.highest_version = there.highest_version;
            self.put_version(there).await?;
            if self.current.replace(&[], &id.to_string(), &read, &next).await? {
                return Ok(next);
            }
            tokio::task::yield_now().await;
        }
    }

    /// The versions of an assistant in the form clients see, newest first.
    ///
    /// # Errors
    /// [`RecordError::NotFound`], and [`RecordError::BadRequest`] for a limit that is too high.
    pub(crate) async fn versions(&self, id: Uuid, search: &VersionSearch) -> Result<Vec<Value>, RecordError> {
        let limit = checked_limit(search.limit)?;
        let current = self.get(id).await?;
        let mut versions = self.versions.all(&versions_of(&current), &[]).await?;
        // It is beside the others when it was current before, and became it again.
        versions.retain(|version| version.version != current.version);
        versions.push(current);
        let metadata = search.metadata.as_ref();
        versions.retain(|version| metadata.is_none_or(|part| contains_fields(&version.metadata, part)));
        versions.sort_by_key(|version| std::cmp::Reverse(version.version));
        let page = versions.iter().skip(search.offset.unwrap_or(0)).take(limit);
        Ok(page.map(Assistant::version_wire).collect())
    }

    /// Deletes an assistant with its versions.
    ///
    /// # Errors
    /// [`RecordError::NotFound`].
    pub(crate) async fn delete(&self, id: Uuid) -> Result<(), RecordError> {
        let key = id.to_string();
        if !self.current.delete(&[], &key).await? {
            return Err(self.current.not_found(&key));
        }
        self.versions.delete_all(&[key]).await
    }

    /// The assistants that match, a page of them in the form clients see.
    ///
    /// # Errors
    /// [`RecordError::BadRequest`] for a page, order or field that cannot be answered.
    pub(crate) async fn search(&self, search: &AssistantSearch) -> Result<Listing, RecordError> {
        let arrangement = Arrangement::new(search.paging())?;
        Ok(arrangement.page(self.matching(search).await?, Assistant::wire))
    }

    /// All assistants that match, the oldest first.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn all(&self, search: &AssistantSearch) -> Result<Vec<Assistant>, RecordError> {
        let mut all = self.matching(search).await?;
        all.sort_by_key(|assistant| (assistant.created, assistant.assistant_id));
        Ok(all)
    }

    /// How many assistants match.
    pub(crate) async fn count(&self, search: &AssistantSearch) -> Result<usize, RecordError> {
        Ok(self.matching(search).await?.len())
    }

    async fn matching(&self, search: &AssistantSearch) -> Result<Vec<Assistant>, RecordError> {
        let mut assistants = self.current.all(&[], &search.conditions()).await?;
        assistants.retain(|assistant| search.matches(assistant));
        Ok(assistants)
    }

    async fn put_version(&self, version: &Assistant) -> Result<(), RecordError> {
        self.versions.put(&versions_of(version), &version_key(version.version), version).await
    }
}

/// Where the versions of an assistant are.
fn versions_of(assistant: &Assistant) -> [String; 2] {
    [assistant.assistant_id.to_string(), assistant.versions.to_string()]
}

/// A key that sorts by number.
fn version_key(version: u64) -> String {
    format!("{version:020}")
}
