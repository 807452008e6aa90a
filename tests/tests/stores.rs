//! Every long-term store against the conformance cases, and what only a file can show.

use std::sync::atomic::{AtomicU64, Ordering};

use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteStore};
use graphloom_core_graph::checkpoint::Checkpointer;
use graphloom_core_graph::conformance;
use graphloom_core_graph::store::{MemoryStore, Namespace, PutOptions, Store, StoreError};
use serde_json::json;

fn ns<const N: usize>(segments: [&str; N]) -> Namespace {
    Namespace::new(segments).expect("valid segments")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_store_does_what_a_store_must() {
    let memory = conformance::run_memory(async |clock| MemoryStore::with_clock(clock)).await;
    assert!(memory.is_green() && memory.passed() > 0, "in memory: {memory}");
    let directory = tempfile::tempdir().unwrap();
    let number = AtomicU64::new(0);
    let file = || directory.path().join(format!("{}.db", number.fetch_add(1, Ordering::Relaxed)));
    let own = conformance::run_memory(async |clock| SqliteStore::open(file()).unwrap().with_clock(clock)).await;
    assert!(own.is_green(), "in a file of its own: {own}");
    let shared =
        conformance::run_memory(async |clock| SqliteCheckpointer::open(file()).unwrap().store().with_clock(clock))
            .await;
    assert!(shared.is_green(), "in a checkpointer's file: {shared}");
}

#[tokio::test]
async fn a_file_keeps_items_and_threads_side_by_side() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("both.db");
    let checkpointer = SqliteCheckpointer::open(&path).unwrap();
    checkpointer.store().put(&ns(["a"]), "k", json!(1), PutOptions::default()).await.unwrap();
    let reopened = SqliteStore::open(&path).unwrap();
    assert_eq!(reopened.get(&ns(["a"]), "k").await.unwrap().map(|item| item.value), Some(json!(1)));
    assert_eq!(checkpointer.stats().await.unwrap().threads, 0);

    std::fs::write(directory.path().join("notes.db"), "not a database ".repeat(100)).unwrap();
    let error = SqliteStore::open(directory.path().join("notes.db")).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
}
