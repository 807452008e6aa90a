//! What assistants do, over each store.

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
            (json!({"context": {"user": 1}}), json!({"tags": ["a"], "configurable": {"user": 1}}), json!({"user": 1})),
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
            let patched = records.assistants.patch(id, &serde_json::from_value(patch.clone()).unwrap()).await.unwrap();
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
        let patch = json!({"context": {"model": "large"}, "metadata": {"stage": 2}, "name": "Second", "graph_id": "h"});
        let second = records.assistants.patch(id, &serde_json::from_value(patch).unwrap()).await.unwrap();
        assert_eq!(second.metadata, fields(json!({"team": "a", "stage": 2})));
        assert_eq!((second.created, second.updated), (made.created, made.created + 1_000));

        clock.advance(1_000);
        let restored = records.assistants.set_latest(id, 1).await.unwrap();
        let expected = Assistant { updated: made.created + 2_000, highest_version: 2, ..made.clone() };
        assert_eq!(restored, expected);
        assert_eq!(records.assistants.get(id).await.unwrap(), expected);
        assert_eq!(records.assistants.set_latest(id, 1).await.unwrap(), expected);
        let both = records.assistants.versions(id, &VersionSearch::default()).await.unwrap();
        assert_eq!(both.iter().map(|wire| &wire["version"]).collect::<Vec<_>>(), [&json!(2), &json!(1)]);

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
