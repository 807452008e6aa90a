//! Kept results of nodes: when one stands for another run, how long, and what is never kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::{MemoryStore, Store};
use graphloom_core_graph::{
    Cache, Clock, Context, END, EventKind, Node, NodeError, START, Snapshot, StateGraph, Step, Task, Threads,
};

use crate::log::{Build, Calls, Noted, Work, done, failed, note, noted};

const COSTLY: Node = Node::named("costly");
const AFTER: Node = Node::named("after");
const PART: Task<u64> = Task::named("part");

/// A clock that a test sets.
#[derive(Clone, Debug, Default)]
struct Hands(Arc<AtomicU64>);

impl Clock for Hands {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// `costly` notes `last`, by which its results are kept for a second.
fn graph(calls: &Calls) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    let calls = calls.clone();
    graph
        .add_node(COSTLY, move |work: Snapshot<Work>| {
            calls.add(work.last.clone());
            let told = format!("for-{}", work.last);
            async move { Ok::<_, NodeError>(Step::goto(AFTER).with(noted(told).count(1))) }
        })
        .may_goto((AFTER, END));
    graph.add_cache(COSTLY, Cache::by(|work: &Work| work.last.clone()).ttl(Duration::from_secs(1)));
    graph.add_node(AFTER, note("after"));
    graph.add_edge(START, COSTLY);
    graph
}

fn threads(graph: StateGraph<Work>, store: Arc<dyn Store>) -> Threads<Work> {
    graph.built().with_checkpointer(MemoryCheckpointer::new()).with_store(store)
}

/// Runs a thread and tells its story, and whether a kept result was told.
async fn story(threads: &Threads<Work>, id: &str, last: &str) -> (String, bool) {
    let mut run = threads.thread(id).run(Work::update().last(last));
    let mut hit = false;
    while let Some(event) = run.next().await {
        hit |= matches!(event.kind, EventKind::TaskCached { node } if node == "costly");
    }
    (done(run.await).story(), hit)
}

#[tokio::test]
async fn a_result_stands_for_runs_of_the_same_key_until_it_expires_or_is_cleared() {
    let (calls, hands) = (Calls::default(), Hands::default());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(Arc::new(hands.clone())));
    let threads = threads(graph(&calls), Arc::clone(&store));
    let expected = ("for-x after".to_owned(), false);
    assert_eq!(story(&threads, "1", "x").await, expected);
    assert_eq!(story(&threads, "2", "x").await, (expected.0.clone(), true), "update and goto are those of the first");
    assert_eq!(story(&threads, "3", "y").await, ("for-y after".to_owned(), false), "another key");
    assert_eq!(calls.all(), ["x", "y"]);

    // Another program over the same store finds it too; one of another state version does not.
    let again = self::threads(graph(&calls), Arc::clone(&store));
    assert!(story(&again, "1", "x").await.1);
    let mut newer = graph(&calls);
    newer.versions(1, 2);
    assert!(!story(&self::threads(newer, store), "1", "x").await.1);
    assert_eq!(calls.count("x"), 2);

    hands.0.store(1000, Ordering::Relaxed);
    assert_eq!(story(&threads, "4", "x").await, expected, "it has expired");
    assert!(story(&threads, "5", "x").await.1);
    assert_eq!(threads.clear_cache(COSTLY).await.unwrap(), 1);
    assert_eq!(story(&threads, "6", "x").await, expected, "it was cleared");
    assert_eq!(calls.count("x"), 4);
}

#[tokio::test]
async fn without_a_store_results_live_as_long_as_the_graph() {
    let calls = Calls::default();
    let app = graph(&calls).built().with_context(());
    for _ in 0..3 {
        assert_eq!(done(app.run_once(Work::update().last("x")).await).story(), "for-x after");
    }
    assert_eq!(calls.count("x"), 1);
    assert_eq!(app.clear_cache(COSTLY).await.unwrap(), 1);
    done(app.run_once(Work::update().last("x")).await);
    assert_eq!(calls.count("x"), 2);
}

#[tokio::test]
async fn a_failure_is_not_kept_and_a_task_node_is_kept_by_its_input() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let told = calls.clone();
    graph.add_task(PART, move |part: u64, _: Snapshot<Work>, cx: Context| {
        told.add(part.to_string());
        async move {
            let number: u64 = cx.once("number", async { Ok::<_, NodeError>(part * 10) }).await?;
            if part == 13 { Err(NodeError::terminal("unlucky")) } else { Noted::Ok(noted(number.to_string())) }
        }
    });
    graph.add_cache(PART, Cache::by(|_| ()));
    graph.add_sends(START, PART, |work: &Work| {
        (0..work.count).map(|at| PART.send(at, [1, 2, 1, 13][at as usize])).collect()
    });
    let threads = threads(graph, Arc::new(MemoryStore::new()));
    assert_eq!(done(threads.thread("1").run(Work::update().count(2)).await).story(), "10 20");
    assert_eq!(done(threads.thread("2").run(Work::update().count(3)).await).story(), "10 20 10");
    assert_eq!(calls.all().len(), 2);
    for thread in ["3", "4"] {
        assert!(failed(threads.thread(thread).run(Work::update().count(4)).await).contains("unlucky"));
    }
    assert_eq!(calls.count("13"), 2);
}

#[tokio::test]
async fn a_subgraph_is_called_once_for_each_of_its_keys() {
    let calls = Calls::default();
    let child = || {
        let (mut graph, calls) = (StateGraph::<Work>::new("child"), calls.clone());
        graph.add_node(COSTLY, move |work: Snapshot<Work>| {
            calls.add(work.last.clone());
            let told = format!("for-{}", work.last);
            async move { Ok::<_, NodeError>(noted(told)) }
        });
        graph.add_node(AFTER, note("after"));
        graph.add_edge(START, COSTLY).add_edge(COSTLY, AFTER);
        graph.built()
    };
    let build = || {
        let mut graph = StateGraph::<Work>::new("g");
        let into = |work: &Work| Work::update().last(work.last.clone());
        graph.add_subgraph(COSTLY, child(), into, |child| Noted::Ok(noted(child.done()?.story())));
        graph.add_cache(COSTLY, Cache::by(|work: &Work| work.last.clone()));
        graph.add_edge(START, COSTLY);
        graph
    };
    let app = build().built().with_context(());
    let threads = threads(build(), Arc::new(MemoryStore::new()));
    for at in ["1", "2"] {
        assert_eq!(done(app.run_once(Work::update().last("x")).await).story(), "for-x after");
        assert_eq!(done(threads.thread(at).run(Work::update().last("y")).await).story(), "for-y after");
    }
    assert_eq!(calls.all(), ["x", "y"]);
}
