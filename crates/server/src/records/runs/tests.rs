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
