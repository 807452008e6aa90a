//! Logs over a store.

use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::store::{MemoryStore, Store};
use uuid::Uuid;

use super::*;

fn warning(n: u64) -> LogEvent {
    LogEvent::Warning { message: n.to_string() }
}

async fn numbers(tail: &mut Tail, count: usize) -> Vec<u64> {
    let mut read = Vec::new();
    for _ in 0..count {
        let entry = tail.next().await.unwrap().unwrap();
        assert!(matches!(&entry.event, LogEvent::Warning { message } if *message == entry.seq.to_string()));
        read.push(entry.seq);
    }
    read
}

#[tokio::test]
async fn a_reader_gets_every_entry_once_wherever_it_begins() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let logs = Logs::new(Arc::clone(&store), None);
    let (thread, run) = (Uuid::now_v7(), Uuid::now_v7());
    let log = logs.open(thread).await.unwrap();
    let mut from_the_start = log.after(0);
    let reader = tokio::spawn(async move { numbers(&mut from_the_start, 3000).await });
    for n in 1..=3000 {
        assert_eq!(log.append(run, "".into(), 0, warning(n)), n);
        if n % 100 == 0 {
            tokio::task::yield_now().await;
        }
    }
    log.flushed(3000).await.unwrap();
    assert_eq!(reader.await.unwrap(), (1..=3000).collect::<Vec<_>>());
    // Most are no longer in memory.
    for from in [0, 1, 511, 512, 1700, 2999] {
        let expected: Vec<_> = (from + 1..=3000).collect();
        assert_eq!(numbers(&mut log.after(from), expected.len()).await, expected);
    }
    let mut end = log.after(3000);
    assert!(end.ready().await.unwrap().is_none());

    drop(log);
    let again = Logs::new(store, None).open(thread).await.unwrap();
    assert_eq!(again.last(), 3000, "another process goes on with the numbers");
    assert_eq!(again.append(run, "".into(), 0, warning(3001)), 3001);
    assert_eq!(numbers(&mut again.after(2500), 501).await, (2501..=3001).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_deleted_log_ends_for_its_readers_and_begins_anew() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let logs = Logs::new(store, None);
    let (thread, run) = (Uuid::now_v7(), Uuid::now_v7());
    let log = logs.open(thread).await.unwrap();
    let seq = log.append(run, "".into(), 0, warning(1));
    log.flushed(seq).await.unwrap();
    let mut tail = log.after(1);
    let waiting = tokio::spawn(async move { tail.next().await.unwrap().is_none() });
    tokio::task::yield_now().await;
    logs.delete(thread).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_secs(5), waiting).await.unwrap().unwrap());
    drop(log);
    assert_eq!(logs.open(thread).await.unwrap().last(), 0);
}

#[tokio::test]
async fn large_entries_are_stored_few_at_a_time() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let log = Logs::new(store, None).open(Uuid::now_v7()).await.unwrap();
    let mut last = 0;
    for size in [100 << 10; 40].into_iter().chain([3 << 20, 3 << 20, 1]) {
        let payload = serde_json::json!({"text": "x".repeat(size)});
        let event = LogEvent::Custom { task: "".into(), node: String::new(), name: String::new(), payload };
        last = log.append(Uuid::nil(), "".into(), 0, event);
    }
    log.flushed(last).await.unwrap();
    let (mut next, mut counts) = (1, Vec::new());
    while let Some((_, entries)) = log.segments.holding(next).await.unwrap() {
        assert_eq!(entries[0].seq, next);
        next += entries.len() as u64;
        counts.push(entries.len());
    }
    assert_eq!(next, last + 1);
    // Ten of 100 KiB are below 1 MiB, and one that is larger is alone.
    assert_eq!(counts, [10, 10, 10, 10, 1, 1, 1]);
}
