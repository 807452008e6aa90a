//! What threads do, over each store.

use serde_json::json;

use super::super::runs::RunFailure;
use super::super::testing::{Fixture, START, fields, fixtures};
use super::*;

#[tokio::test]
async fn a_thread_is_made_changed_and_deleted() {
    for Fixture { records, clock, .. } in fixtures() {
        let create: ThreadCreate = serde_json::from_value(json!({"metadata": {"a": 1, "b": 1}})).unwrap();
        let thread = records.threads.create(create).await.unwrap();
        let id = thread.thread_id;
        assert_eq!(id.get_version_num(), 7);
        clock.advance(500);
        let patch = ThreadPatch { metadata: Some(fields(json!({"b": 2, "c": null}))), ttl: None };
        let patched = records.threads.patch(id, &patch).await.unwrap();
        assert_eq!(patched, records.threads.get(id).await.unwrap());
        let run = |thread: &mut ThreadRecord| {
            thread.status = ThreadStatus::Error;
            thread.values = json!({"items": ["x"]});
            thread.error = Some(RunFailure { error: "NodeError".to_owned(), message: "boom".to_owned() });
            let interrupt = PendingInterrupt { id: "i".to_owned(), value: json!("Why?"), response_schema: None };
            thread.interrupts = BTreeMap::from([("t".to_owned(), vec![interrupt])]);
            Ok(())
        };
        let expected = json!({
            "thread_id": id,
            "created_at": "2026-05-28T20:26:40.000000+00:00",
            "updated_at": "2026-05-28T20:26:40.500000+00:00",
            "state_updated_at": "2026-05-28T20:26:40.000000+00:00",
            "metadata": {"a": 1, "b": 2, "c": null},
            "status": "error",
            "config": {},
            "values": {"items": ["x"]},
            "interrupts": {"t": [{"id": "i", "value": "Why?"}]},
            "error": {"error": "NodeError", "message": "boom"},
        });
        assert_eq!(records.threads.update(id, run).await.unwrap().wire(), expected);
        records.threads.begin_deletion(id).await.unwrap();
        records.threads.end_deletion(id).await.unwrap();
        let missing = records.threads.get(id).await.unwrap_err().to_string();
        assert_eq!(missing, format!("Thread with ID {id} not found"));
        assert!(matches!(records.threads.begin_deletion(id).await, Err(RecordError::NotFound { .. })));
        assert!(matches!(records.threads.patch(id, &patch).await, Err(RecordError::NotFound { .. })));
    }
}

#[tokio::test]
async fn a_hidden_thread_is_not_there_and_its_id_is_taken() {
    for Fixture { records, clock, .. } in fixtures() {
        let threads = &records.threads;
        let create = ThreadCreate { thread_id: Some(Uuid::now_v7()), ..ThreadCreate::default() };
        let id = threads.create_hidden(create.clone()).await.unwrap().thread_id;
        let is_hidden = async || {
            assert!(matches!(threads.get(id).await, Err(RecordError::NotFound { .. })));
            let update = threads.update(id, |_| Ok(())).await;
            assert!(matches!(update, Err(RecordError::NotFound { .. })));
            for ids in [None, Some(vec![id])] {
                assert_eq!(threads.count(&ThreadSearch { ids, ..ThreadSearch::default() }).await.unwrap(), 0);
            }
            for if_exists in [IfExists::Raise, IfExists::DoNothing] {
                let again = threads.create(ThreadCreate { if_exists: Some(if_exists), ..create.clone() }).await;
                assert!(matches!(again, Err(RecordError::Conflict(_))));
            }
        };
        is_hidden().await;
        assert!(threads.abandoned().await.unwrap().is_empty(), "somebody is making it");
        clock.advance(MAKING_MILLIS + 1);
        assert_eq!(threads.abandoned().await.unwrap(), [id]);
        let shown = threads.show(id, |thread| thread.values = json!({"a": 1})).await.unwrap();
        assert_eq!((shown.status, &shown.values), (ThreadStatus::Idle, &json!({"a": 1})));
        assert_eq!(threads.get(id).await.unwrap(), shown);
        assert!(threads.show(id, |_| ()).await.is_err(), "it is seen already");
        threads.begin_deletion(id).await.unwrap();
        is_hidden().await;
        assert_eq!(threads.abandoned().await.unwrap(), [id]);
        threads.begin_deletion(id).await.unwrap();
        threads.end_deletion(id).await.unwrap();
        threads.create(create).await.unwrap();
    }
}

#[tokio::test]
async fn an_id_is_taken_once() {
    for Fixture { records, .. } in fixtures() {
        let create = ThreadCreate { thread_id: Some(Uuid::now_v7()), ..ThreadCreate::default() };
        let first = records.threads.create(create.clone()).await.unwrap();
        assert!(matches!(records.threads.create(create.clone()).await, Err(RecordError::Conflict(_))));
        let metadata = Some(fields(json!({"new": true})));
        let create = ThreadCreate { if_exists: Some(IfExists::DoNothing), metadata, ..create };
        assert_eq!(records.threads.create(create).await.unwrap(), first);
    }
}

#[tokio::test]
async fn a_thread_expires_unless_its_state_changes() {
    for Fixture { records, clock, .. } in fixtures() {
        let create: ThreadCreate = serde_json::from_value(json!({"ttl": {"ttl": 1.5}})).unwrap();
        let id = records.threads.create(create).await.unwrap().thread_id;
        records.threads.create(ThreadCreate::default()).await.unwrap();
        let wire = records.threads.get(id).await.unwrap().wire_with_ttl();
        let expected =
            json!({"strategy": "delete", "ttl_minutes": 1.5, "expires_at": "2026-05-28T20:28:10.000000+00:00"});
        assert_eq!(wire["ttl"], expected);
        clock.advance(60_000);
        let touch = |thread: &mut ThreadRecord| {
            thread.state_changed(START + 60_000);
            Ok(())
        };
        records.threads.update(id, touch).await.unwrap();
        clock.advance(89_999);
        assert_eq!(records.threads.expired().await.unwrap(), []);
        clock.advance(1);
        let expired = records.threads.expired().await.unwrap();
        assert_eq!(expired.iter().map(|thread| thread.thread_id).collect::<Vec<_>>(), [id]);
        let longer: ThreadPatch =
            serde_json::from_value(json!({"ttl": {"ttl": 2, "strategy": "keep_latest"}})).unwrap();
        let kept = records.threads.patch(id, &longer).await.unwrap().ttl.unwrap();
        assert_eq!((kept.strategy, kept.expires), (TtlStrategy::KeepLatest, START + 150_000 + 120_000));
        clock.advance(120_000);
        let busy = |thread: &mut ThreadRecord| {
            thread.status = ThreadStatus::Busy;
            Ok(())
        };
        records.threads.update(id, busy).await.unwrap();
        assert_eq!(records.threads.expired().await.unwrap(), []);
        let none = ThreadPatch { ttl: Some(Ttl { ttl: 0.0, strategy: TtlStrategy::Delete }), metadata: None };
        let error = records.threads.patch(id, &none).await.unwrap_err().to_string();
        assert_eq!(error, "`ttl.ttl` is 0, it must be minutes above 0");
    }
}

#[tokio::test]
async fn threads_are_found() {
    for Fixture { records, clock, .. } in fixtures() {
        let mut ids = Vec::new();
        let statuses = [ThreadStatus::Idle, ThreadStatus::Busy, ThreadStatus::Interrupted, ThreadStatus::Error];
        for (n, status) in statuses.into_iter().enumerate() {
            let metadata = Some(fields(json!({"n": n, "graph_id": if n < 2 { "g" } else { "h" }})));
            let thread = records.threads.create(ThreadCreate { metadata, ..ThreadCreate::default() }).await.unwrap();
            ids.push(thread.thread_id);
            let values = |thread: &mut ThreadRecord| {
                thread.status = status;
                // The first has no values yet.
                if n > 0 {
                    thread.values = json!({"topic": n % 2, "items": ["a", {"n": n}]});
                }
                Ok(())
            };
            records.threads.update(thread.thread_id, values).await.unwrap();
            clock.advance(1);
        }
        let cases = [
            (json!({}), vec![3, 2, 1, 0]),
            (json!({"metadata": {}, "values": {}}), vec![3, 2, 1, 0]),
            (json!({"metadata": {"graph_id": "g"}}), vec![1, 0]),
            (json!({"values": {"topic": 1}}), vec![3, 1]),
            (json!({"values": {"items": [{"n": 2}]}}), vec![2]),
            (json!({"values": {"topic": 1}, "metadata": {"graph_id": "g"}}), vec![1]),
            (json!({"status": "busy"}), vec![1]),
            (json!({"ids": [ids[2], ids[0], ids[2], Uuid::nil()]}), vec![2, 0]),
            (json!({"ids": [ids[2], ids[0]], "status": "idle"}), vec![0]),
            (json!({"ids": []}), vec![]),
            (json!({"sort_by": "status", "sort_order": "asc"}), vec![1, 3, 0, 2]),
            (json!({"sort_by": "thread_id", "sort_order": "asc", "limit": 2, "offset": 1}), vec![1, 2]),
            (json!({"limit": 1000}), vec![3, 2, 1, 0]),
        ];
        for (search, expected) in cases {
            let parsed: ThreadSearch = serde_json::from_value(search.clone()).unwrap();
            let found = records.threads.search(&parsed).await.unwrap();
            let numbers: Vec<_> = found.items.iter().map(|wire| wire["metadata"]["n"].as_u64().unwrap()).collect();
            assert_eq!(numbers, expected, "{search}");
            assert_eq!(records.threads.count(&parsed).await.unwrap(), found.total, "{search}");
        }
        let shaped =
            json!({"select": ["thread_id"], "limit": 2, "extract": {"n": "values.items[-1].n", "t": "values.topic"}});
        let shaped: ThreadSearch = serde_json::from_value(shaped).unwrap();
        let found = records.threads.search(&shaped).await.unwrap();
        let expected = [
            json!({"thread_id": ids[3], "extracted": {"n": 3, "t": 1}}),
            json!({"thread_id": ids[2], "extracted": {"n": 2, "t": 0}}),
        ];
        assert_eq!((found.items.as_slice(), found.total, found.next), (expected.as_slice(), 4, Some(2)));
        for bad in [
            json!({"limit": 1001}),
            json!({"sort_by": "values"}),
            json!({"sort_order": "up"}),
            json!({"select": ["x"]}),
            json!({"extract": {"a": "status"}}),
        ] {
            let error = records.threads.search(&serde_json::from_value(bad.clone()).unwrap()).await.unwrap_err();
            assert!(matches!(error, RecordError::BadRequest(_)), "{bad}: {error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn patches_of_many_at_once_are_all_there() {
    for Fixture { records, .. } in fixtures() {
        let id = records.threads.create(ThreadCreate::default()).await.unwrap().thread_id;
        let tasks: Vec<_> = (0..48)
            .map(|n| {
                let records = records.clone();
                tokio::spawn(async move {
                    let metadata = Some(Map::from_iter([(format!("k{n}"), json!(n))]));
                    records.threads.patch(id, &ThreadPatch { metadata, ttl: None }).await.unwrap();
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(records.threads.get(id).await.unwrap().metadata.len(), 48);
    }
}
