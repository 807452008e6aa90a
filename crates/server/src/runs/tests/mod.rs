//! Runs of the demo graphs through the manager.

mod remove;
mod restart;

use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::builder::Server;
use crate::log::LogEvent;
use crate::records::{RunStatus, ThreadCreate, ThreadStatus, system_assistant_id};
use crate::runs::testing::new_run;

struct Fixture {
    manager: RunManager,
    thread: Uuid,
}

impl Fixture {
    async fn new() -> Self {
        let manager = Server::new().demo().unwrap().open().await.unwrap();
        let thread = manager.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
        Self { manager, thread }
    }

    async fn run(&self, graph: &str, order: Value) -> (Submitted, Arc<Ending>) {
        let submitted = self.manager.submit(self.thread, new_run(graph, order)).await.unwrap();
        let ending = submitted.live.ended().await.unwrap();
        (submitted, ending)
    }

    /// What the log holds of a run, in short.
    async fn told(&self, submitted: &Submitted) -> Vec<String> {
        let mut tail = submitted.log.after(submitted.before);
        let mut told = Vec::new();
        while let Some(entry) = tail.ready().await.unwrap() {
            assert_eq!(entry.seq, submitted.before + told.len() as u64 + 1, "numbers have no gap");
            told.push(match &entry.event {
                LogEvent::RunStarted { attempt, .. } => format!("started {attempt}"),
                LogEvent::TaskStarted { node, .. } => format!("task {node}"),
                LogEvent::Update { node, values, .. } => format!("update {node} {values}"),
                LogEvent::Custom { node, payload, .. } => format!("custom {node} {payload}"),
                LogEvent::Message { node, chunk, .. } => format!("message {node} {}", chunk.content),
                LogEvent::Commit(commit) => {
                    format!("commit {:?} {}", commit.source, Value::Object(commit.values.clone()))
                }
                LogEvent::Interrupted { node, interrupt, .. } => format!("interrupted {node} {}", interrupt.value),
                LogEvent::RunEnded { status, .. } => format!("ended {status}"),
                other => format!("{other:?}"),
            });
        }
        told
    }
}

#[tokio::test]
async fn a_run_is_told_step_by_step_and_recorded() {
    let fixture = Fixture::new().await;
    let (submitted, ending) = fixture.run("pipeline", json!({"input": {"topic": "x"}})).await;
    let values = json!({"topic": "x", "items": ["plan:x", "work:x", "finish:x"], "count": 3});
    assert_eq!(ending.status, RunStatus::Success);
    assert_eq!(Value::Object(ending.values.clone().unwrap()), values);
    let expected = [
        "started 1",
        r#"commit Input {"topic":"x","items":[]}"#,
        "task plan",
        r#"update plan {"items":["plan:x"]}"#,
        r#"commit Step {"topic":"x","items":["plan:x"]}"#,
        "task work",
        r#"custom work {"progress":1,"of":3}"#,
        r#"custom work {"progress":2,"of":3}"#,
        r#"custom work {"progress":3,"of":3}"#,
        r#"update work {"items":["work:x"]}"#,
        r#"commit Step {"topic":"x","items":["plan:x","work:x"]}"#,
        "task finish",
        r#"update finish {"items":["finish:x"],"count":3}"#,
        r#"commit Step {"topic":"x","items":["plan:x","work:x","finish:x"],"count":3}"#,
        "ended success",
    ];
    assert_eq!(fixture.told(&submitted).await, expected);
    let record = fixture.manager.records().runs.get(fixture.thread, submitted.record.run_id).await.unwrap();
    assert_eq!((record.status, record.checkpoints), (RunStatus::Success, Some((1, 4))));
    let thread = fixture.manager.records().threads.get(fixture.thread).await.unwrap();
    assert_eq!((thread.status, thread.values), (ThreadStatus::Idle, values));
    assert!(!fixture.manager.is_busy(fixture.thread).await.unwrap());
}

#[tokio::test]
async fn a_question_waits_and_its_answer_goes_on() {
    let fixture = Fixture::new().await;
    let (_, ending) = fixture.run("approval", json!({"input": {"request": "tea"}})).await;
    assert_eq!((ending.status, ending.stands), (RunStatus::Success, ThreadStatus::Interrupted));
    let [interrupt] = ending.interrupts.as_slice() else { panic!("{:?}", ending.interrupts) };
    assert_eq!(interrupt.value, json!({"question": "Approve?", "draft": "Draft for tea"}));

    let unknown = json!({"command": {"resume": {"0".repeat(32): "approve"}}});
    let (_, refused) = fixture.run("approval", unknown).await;
    assert_eq!(refused.failure.as_ref().unwrap().error, "UnknownInterruptError");
    assert_eq!(refused.interrupts, ending.interrupts, "the thread is untouched");

    let resume = json!({"command": {"resume": {interrupt.id.clone(): "approve"}}});
    let (_, done) = fixture.run("approval", resume).await;
    assert_eq!(done.stands, ThreadStatus::Idle);
    assert_eq!(done.values.as_ref().unwrap()["log"], json!(["draft", "review:approve", "publish"]));
}

#[tokio::test]
async fn what_fails_is_told_in_the_words_of_the_node() {
    let fixture = Fixture::new().await;
    let (_, ending) = fixture.run("faulty", json!({"input": {"mode": "fail"}})).await;
    assert_eq!((ending.status, ending.stands), (RunStatus::Error, ThreadStatus::Error));
    assert_eq!(ending.failure.as_ref().unwrap().message, "boom: mode=fail");
    let limited = json!({"input": {"n": 5, "delay_ms": 0}, "config": {"recursion_limit": 2}});
    let (_, ending) = Fixture::new().await.run("ticker", limited).await;
    assert_eq!(ending.failure.as_ref().unwrap().error, "GraphRecursionError");
}

#[tokio::test]
async fn a_busy_thread_does_with_a_new_run_what_that_asks_for() {
    let slow = || json!({"input": {"n": 1000, "delay_ms": 5}});
    let quick = || json!({"input": {"n": 1, "delay_ms": 0}});
    let submit = async |fixture: &Fixture, multitask, order| {
        let new = NewRun { multitask, ..new_run("ticker", order) };
        fixture.manager.submit(fixture.thread, new).await
    };
    let fixture = Fixture::new().await;
    let first = submit(&fixture, Multitask::Enqueue, slow()).await.unwrap();
    let second = submit(&fixture, Multitask::Enqueue, quick()).await.unwrap();
    assert_eq!(second.record.status, RunStatus::Pending);
    assert!(matches!(submit(&fixture, Multitask::Reject, quick()).await, Err(Refusal::Conflict(_))));

    let third = submit(&fixture, Multitask::Interrupt, quick()).await.unwrap();
    let statuses = async |run: &Submitted| run.live.ended().await.unwrap().status;
    assert_eq!(statuses(&first).await, RunStatus::Interrupted);
    assert_eq!(statuses(&second).await, RunStatus::Interrupted);
    assert_eq!(statuses(&third).await, RunStatus::Success);

    let before = fixture.manager.graph("ticker").unwrap().view(&fixture.thread.to_string(), None).await.unwrap();
    let fourth = submit(&fixture, Multitask::Enqueue, slow()).await.unwrap();
    while fixture.told(&fourth).await.len() < 6 {
        tokio::task::yield_now().await;
    }
    fixture.manager.cancel(fixture.thread, fourth.record.run_id, Cancel::Rollback).await.unwrap();
    fourth.live.ended().await.unwrap();
    let after = fixture.manager.graph("ticker").unwrap().view(&fixture.thread.to_string(), None).await.unwrap();
    assert_eq!(after.values, before.values, "what was taken back is as it was");
    assert_eq!(after.checkpoint, before.checkpoint);
    assert!(fixture.manager.records().runs.get(fixture.thread, fourth.record.run_id).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_end_is_recorded_or_being_recorded_is_not_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let store = graphloom_checkpoint_sqlite::SqliteStore::open(directory.path().join("records.sqlite")).unwrap();
    let manager = Server::new().demo().unwrap().records(Arc::new(store)).open().await.unwrap();
    let thread = manager.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
    for _ in 0..50 {
        let order = json!({"input": {"n": 1, "delay_ms": 0}});
        let run = manager.submit(thread, new_run("ticker", order)).await.unwrap().record.run_id;
        // As another process does, which sees the record and not the run.
        while !manager.records().runs.get(thread, run).await.unwrap().status.is_final() {
            tokio::task::yield_now().await;
        }
        let cancelled = manager.cancel(thread, run, Cancel::Interrupt).await;
        assert!(matches!(cancelled, Err(Refusal::NotFound(_))), "{cancelled:?}");
    }
}

#[tokio::test]
async fn a_client_that_goes_away_while_its_run_is_accepted_leaves_nothing_in_between() {
    let directory = tempfile::tempdir().unwrap();
    // A store that takes its time: a request is in its middle when it is dropped.
    let store = graphloom_checkpoint_sqlite::SqliteStore::open(directory.path().join("records.sqlite")).unwrap();
    let manager = Server::new().demo().unwrap().records(Arc::new(store)).open().await.unwrap();
    let thread = manager.records().threads.create(ThreadCreate::default()).await.unwrap().thread_id;
    for polls in 1..10 {
        let mut request = Box::pin(manager.submit(thread, new_run("pipeline", json!({"input": {"topic": "x"}}))));
        for _ in 0..polls {
            drop(futures::poll!(&mut request));
        }
    }
    // Every run begins and ends.
    while manager.is_busy(thread).await.unwrap() || manager.records().runs.of_thread(thread).await.unwrap().len() < 9 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    let runs = manager.records().runs.of_thread(thread).await.unwrap();
    assert!(runs.iter().all(|run| run.status == RunStatus::Success), "{runs:?}");
}
