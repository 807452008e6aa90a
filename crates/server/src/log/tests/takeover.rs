//! A log of a thread that one process took over from another.

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::Source;
use graphloom_core_graph::store::{Expected, Item, Namespace, NamespaceFilter, PutOptions, Query, StoreError};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::*;

/// The store of a process that stands still at its next write, until it is let go on.
struct Pausing {
    store: Arc<dyn Store>,
    arrived: Notify,
    goes_on: Notify,
}

#[async_trait]
impl Store for Pausing {
    async fn put(&self, namespace: &Namespace, key: &str, value: Value, options: PutOptions) -> Result<(), StoreError> {
        self.store.put(namespace, key, value, options).await
    }

    async fn put_if(
        &self,
        namespace: &Namespace,
        key: &str,
        value: Value,
        options: PutOptions,
        expected: &Expected,
    ) -> Result<bool, StoreError> {
        self.arrived.notify_one();
        self.goes_on.notified().await;
        self.store.put_if(namespace, key, value, options, expected).await
    }

    async fn get(&self, namespace: &Namespace, key: &str) -> Result<Option<Item>, StoreError> {
        self.store.get(namespace, key).await
    }

    async fn delete(&self, namespace: &Namespace, key: &str) -> Result<bool, StoreError> {
        self.store.delete(namespace, key).await
    }

    async fn query(&self, query: &Query) -> Result<Vec<Item>, StoreError> {
        self.store.query(query).await
    }

    async fn list_namespaces(&self, filter: &NamespaceFilter) -> Result<Vec<Namespace>, StoreError> {
        self.store.list_namespaces(filter).await
    }

    async fn sweep(&self) -> Result<u64, StoreError> {
        self.store.sweep().await
    }
}

/// It looked whether it holds the thread, stood still, and lost the thread before its segment arrived.
#[tokio::test]
async fn a_segment_that_was_on_its_way_when_the_thread_was_taken_over_is_not_stored() {
    for is_first in [true, false] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let join = async || Member::join(&store, Cluster::new(), Vec::new()).await.unwrap();
        let members = [join().await, join().await];
        let pausing = Arc::new(Pausing { store: Arc::clone(&store), arrived: Notify::new(), goes_on: Notify::new() });
        let one = Logs::new(Arc::clone(&pausing) as Arc<dyn Store>, Some(Arc::clone(&members[0])));
        let two = Logs::new(Arc::clone(&store), Some(Arc::clone(&members[1])));
        let (thread, run) = (Uuid::now_v7(), Uuid::now_v7());
        let late = one.open(thread).await.unwrap();
        late.write_on(members[0].id(), WriteFrom::Newest, None).await.unwrap();
        let mut stored = 0;
        if !is_first {
            pausing.goes_on.notify_one();
            stored = late.append(run, "".into(), 0, warning(1));
            late.flushed(stored).await.unwrap();
            pausing.arrived.notified().await;
        }
        let lost = late.append(run, "".into(), 0, warning(stored + 1));
        pausing.arrived.notified().await;

        // The others removed it: it is a new member from its next heartbeat on.
        members[0].leave().await;
        members[0].beat().await.unwrap();
        let holds = two.open(thread).await.unwrap();
        holds.write_on(members[1].id(), WriteFrom::TakenOver, None).await.unwrap();
        assert_eq!(holds.last(), stored, "what was on its way is not there");
        pausing.goes_on.notify_one();
        assert!(late.flushed(lost).await.is_err(), "it is not stored");
        // The same is told again by the process that took the thread over.
        let last = holds.append(run, "".into(), 0, warning(stored + 1));
        holds.flushed(last).await.unwrap();
        assert_eq!(last, stored + 1, "it is told once");
        one.look().await.unwrap();
        for log in [&late, &holds, &Logs::new(Arc::clone(&store), None).open(thread).await.unwrap()] {
            for from in 0..last {
                let expected: Vec<_> = (from + 1..=last).collect();
                assert_eq!(numbers(&mut log.after(from), expected.len()).await, expected);
            }
            assert!(log.after(last).ready().await.unwrap().is_none());
        }
    }
}

#[tokio::test]
async fn a_log_of_which_nothing_is_told_is_not_there_after_it_was_taken_over() {
    let (one, two, members) = shared().await;
    let thread = Uuid::now_v7();
    let log = one.open(thread).await.unwrap();
    log.write_on(members[0].id(), WriteFrom::TakenOver, None).await.unwrap();
    assert!(!two.is_there(thread).await.unwrap());
    log.flushed(log.append(Uuid::nil(), "".into(), 0, warning(1))).await.unwrap();
    assert!(two.is_there(thread).await.unwrap());
}

#[tokio::test]
async fn states_are_read_whole_where_processes_take_turns_at_writing() {
    let (one, two, members) = shared().await;
    let (thread, run) = (Uuid::now_v7(), Uuid::now_v7());
    let logs = [one.open(thread).await.unwrap(), two.open(thread).await.unwrap()];
    let state = |seq: u64| {
        let list: Vec<_> = (0..seq).map(|n| format!("{n} {}", "x".repeat(400))).collect();
        json!({"list": list}).as_object().unwrap().clone()
    };
    let mut seq = 0;
    for (turn, from) in [WriteFrom::Newest, WriteFrom::Newest, WriteFrom::Newest, WriteFrom::TakenOver]
        .into_iter()
        .cycle()
        .take(12)
        .enumerate()
    {
        let (writes, other) = (&logs[turn % 2], &logs[(turn + 1) % 2]);
        other.follow();
        writes.write_on(members[turn % 2].id(), from, None).await.unwrap();
        for _ in 0..4 {
            seq += 1;
            let (source, values) = (Source::Step, state(seq));
            let commit = CommitOf { number: seq, parent: None, source, changed: vec![], next: vec![], values };
            writes.flushed(writes.append(run, "".into(), 0, LogEvent::Commit(commit))).await.unwrap();
        }
        let again = Logs::new(Arc::clone(&one.store), None).open(thread).await.unwrap();
        for from in 0..seq {
            let mut tail = again.after(from);
            for number in from + 1..=seq {
                let entry = tail.next().await.unwrap().unwrap();
                let LogEvent::Commit(commit) = &entry.event else { panic!("{:?}", entry.event) };
                assert_eq!((entry.seq, &commit.values), (number, &state(number)), "from {from}, turn {turn}");
            }
        }
    }
}
