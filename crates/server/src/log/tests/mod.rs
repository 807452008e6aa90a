//! Logs over a store.

mod takeover;

use std::sync::Arc;

use graphloom_core_graph::store::{MemoryStore, Store};
use uuid::Uuid;

use super::*;
use crate::cluster::{Cluster, Member, News};
use crate::messages::MessageChunk;

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
    assert!(waiting.await.unwrap());
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
    while let Some((_, packed)) = log.segments.holding(next).await.unwrap() {
        let entries: Vec<Entry> = serde_json::from_str(&packed.entries).unwrap();
        assert_eq!(entries[0].seq, next);
        next += entries.len() as u64;
        counts.push(entries.len());
    }
    assert_eq!(next, last + 1);
    // Ten of 100 KiB are below 1 MiB, and one that is larger is alone.
    assert_eq!(counts, [10, 10, 10, 10, 1, 1, 1]);
}

#[tokio::test]
async fn what_is_held_in_memory_is_bounded_in_bytes() {
    let large = || LogEvent::Message {
        task: "".into(),
        node: String::new(),
        chunk: MessageChunk { content: "x".repeat(1 << 20), ..MessageChunk::default() },
    };
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let log = Logs::new(store, None).open(Uuid::now_v7()).await.unwrap();
    // Nothing is stored before this task gives way.
    for count in 1..=4 {
        assert!(futures::poll!(Box::pin(log.room())).is_ready());
        log.append(Uuid::nil(), "".into(), 0, large());
        assert_eq!(log.held(), (0, count));
    }
    assert!(futures::poll!(Box::pin(log.room())).is_pending(), "4 MiB wait to be stored: the run waits");
    log.append(Uuid::nil(), "".into(), 0, large());
    log.flushed(5).await.unwrap();
    assert!(futures::poll!(Box::pin(log.room())).is_ready());
    assert_eq!(log.held(), (1, 0), "two of 1 MiB and something are over the bound");
    for count in 0..5 {
        let entry = log.after(count).next().await.unwrap().unwrap();
        assert!(matches!(&entry.event, LogEvent::Message { chunk, .. } if chunk.content.len() == 1 << 20));
    }
    for _ in 0..9 {
        let event = LogEvent::Warning { message: "x".repeat(400 << 10) };
        log.flushed(log.append(Uuid::nil(), "".into(), 0, event)).await.unwrap();
    }
    assert_eq!(log.held(), (5, 0), "five of 400 KiB are below 2 MiB");
}

#[tokio::test]
async fn states_are_read_whole_from_wherever_they_are_read() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let thread = Uuid::now_v7();
    let state = |seq: u64, ns: &str| {
        let list: Vec<_> = (0..=seq).map(|n| format!("{ns} {n} {}", "x".repeat(100))).collect();
        serde_json::json!({"list": list, "count": seq}).as_object().unwrap().clone()
    };
    let mut seq = 0;
    // Three processes, one after the other; the memory of a log is less than what it is told.
    for _ in 0..3 {
        let log = Logs::new(Arc::clone(&store), None).open(thread).await.unwrap();
        for _ in 0..100 {
            for ns in ["", "inside"] {
                seq += 1;
                let (source, values) = (graphloom_core_graph::checkpoint::Source::Step, state(seq, ns));
                let commit = CommitOf { number: seq, parent: None, source, changed: vec![], next: vec![], values };
                log.append(Uuid::nil(), ns.into(), 0, LogEvent::Commit(commit));
            }
            log.flushed(seq).await.unwrap();
        }
    }
    let log = Logs::new(store, None).open(thread).await.unwrap();
    for from in [0, 1, 77, 300, 598, 599] {
        let wanted = std::collections::BTreeSet::from([from + 1, 310, 600]);
        let mut readers =
            [log.after(from), log.after(from).without_states(), log.after(from).with_states_of(wanted.clone())];
        for seq in from + 1..=600 {
            for (reader, tail) in readers.iter_mut().enumerate() {
                let entry = tail.next().await.unwrap().unwrap();
                let LogEvent::Commit(commit) = &entry.event else { panic!("{seq}") };
                assert_eq!((entry.seq, commit.number), (seq, seq));
                let is_told = commit.values == state(seq, &entry.ns);
                assert!(is_told || (commit.values.is_empty() && reader > 0), "{seq}");
                assert!(is_told || reader == 1 || !wanted.contains(&seq), "{seq}");
            }
        }
    }
}

/// Logs of two processes over one store.
async fn shared() -> (Logs, Logs, [Arc<Member>; 2]) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let join = async || Member::join(&store, Cluster::new(), Vec::new()).await.unwrap();
    let members = [join().await, join().await];
    let [one, two] = [&members[0], &members[1]].map(|member| Logs::new(Arc::clone(&store), Some(Arc::clone(member))));
    (one, two, members)
}

#[tokio::test]
async fn a_log_that_another_process_writes_is_followed() {
    let (one, two, members) = shared().await;
    let (thread, run) = (Uuid::now_v7(), Uuid::now_v7());
    let (writes, follows) = (one.open(thread).await.unwrap(), two.open(thread).await.unwrap());
    writes.write_on(members[0].id(), WriteFrom::Newest, None).await.unwrap();
    for n in 1..=10 {
        writes.append(run, "".into(), 0, warning(n));
    }
    writes.flushed(10).await.unwrap();
    let mut tail = follows.after(0);
    assert!(tail.ready().await.unwrap().is_none(), "nobody told of it");
    two.hear(News::Log { thread, last: 10 });
    assert_eq!(numbers(&mut tail, 10).await, (1..=10).collect::<Vec<_>>());
    // What nobody told of is found by looking.
    writes.flushed(writes.append(run, "".into(), 0, warning(11))).await.unwrap();
    two.look().await.unwrap();
    assert_eq!(numbers(&mut tail, 1).await, [11]);
    // What is told in a process that does not write goes nowhere.
    follows.append(run, "".into(), 0, warning(12));
    assert!(follows.flushed(12).await.is_err());
    assert_eq!(follows.last(), 11);

    writes.follow();
    follows.write_on(members[1].id(), WriteFrom::Newest, None).await.unwrap();
    follows.flushed(follows.append(run, "".into(), 0, warning(12))).await.unwrap();
    let mut back = writes.after(10);
    one.look().await.unwrap();
    assert_eq!(numbers(&mut back, 2).await, [11, 12]);
    assert_eq!(numbers(&mut tail, 1).await, [12]);

    two.delete(thread).await.unwrap();
    assert!(tail.next().await.unwrap().is_none());
    one.look().await.unwrap();
    assert!(back.next().await.unwrap().is_none(), "it ends elsewhere, too");
}

#[tokio::test]
async fn of_two_that_write_a_log_no_entry_is_put_over_another() {
    let (one, two, members) = shared().await;
    let (thread, run) = (Uuid::now_v7(), Uuid::now_v7());
    let (late, holds) = (one.open(thread).await.unwrap(), two.open(thread).await.unwrap());
    late.write_on(members[0].id(), WriteFrom::Newest, None).await.unwrap();
    holds.write_on(members[1].id(), WriteFrom::Newest, None).await.unwrap();
    // The first was on its way when the second began.
    late.flushed(late.append(run, "".into(), 0, warning(1))).await.unwrap();
    let last = holds.append(run, "".into(), 0, warning(2));
    holds.settled().await;
    assert_eq!((last, holds.last()), (1, 2), "it is put behind the other");
    assert_eq!(numbers(&mut holds.after(0), 2).await, [1, 2]);
    // One that is no member any more puts nothing.
    members[0].leave().await;
    members[0].beat().await.unwrap();
    let lost = late.append(run, "".into(), 0, warning(3));
    assert!(late.flushed(lost).await.is_err());
    two.look().await.unwrap();
    assert_eq!(holds.last(), 2);
    one.look().await.unwrap();
    assert_eq!(numbers(&mut late.after(0), 2).await, [1, 2], "it follows");
}
