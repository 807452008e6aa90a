//! Events: their order, when they reach a reader, that they say what is stored; kept results; fields stored as deltas.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use graphloom_core_graph::checkpoint::{CheckpointRow, HistoryFilter};
use graphloom_core_graph::store::{MemoryStore, Store};
use graphloom_core_graph::{
    Cache, Clock, Context, Event, EventKind, Node, NodeError, START, Snapshot, StateGraph, Thread, Threads,
};
use tokio::sync::Notify;

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Calls, Work, Worked, add_nodes, done, failed, line};

on_every_store!(
    case_67_events_come_in_a_fixed_order,
    case_68_a_custom_event_is_heard_before_its_node_goes_on,
    case_70_told_checkpoints_are_the_stored_ones,
    case_71_a_kept_result_stands_for_a_run_until_it_expires,
    case_72_deltas_are_the_same_as_whole_values,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");

fn two() -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B]);
    graph.add_edge(START, A).add_edge(A, B);
    graph
}

fn told(event: &Event) -> String {
    match &event.kind {
        EventKind::RunStarted { how, .. } => format!("run by {how}"),
        EventKind::TaskStarted { node, .. } => format!("start {node}"),
        EventKind::TaskFinished { node } => format!("finish {node}"),
        EventKind::Update { node, .. } => format!("update {node}"),
        EventKind::Committed { checkpoint, next, .. } => format!("checkpoint {checkpoint} -> {}", next.join(",")),
        EventKind::Values { payload } => format!("values {}", payload.json()["log"]),
        EventKind::RunEnded { status, .. } => format!("ended {status:?}"),
        other => format!("{other:?}"),
    }
}

async fn case_67_events_come_in_a_fixed_order(case_store: &CaseStore) {
    let thread = case_store.thread(two());
    let mut run = thread.run(Work::update());
    let mut all = Vec::new();
    while let Some(event) = run.next().await {
        all.push(told(&event));
    }
    done(run.await);
    let expected = [
        "run by input",
        "checkpoint 1 -> a",
        "values []",
        "start a",
        "finish a",
        "update a",
        "checkpoint 2 -> b",
        r#"values ["a"]"#,
        "start b",
        "finish b",
        "update b",
        "checkpoint 3 -> ",
        r#"values ["a","b"]"#,
        "ended Done",
    ];
    assert_eq!(all, expected);
}

async fn case_68_a_custom_event_is_heard_before_its_node_goes_on(case_store: &CaseStore) {
    let heard = Arc::new(Notify::new());
    let waits = Arc::clone(&heard);
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, move |_: Snapshot<Work>, cx: Context| {
        let waits = Arc::clone(&waits);
        async move {
            for part in 0..3 {
                cx.emit("part", part).await;
                waits.notified().await;
            }
            Worked::Ok(line("a"))
        }
    });
    graph.add_edge(START, A);
    let thread = case_store.thread(graph);
    let mut run = thread.run(Work::update());
    let mut parts = 0;
    while let Some(event) = run.next().await {
        if let EventKind::Custom { payload, .. } = &event.kind {
            assert_eq!(payload.json(), parts, "the node waits until this one is heard");
            parts += 1;
            heard.notify_one();
        }
    }
    assert_eq!((parts, done(run.await).story().as_str()), (3, "a"));
}

/// Checkpoints that a run tells, as it ends.
async fn checkpoints_told(mut run: graphloom_core_graph::Run<Work>) -> Vec<(u64, Option<u64>)> {
    let mut all = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::Committed { checkpoint, .. } = event.kind {
            all.push((checkpoint, event.seq));
        }
    }
    done(run.await);
    all
}

async fn case_70_told_checkpoints_are_the_stored_ones(case_store: &CaseStore) {
    let thread = case_store.thread(two());
    let mut all = checkpoints_told(thread.run(Work::update())).await;
    thread.update_state(A, line("edit")).await.unwrap();
    all.extend(checkpoints_told(thread.continue_()).await);
    let edited = thread.state().await.unwrap().checkpoint.unwrap().number;
    all.extend(checkpoints_told(thread.at(edited - 1).replay()).await);
    let journal = thread.journal(0, usize::MAX).await.unwrap();
    let stored: Vec<_> = journal
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Committed { checkpoint, .. } => Some((*checkpoint, event.seq)),
            _ => None,
        })
        .collect();
    assert!(all.iter().all(|told| stored.contains(told)), "{all:?} are in {stored:?}");
    let rows = thread.history(&HistoryFilter::default()).await.unwrap();
    let is_stored = |number: u64| rows.iter().any(|row| row.number == number);
    let last_of_each_call = [all[2].0, edited, all[all.len() - 1].0];
    assert!(last_of_each_call.into_iter().all(is_stored));
    if case_store.keeps_steps() {
        assert!(all.iter().all(|(number, _)| is_stored(*number)));
    }
    let chained = |row: &CheckpointRow| row.parent.is_none_or(is_stored);
    assert!(rows.iter().all(chained), "{rows:?}");
}

/// A clock that a case sets.
#[derive(Clone, Debug, Default)]
struct ManualClock(Arc<AtomicU64>);

impl Clock for ManualClock {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs a new thread and tells whether a kept result stood for the node.
async fn hit(case_store: &CaseStore, threads: &Threads<Work>, x: i64) -> bool {
    let mut run = threads.thread(case_store.id()).policy(case_store.policy()).run(Work::update().x(x));
    let mut hit = false;
    while let Some(event) = run.next().await {
        hit |= matches!(event.kind, EventKind::TaskCached { .. });
    }
    assert_eq!(done(run.await).story(), format!("for {x}"));
    hit
}

async fn case_71_a_kept_result_stands_for_a_run_until_it_expires(case_store: &CaseStore) {
    let (hands, calls) = (ManualClock::default(), Calls::default());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(Arc::new(hands.clone())));
    let mut graph = StateGraph::<Work>::new("g");
    let seen = calls.clone();
    graph.add_node(A, move |work: Snapshot<Work>| {
        seen.add(work.x.to_string());
        let x = work.x;
        async move { if x == 13 { Err(NodeError::terminal("unlucky")) } else { Worked::Ok(line(format!("for {x}"))) } }
    });
    graph.add_cache(A, Cache::by(|work: &Work| work.x).ttl(Duration::from_secs(1)));
    graph.add_edge(START, A);
    let threads = case_store.threads(graph).with_store(store);
    assert!(!hit(case_store, &threads, 1).await);
    assert!(hit(case_store, &threads, 1).await, "across runs");
    assert!(!hit(case_store, &threads, 2).await, "another input");
    hands.0.store(1000, Ordering::Relaxed);
    assert!(!hit(case_store, &threads, 1).await, "it has expired");
    assert!(hit(case_store, &threads, 1).await);
    threads.clear_cache(A).await.unwrap();
    assert!(!hit(case_store, &threads, 1).await, "it was cleared");
    for _ in 0..2 {
        failed(threads.thread(case_store.id()).run(Work::update().x(13)).await);
    }
    assert_eq!(calls.count("13"), 2, "a failure is not kept");
}

/// Every turn logs its number twice, in a field stored as deltas and in one stored whole.
fn turns() -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "u"), (B, "r")] {
        graph.add_node(node, move |work: Snapshot<Work>| async move {
            let entry = format!("{name}{:-<60}", work.x);
            let mut whole = work.whole.clone();
            whole.push(entry.clone());
            let update = line(entry).whole(whole);
            Worked::Ok(if name == "r" { update.x(work.x + 1) } else { update })
        });
    }
    graph.add_edge(START, A).add_edge(A, B);
    graph
}

fn assert_equal(work: &Work) {
    assert_eq!(work.log.iter().cloned().collect::<Vec<_>>(), work.whole);
}

/// Bytes of the newest record of a field at each of its versions.
async fn bytes(case_store: &CaseStore, thread: &Thread<Work>, field: &str) -> usize {
    let store = case_store.store();
    let mut versions = std::collections::BTreeSet::new();
    for row in thread.history(&HistoryFilter::default()).await.unwrap() {
        versions.extend(row.fields.of(field));
    }
    let mut bytes = 0;
    for version in versions {
        let chain = store.field(thread.id(), "", field, version).await.unwrap();
        bytes += chain.last().map_or(0, |record| record.payload.bytes().len());
    }
    bytes
}

async fn case_72_deltas_are_the_same_as_whole_values(case_store: &CaseStore) {
    let thread = case_store.thread(turns());
    let mut fourth = 0;
    for turn in 0..12 {
        let work = done(thread.run(Work::update()).await);
        assert_equal(&work);
        let stored = thread.state().await.unwrap();
        assert_equal(&stored.state);
        assert_eq!(stored.state.log.len(), 2 * (turn + 1));
        if turn == 4 {
            fourth = stored.checkpoint.unwrap().number;
        }
    }
    for row in thread.history(&HistoryFilter::default()).await.unwrap() {
        assert_equal(&thread.at(row.number).state().await.unwrap().state);
    }
    let (deltas, whole) = (bytes(case_store, &thread, "log").await, bytes(case_store, &thread, "whole").await);
    assert!(deltas * 2 < whole, "{deltas} against {whole} bytes");

    thread.at(fourth).fork().await.unwrap();
    let mut whole: Vec<_> = (0..5).flat_map(|at| [format!("u{at:-<60}"), format!("r{at:-<60}")]).collect();
    whole.push("fork".to_owned());
    thread.update_state(A, line("fork").whole(whole)).await.unwrap();
    assert_equal(&thread.state().await.unwrap().state);
    let work = done(thread.continue_().await);
    assert_equal(&work);
    assert_eq!(work.story().replace('-', ""), "u0 r0 u1 r1 u2 r2 u3 r3 u4 r4 fork r5");
}
