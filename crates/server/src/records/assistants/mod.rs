//! Assistants: graphs with a configuration, in versions.
//!
//! The current version of an assistant is one item. Before a change makes another version current, the one that was is
//! put beside it, under its number: it never changes after, so putting it twice does no harm, and a change that stops
//! half way leaves the assistant as it was.

mod assistant;
mod mirror;
mod search;

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

    /// How many assistants match.
    pub(crate) async fn count(&self, search: &AssistantSearch) -> Result<usize, RecordError> {
        Ok(self.matching(search).await?.len())
    }

    async fn matching(&self, search: &AssistantSearch) -> Result<Vec<Assistant>, RecordError> {
        let mut assistants = self.current.all(&[], &[]).await?;
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

#[cfg(test)]
mod tests {
    use super::super::testing::{Fixture, fields, fixtures};
    use super::*;

    fn of(graph: &str) -> AssistantCreate {
        AssistantCreate { graph_id: graph.to_owned(), ..AssistantCreate::default() }
    }

    #[tokio::test]
    async fn a_graph_has_its_system_assistant_once() {
        let pipeline: Uuid = "024bfc19-7d06-5d5c-92b5-cec6be8620ae".parse().unwrap();
        for Fixture { records, .. } in fixtures() {
            records.assistants.create_system(["pipeline", "approval"]).await.unwrap();
            let patch = AssistantPatch { name: Some("Mine".to_owned()), ..AssistantPatch::default() };
            records.assistants.patch(pipeline, &patch).await.unwrap();
            records.assistants.create_system(["pipeline", "approval"]).await.unwrap();
            assert_eq!(records.assistants.count(&AssistantSearch::default()).await.unwrap(), 2);
            let wire = records.assistants.get(pipeline).await.unwrap().wire();
            assert_eq!((&wire["name"], &wire["version"]), (&json!("Mine"), &json!(2)));
            let approval = records.assistants.get(system_assistant_id("approval")).await.unwrap().wire();
            let expected = json!({
                "assistant_id": system_assistant_id("approval"), "graph_id": "approval", "config": {}, "context": {},
                "metadata": {"created_by": "system"}, "name": "approval", "description": null, "version": 1,
                "created_at": "2026-05-28T20:26:40.000000+00:00", "updated_at": "2026-05-28T20:26:40.000000+00:00",
            });
            assert_eq!(approval, expected);
        }
    }

    #[tokio::test]
    async fn an_id_is_taken_once() {
        for Fixture { records, .. } in fixtures() {
            let id = Uuid::new_v4();
            let first = AssistantCreate { assistant_id: Some(id), ..of("one") };
            records.assistants.create(first.clone()).await.unwrap();
            let again = records.assistants.create(first.clone()).await.unwrap_err();
            assert_eq!(again.to_string(), format!("Assistant with ID {id} already exists"));
            assert!(matches!(again, RecordError::Conflict(_)));
            let second = AssistantCreate { if_exists: IfExists::DoNothing, graph_id: "two".to_owned(), ..first };
            assert_eq!(records.assistants.create(second).await.unwrap().graph_id, "one");
        }
    }

    #[tokio::test]
    async fn context_and_configurable_say_the_same() {
        for Fixture { records, .. } in fixtures() {
            let config = fields(json!({"tags": ["a"], "configurable": {"model": "m"}}));
            let made = records.assistants.create(AssistantCreate { config: Some(config), ..of("g") }).await.unwrap();
            assert_eq!(made.context, fields(json!({"model": "m"})));
            let id = made.assistant_id;
            let cases = [
                (
                    json!({"context": {"user": 1}}),
                    json!({"tags": ["a"], "configurable": {"user": 1}}),
                    json!({"user": 1}),
                ),
                (json!({"config": {"tags": []}}), json!({"tags": [], "configurable": {"user": 1}}), json!({"user": 1})),
                (
                    json!({"config": {"configurable": {"b": 2}}, "context": {}}),
                    json!({"configurable": {"b": 2}}),
                    json!({"b": 2}),
                ),
                (
                    json!({"config": {"configurable": {"c": 2}}, "context": {"c": 2}}),
                    json!({"configurable": {"c": 2}}),
                    json!({"c": 2}),
                ),
                (json!({"context": {}}), json!({}), json!({})),
            ];
            for (patch, config, context) in cases {
                let patched =
                    records.assistants.patch(id, &serde_json::from_value(patch.clone()).unwrap()).await.unwrap();
                assert_eq!(Value::Object(patched.config), config, "{patch}");
                assert_eq!(Value::Object(patched.context), context, "{patch}");
            }
            let both = json!({"config": {"configurable": {"a": 1}}, "context": {"a": 2}});
            let error = records.assistants.patch(id, &serde_json::from_value(both).unwrap()).await.unwrap_err();
            assert!(matches!(error, RecordError::BadRequest(_)), "{error}");
            let text = json!({"config": {"configurable": "a"}});
            let error = records.assistants.patch(id, &serde_json::from_value(text).unwrap()).await.unwrap_err();
            assert_eq!(error.to_string(), "`config.configurable` is `\"a\"`, it must be an object");
            assert_eq!(records.assistants.get(id).await.unwrap().version, 6);
        }
    }

    #[tokio::test]
    async fn an_older_version_comes_back_whole() {
        for Fixture { records, clock, .. } in fixtures() {
            let first = AssistantCreate {
                context: Some(fields(json!({"model": "small"}))),
                metadata: Some(fields(json!({"team": "a", "stage": 1}))),
                name: Some("First".to_owned()),
                ..of("g")
            };
            let made = records.assistants.create(first).await.unwrap();
            let id = made.assistant_id;
            clock.advance(1_000);
            let patch =
                json!({"context": {"model": "large"}, "metadata": {"stage": 2}, "name": "Second", "graph_id": "h"});
            let second = records.assistants.patch(id, &serde_json::from_value(patch).unwrap()).await.unwrap();
            assert_eq!(second.metadata, fields(json!({"team": "a", "stage": 2})));
            assert_eq!((second.created, second.updated), (made.created, made.created + 1_000));

            clock.advance(1_000);
            let restored = records.assistants.set_latest(id, 1).await.unwrap();
            let expected = Assistant { updated: made.created + 2_000, highest_version: 2, ..made.clone() };
            assert_eq!(restored, expected);
            assert_eq!(records.assistants.get(id).await.unwrap(), expected);
            assert_eq!(records.assistants.set_latest(id, 1).await.unwrap(), expected);

            let third = AssistantPatch { description: Some("d".to_owned()), ..AssistantPatch::default() };
            let third = records.assistants.patch(id, &third).await.unwrap();
            assert_eq!((third.version, third.graph_id.as_str(), third.name.as_str()), (3, "g", "First"));

            let all = records.assistants.versions(id, &VersionSearch::default()).await.unwrap();
            let brief: Vec<_> = all.iter().map(|wire| (&wire["version"], &wire["name"], &wire["created_at"])).collect();
            let at = |second: &str| json!(format!("2026-05-28T20:26:{second}.000000+00:00"));
            let expected = [
                (&json!(3), &json!("First"), &at("42")),
                (&json!(2), &json!("Second"), &at("41")),
                (&json!(1), &json!("First"), &at("40")),
            ];
            assert_eq!(brief, expected);
            let one = VersionSearch { limit: Some(1), offset: Some(1), metadata: Some(fields(json!({"stage": 1}))) };
            let one = records.assistants.versions(id, &one).await.unwrap();
            assert_eq!(one.iter().map(|wire| &wire["version"]).collect::<Vec<_>>(), [&json!(1)]);

            let missing = records.assistants.set_latest(id, 9).await.unwrap_err();
            assert_eq!(missing.to_string(), format!("Assistant version with ID 9 of {id} not found"));
        }
    }

    #[tokio::test]
    async fn a_deleted_assistant_leaves_no_versions_to_the_next_of_its_id() {
        for Fixture { records, .. } in fixtures() {
            let create = AssistantCreate { assistant_id: Some(Uuid::new_v4()), ..of("g") };
            let made = records.assistants.create(create.clone()).await.unwrap();
            let id = made.assistant_id;
            records.assistants.patch(id, &AssistantPatch::default()).await.unwrap();
            records.assistants.delete(id).await.unwrap();
            assert!(matches!(records.assistants.get(id).await, Err(RecordError::NotFound { .. })));
            assert!(matches!(records.assistants.delete(id).await, Err(RecordError::NotFound { .. })));
            let patched = records.assistants.patch(id, &AssistantPatch::default()).await;
            assert!(matches!(patched, Err(RecordError::NotFound { .. })));
            // As a change that was under way at the deletion does.
            records.assistants.put_version(&Assistant { version: 2, ..made }).await.unwrap();
            records.assistants.create(create).await.unwrap();
            let versions = records.assistants.versions(id, &VersionSearch::default()).await.unwrap();
            assert_eq!(versions.iter().map(|wire| &wire["version"]).collect::<Vec<_>>(), [&json!(1)]);
        }
    }

    #[tokio::test]
    async fn assistants_are_found_by_metadata_graph_and_name() {
        for Fixture { records, clock, .. } in fixtures() {
            for (graph, name, team) in [("g", "Alpha", "x"), ("g", "beta", "y"), ("h", "Alphabet", "x")] {
                let metadata = Some(fields(json!({"team": team, "tags": [name]})));
                let create = AssistantCreate { name: Some(name.to_owned()), metadata, ..of(graph) };
                records.assistants.create(create).await.unwrap();
                clock.advance(1);
            }
            let cases = [
                (json!({}), vec!["Alphabet", "beta", "Alpha"]),
                (json!({"metadata": {"team": "x"}}), vec!["Alphabet", "Alpha"]),
                (json!({"metadata": {"tags": ["beta"]}}), vec!["beta"]),
                (json!({"graph_id": "g"}), vec!["beta", "Alpha"]),
                (json!({"name": "ALPHA"}), vec!["Alphabet", "Alpha"]),
                (json!({"sort_by": "name", "sort_order": "asc"}), vec!["Alpha", "Alphabet", "beta"]),
                (json!({"limit": 1, "offset": 1}), vec!["beta"]),
            ];
            for (search, names) in cases {
                let parsed: AssistantSearch = serde_json::from_value(search.clone()).unwrap();
                let found = records.assistants.search(&parsed).await.unwrap();
                assert_eq!(found.items.iter().map(|wire| wire["name"].as_str().unwrap()).collect::<Vec<_>>(), names);
                assert_eq!(found.total, records.assistants.count(&parsed).await.unwrap(), "{search}");
            }
            let select =
                AssistantSearch { select: Some(vec!["name".to_owned()]), limit: Some(1), ..AssistantSearch::default() };
            assert_eq!(records.assistants.search(&select).await.unwrap().items, [json!({"name": "Alphabet"})]);
            let unknown = AssistantSearch { sort_by: Some("size".to_owned()), ..AssistantSearch::default() };
            assert!(matches!(records.assistants.search(&unknown).await, Err(RecordError::BadRequest(_))));
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn patches_of_many_at_once_are_all_there() {
        const PATCHES: usize = 24;
        for Fixture { records, .. } in fixtures() {
            let id = records.assistants.create(of("g")).await.unwrap().assistant_id;
            let tasks: Vec<_> = (0..PATCHES)
                .map(|n| {
                    let records = records.clone();
                    let metadata = Some(Map::from_iter([(format!("k{n}"), json!(n))]));
                    let patch = AssistantPatch { metadata, ..AssistantPatch::default() };
                    tokio::spawn(async move { records.assistants.patch(id, &patch).await.unwrap().version })
                })
                .collect();
            let mut versions = Vec::new();
            for task in tasks {
                versions.push(task.await.unwrap());
            }
            versions.sort_unstable();
            assert_eq!(versions, (2..=PATCHES as u64 + 1).collect::<Vec<_>>());
            let assistant = records.assistants.get(id).await.unwrap();
            assert_eq!(assistant.metadata.len(), PATCHES);
            let listed = VersionSearch { limit: Some(100), ..VersionSearch::default() };
            let listed = records.assistants.versions(id, &listed).await.unwrap();
            // Each version has one key more than the one before it.
            let sizes: Vec<_> = listed.iter().rev().map(|wire| wire["metadata"].as_object().unwrap().len()).collect();
            assert_eq!(sizes, (0..=PATCHES).collect::<Vec<_>>());
        }
    }
}
