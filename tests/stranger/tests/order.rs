//! Orders from beginning to end, in memory and in a SQLite file.

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::checkpoint::{MemoryCheckpointer, ThreadStatus};
use graphloom_core_graph::{Outcome, RunError};
use graphloom_stranger::{Decision, Item, Order, order};

fn items(grams: &[u64]) -> Vec<Item> {
    grams.iter().enumerate().map(|(at, grams)| Item { name: format!("item {at}"), grams: *grams }).collect()
}

#[tokio::test]
async fn a_light_order_is_invoiced() {
    let app = order().unwrap();
    let done = app.run_once(Order::update().items(items(&[300, 500]))).await.unwrap().done().unwrap();
    assert_eq!((done.grams, done.cents), (1200, Some(120)));
    assert_eq!(done.trail.iter().collect::<Vec<_>>(), ["2 items", "weighed item 0", "weighed item 1", "invoiced"]);
}

#[tokio::test]
async fn a_heavy_order_waits_for_a_person_in_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.db");
    {
        let threads = order().unwrap().with_checkpointer(SqliteCheckpointer::open(&path).unwrap());
        let outcome = threads.thread("heavy").run(Order::update().items(items(&[15_000, 9_000]))).await.unwrap();
        assert!(matches!(outcome, Outcome::Waiting(_)), "{outcome:?}");
    }
    let threads = order().unwrap().with_checkpointer(SqliteCheckpointer::open(&path).unwrap());
    let heavy = threads.thread("heavy");
    assert_eq!(heavy.state().await.unwrap().status, ThreadStatus::Waiting);
    let questions = heavy.questions().await.unwrap();
    assert!(matches!(questions.answer("decision", "maybe"), Err(RunError::BadAnswer { .. })));
    let answers = questions.answer("decision", Decision::Send).unwrap();
    let done = heavy.resume(answers).await.unwrap().done().unwrap();
    assert_eq!((done.grams, done.cents), (24_400, Some(2440)));
    assert_eq!(done.trail.iter().filter(|line| line.starts_with("weighed")).count(), 2);
}

#[tokio::test]
async fn an_empty_order_fails_and_says_so() {
    let threads = order().unwrap().with_checkpointer(MemoryCheckpointer::new());
    let empty = threads.thread("empty");
    let error = empty.run(Order::update().items(items(&[]))).await.unwrap_err();
    assert!(error.to_string().contains("`check` failed: the order is empty"), "{error}");
    assert_eq!(empty.state().await.unwrap().status, ThreadStatus::Failed);
}
