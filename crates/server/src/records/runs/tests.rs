//! What runs do, over each store.

use super::super::testing::{Fixture, START, fixtures};
use super::*;

fn ids(runs: &[RunRecord]) -> Vec<Uuid> {
    runs.iter().map(|run| run.run_id).collect()
}

fn set(status: RunStatus) -> impl FnMut(&mut RunRecord) -> Result<(), RecordError> + Send {
    move |run| {
        run.status = status;
        Ok(())
    }
}

#[tokio::test]
async fn a_run_is_put_changed_and_deleted() {
    for Fixture { records, clock, .. } in fixtures() {
        let (thread, assistant) = (Uuid::now_v7(), Uuid::new_v4());
        let run = RunRecord {
            kwargs: json!({"input": {"topic": "x"}, "stream_mode": ["values"]}),
            checkpoints: Some((3, 9)),
            error: Some(RunFailure { error: "E".to_owned(), message: "m".to_owned() }),
            start_at: Some(START + 5),
            ..RunRecord::new(thread, assistant, "pipeline", START)
        };
        records.runs.insert(&run).await.unwrap();
        assert!(matches!(records.runs.insert(&run).await, Err(RecordError::Conflict(_))));
        assert_eq!(records.runs.get(thread, run.run_id).await.unwrap(), run);
        clock.advance(2);
        let cancel = |run: &mut RunRecord| {
            run.status = RunStatus::Interrupted;
            run.cancel_reason = Some("user".to_owned());
            Ok(())
        };
        let expected = json!({
            "run_id": run.run_id, "thread_id": thread, "assistant_id": assistant,
            "created_at": "2026-05-28T20:26:40.000000+00:00", "updated_at": "2026-05-28T20:26:40.002000+00:00",
            "status": "interrupted", "metadata": {},
            "kwargs": {"input": {"topic": "x"}, "stream_mode": ["values"]},
            "multitask_strategy": "enqueue", "cancel_reason": "user",
        });
        assert_eq!(records.runs.update(thread, run.run_id, cancel).await.unwrap().wire(), expected);
        let again = records.runs.update(thread, run.run_id, set(RunStatus::Running)).await.unwrap_err();
        assert_eq!(again.to_string(), format!("Run with ID {} has ended and cannot go on", run.run_id));
        let elsewhere = records.runs.get(Uuid::now_v7(), run.run_id).await;
        assert!(matches!(elsewhere, Err(RecordError::NotFound { what: "Run", .. })));
        records.runs.delete(thread, run.run_id).await.unwrap();
        assert!(matches!(records.runs.delete(thread, run.run_id).await, Err(RecordError::NotFound { .. })));
        assert!(matches!(records.runs.get(thread, run.run_id).await, Err(RecordError::NotFound { .. })));
    }
}

#[tokio::test]
async fn runs_of_a_thread_are_listed_newest_first() {
    for Fixture { records, .. } in fixtures() {
        let thread = Uuid::now_v7();
        let mut runs: Vec<_> = (0..25).map(|n| RunRecord::new(thread, Uuid::nil(), "g", START + n / 2)).collect();
        for run in &runs {
            records.runs.insert(run).await.unwrap();
        }
        records.runs.insert(&RunRecord::new(Uuid::now_v7(), Uuid::nil(), "g", START)).await.unwrap();
        assert_eq!(records.runs.of_thread(thread).await.unwrap(), runs);
        records.runs.update(thread, runs[4].run_id, set(RunStatus::Success)).await.unwrap();
        runs.reverse();
        let newest: Vec<_> = runs.iter().map(|run| json!(run.run_id)).collect();
        let list = async |list: RunList| {
            let listing = records.runs.list(thread, &list).await.unwrap();
            let ids: Vec<_> = listing.items.iter().map(|wire| wire["run_id"].clone()).collect();
            (ids, listing.total)
        };
        assert_eq!(list(RunList::default()).await, (newest[..10].to_vec(), 25));
        let page = RunList { limit: Some(1000), offset: Some(20), ..RunList::default() };
        assert_eq!(list(page).await, (newest[20..].to_vec(), 25));
        let pending = RunList { status: Some(RunStatus::Pending), limit: Some(100), ..RunList::default() };
        assert_eq!(list(pending).await.1, 24);
        let success = RunList { status: Some(RunStatus::Success), ..RunList::default() };
        assert_eq!(list(success).await, (vec![newest[20].clone()], 1));
        let select = Some(vec!["status".to_owned()]);
        let brief = RunList { limit: Some(1), select, ..RunList::default() };
        assert_eq!(records.runs.list(thread, &brief).await.unwrap().items, [json!({"status": "pending"})]);
        let many = RunList { limit: Some(1001), ..RunList::default() };
        assert!(matches!(records.runs.list(thread, &many).await, Err(RecordError::BadRequest(_))));
        records.runs.delete_of_thread(thread).await.unwrap();
        assert_eq!(list(RunList::default()).await, (vec![], 0));
        assert_eq!(records.runs.unfinished().await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn unfinished_runs_of_all_threads_are_found_oldest_first() {
    for Fixture { records, .. } in fixtures() {
        let runs: Vec<_> = (0..6).map(|n| RunRecord::new(Uuid::new_v4(), Uuid::nil(), "g", START + 10 - n)).collect();
        for run in &runs {
            records.runs.insert(run).await.unwrap();
        }
        let [late, running, success, failed, deleted, first] = runs.as_slice() else { unreachable!() };
        records.runs.update(running.thread_id, running.run_id, set(RunStatus::Running)).await.unwrap();
        records.runs.update(success.thread_id, success.run_id, set(RunStatus::Running)).await.unwrap();
        records.runs.update(success.thread_id, success.run_id, set(RunStatus::Success)).await.unwrap();
        records.runs.update(failed.thread_id, failed.run_id, set(RunStatus::Error)).await.unwrap();
        records.runs.delete(deleted.thread_id, deleted.run_id).await.unwrap();
        assert_eq!(records.runs.unfinished.all(&[], &[]).await.unwrap().len(), 3);
        let unfinished = records.runs.unfinished().await.unwrap();
        assert_eq!(ids(&unfinished), [first.run_id, running.run_id, late.run_id]);
    }
}

#[tokio::test]
async fn entries_that_a_crash_left_are_removed() {
    for Fixture { records, clock, .. } in fixtures() {
        let runs = &records.runs;
        let entry = |run: &RunRecord| Unfinished { run_id: run.run_id, thread_id: run.thread_id, put: START };
        // Its end was stored, and the process died before it was done with it.
        let ended = RunRecord::new(Uuid::now_v7(), Uuid::nil(), "g", START);
        runs.insert(&ended).await.unwrap();
        runs.update(ended.thread_id, ended.run_id, set(RunStatus::Success)).await.unwrap();
        runs.unfinished.put(&[], &ended.run_id.to_string(), &entry(&ended)).await.unwrap();
        // Its entry was put, the run not; another process may be about to.
        let begun = RunRecord::new(Uuid::now_v7(), Uuid::nil(), "g", START);
        runs.unfinished.put(&[], &begun.run_id.to_string(), &entry(&begun)).await.unwrap();
        assert_eq!(runs.unfinished().await.unwrap(), []);
        assert_eq!(ids(&runs.left().await.unwrap()), [ended.run_id]);
        runs.done_with(ended.run_id).await.unwrap();
        let left = runs.unfinished.all(&[], &[]).await.unwrap();
        assert_eq!(left.iter().map(|entry| entry.run_id).collect::<Vec<_>>(), [begun.run_id]);
        clock.advance(ENTRY_WITHOUT_RUN_MILLIS);
        assert_eq!(runs.unfinished().await.unwrap(), []);
        assert!(runs.unfinished.all(&[], &[]).await.unwrap().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_ends_a_run() {
    for Fixture { records, .. } in fixtures() {
        let run = RunRecord::new(Uuid::now_v7(), Uuid::nil(), "g", START);
        records.runs.insert(&run).await.unwrap();
        let tasks: Vec<_> = (0..32)
            .map(|n| {
                let (records, run) = (records.clone(), run.clone());
                tokio::spawn(async move {
                    let claim = |run: &mut RunRecord| {
                        if run.status.is_final() {
                            return Err(RecordError::Conflict("too late".to_owned()));
                        }
                        run.status = RunStatus::Success;
                        run.cancel_reason = Some(format!("{n}"));
                        Ok(())
                    };
                    records.runs.update(run.thread_id, run.run_id, claim).await.ok()
                })
            })
            .collect();
        let mut ended = Vec::new();
        for task in tasks {
            ended.extend(task.await.unwrap());
        }
        assert_eq!(ended.len(), 1);
        assert_eq!(records.runs.get(run.thread_id, run.run_id).await.unwrap(), ended[0]);
    }
}

#[tokio::test]
async fn a_run_tells_when_it_was_executed() {
    for Fixture { records, clock, .. } in fixtures() {
        let run = RunRecord::new(Uuid::now_v7(), Uuid::nil(), "g", START);
        let (thread, id) = (run.thread_id, run.run_id);
        records.runs.insert(&run).await.unwrap();
        let times = |run: RunRecord| (run.started, run.ended);
        assert_eq!(times(records.runs.get(thread, id).await.unwrap()), (None, None));
        clock.advance(5);
        let running = records.runs.update(thread, id, set(RunStatus::Running)).await.unwrap();
        assert_eq!(times(running), (Some(START + 5), None));
        clock.advance(5);
        let again = records.runs.update(thread, id, set(RunStatus::Running)).await.unwrap();
        assert_eq!(times(again), (Some(START + 5), None), "another process went on with it");
        clock.advance(5);
        let ended = records.runs.end(thread, id, set(RunStatus::Success)).await.unwrap();
        assert_eq!(times(ended), (Some(START + 5), Some(START + 15)));
        clock.advance(5);
        let noted = records.runs.update(thread, id, set(RunStatus::Success)).await.unwrap();
        assert_eq!(times(noted), (Some(START + 5), Some(START + 15)));
        let waiting = RunRecord::new(thread, Uuid::nil(), "g", START);
        records.runs.insert(&waiting).await.unwrap();
        let dropped = records.runs.end(thread, waiting.run_id, set(RunStatus::Interrupted)).await.unwrap();
        assert_eq!(times(dropped), (None, Some(START + 20)));
    }
}

#[tokio::test]
async fn a_run_that_was_stored_before_times_were_recorded_is_read() {
    let run = RunRecord::new(Uuid::now_v7(), Uuid::nil(), "g", START);
    let mut stored = serde_json::to_value(&run).unwrap();
    for field in ["started", "ended", "steps"] {
        assert!(stored.as_object_mut().unwrap().remove(field).is_some(), "{field}");
    }
    assert_eq!(serde_json::from_value::<RunRecord>(stored).unwrap(), run);
}

#[tokio::test]
async fn runs_of_all_threads_are_searched() {
    for Fixture { records, .. } in fixtures() {
        let threads = [Uuid::now_v7(), Uuid::now_v7()];
        let assistant = Uuid::new_v4();
        let runs: Vec<RunRecord> = (0_u64..6)
            .map(|n| {
                let graph = if n < 4 { "pipeline" } else { "nested" };
                let mut run = RunRecord::new(threads[n as usize % 2], assistant, graph, START + n);
                run.metadata.insert("user".to_owned(), json!({ "name": format!("Ann {n}"), "tags": ["a", n] }));
                (run.started, run.steps) = ((n < 3).then_some(START + 10 - n), (n < 3).then_some(n % 2));
                run
            })
            .collect();
        for run in &runs {
            records.runs.insert(run).await.unwrap();
        }
        records.runs.update(threads[0], runs[2].run_id, set(RunStatus::Error)).await.unwrap();
        let found = async |search: Value| {
            let search: RunSearch = serde_json::from_value(search).unwrap();
            let listing = records.runs.search(&search, |run| json!(run.created - START)).await;
            listing.map(|listing| (json!(listing.items), listing.total)).map_err(|error| error.to_string())
        };
        let id = |at: usize| runs[at].run_id.to_string();
        let cases = [
            (json!({}), json!([5, 4, 3, 2, 1, 0]), 6),
            (json!({"limit": 2, "offset": 1}), json!([4, 3]), 6),
            (json!({"thread_id": threads[0]}), json!([4, 2, 0]), 3),
            (json!({"graph_id": "nested"}), json!([5, 4]), 2),
            (json!({"agent_id": "nested"}), json!([5, 4]), 2),
            (json!({"agent_id": assistant, "limit": 1}), json!([5]), 6),
            (json!({"agent_id": Uuid::nil()}), json!([]), 0),
            (json!({"status": "error"}), json!([2]), 1),
            (json!({"metadata": {"user": {"name": "Ann 3"}}}), json!([3]), 1),
            (json!({"metadata": {"user": {"tags": [4, "a"]}}}), json!([4]), 1),
            (json!({"query": "aNN 1"}), json!([1]), 1),
            (json!({"query": "user", "graph_id": "nested"}), json!([5, 4]), 2),
            (json!({"query": &id(3)[4..].to_uppercase()}), json!([3]), 1),
            (json!({"query": threads[1]}), json!([5, 3, 1]), 3),
            (json!({"query": "nobody"}), json!([]), 0),
            (json!({"sort_by": "started_at", "sort_order": "asc", "offset": 3}), json!([2, 1, 0]), 6),
            (json!({"sort_by": "steps", "limit": 1}), json!([1]), 6),
            (json!({"sort_by": "graph_id", "sort_order": "asc", "limit": 2}), json!([4, 5]), 6),
            (json!({"sort_by": "status", "sort_order": "asc", "limit": 1}), json!([2]), 6),
        ];
        for (search, items, total) in cases {
            assert_eq!(found(search.clone()).await, Ok((items, total)), "{search}");
        }
        let error = found(json!({"sort_by": "colour"})).await.unwrap_err();
        assert!(
            error.starts_with("`sort_by` names `colour`, it can name `run_id`, `thread_id`, `graph_id`"),
            "{error}"
        );
    }
}
