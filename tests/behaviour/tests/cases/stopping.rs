//! Drain and cancel: what is kept, what is next, that it goes on.

use std::sync::{Arc, OnceLock};

use graphloom_core_graph::checkpoint::{CheckpointError, ThreadStatus};
use graphloom_core_graph::{ChildOutcome, Node, NodeError, Outcome, RunError, START, Snapshot, StateGraph, Thread};
use tokio::sync::Notify;

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Work, Worked, add_nodes, done, line, status};

on_every_store!(
    case_35_a_drain_stops_after_the_step_and_the_run_goes_on,
    case_35_a_drain_in_the_last_node_is_a_normal_end,
    case_35_a_drain_from_inside_a_subgraph_stops_the_whole_run,
    case_37_a_cancelled_run_still_writes_what_it_has,
    case_74_a_second_run_of_a_thread_is_refused,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const CHILD: Node = Node::named("child");

/// A node that drains its own thread.
fn add_draining(graph: &mut StateGraph<Work>, node: Node, thread: &Arc<OnceLock<Thread<Work>>>) {
    let (thread, name) = (Arc::clone(thread), node.as_str().to_owned());
    graph.add_node(node, move |_: Snapshot<Work>| {
        assert!(thread.get().expect("the test sets it").drain(), "there is a run to drain");
        let update = line(name.clone());
        async move { Worked::Ok(update) }
    });
}

async fn case_35_a_drain_stops_after_the_step_and_the_run_goes_on(case_store: &CaseStore) {
    let own = Arc::new(OnceLock::new());
    let mut graph = StateGraph::<Work>::new("g");
    add_draining(&mut graph, A, &own);
    add_nodes(&mut graph, &[B]);
    graph.add_edge(START, A).add_edge(A, B);
    let thread = case_store.thread(graph);
    own.set(thread.clone()).expect("once");
    let Outcome::Drained { state, next } = thread.run(Work::update()).await.unwrap() else { panic!("it is drained") };
    assert_eq!((state.story().as_str(), next.join(" ").as_str()), ("a", "b"));
    let stored = thread.state().await.unwrap();
    assert_eq!((stored.status, stored.state.story().as_str()), (ThreadStatus::Drained, "a"));
    assert_eq!(done(thread.continue_().await).story(), "a b");
}

async fn case_35_a_drain_in_the_last_node_is_a_normal_end(case_store: &CaseStore) {
    let own = Arc::new(OnceLock::new());
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A]);
    add_draining(&mut graph, B, &own);
    graph.add_edge(START, A).add_edge(A, B);
    let thread = case_store.thread(graph);
    own.set(thread.clone()).expect("once");
    assert_eq!(done(thread.run(Work::update()).await).story(), "a b");
    assert_eq!(status(&thread).await, ThreadStatus::Done);
}

async fn case_35_a_drain_from_inside_a_subgraph_stops_the_whole_run(case_store: &CaseStore) {
    let own = Arc::new(OnceLock::new());
    let mut inner = StateGraph::<Work>::new("inner");
    add_draining(&mut inner, A, &own);
    add_nodes(&mut inner, &[B]);
    inner.add_edge(START, A).add_edge(A, B);
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_subgraph(
        CHILD,
        inner.compile().unwrap(),
        |_: &Work| Work::update(),
        |child: ChildOutcome<Work>| Worked::Ok(line(child.done()?.story())),
    );
    graph.add_edge(START, CHILD);
    let thread = case_store.thread(graph);
    own.set(thread.clone()).expect("once");
    let Outcome::Drained { next, .. } = thread.run(Work::update()).await.unwrap() else { panic!("it is drained") };
    assert_eq!(next, ["child"]);
    assert_eq!(done(thread.continue_().await).log.iter().collect::<Vec<_>>(), ["a b"], "`a` did not run again");
}

/// `a`, then `b`, which waits for the test.
fn held() -> (StateGraph<Work>, Arc<Notify>, Arc<Notify>) {
    let (reached, open) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A]);
    let (tells, waits) = (Arc::clone(&reached), Arc::clone(&open));
    graph.add_node(B, move |_: Snapshot<Work>| {
        let (tells, waits) = (Arc::clone(&tells), Arc::clone(&waits));
        async move {
            tells.notify_one();
            waits.notified().await;
            Ok::<_, NodeError>(line("b"))
        }
    });
    graph.add_edge(START, A).add_edge(A, B);
    (graph, reached, open)
}

async fn case_37_a_cancelled_run_still_writes_what_it_has(case_store: &CaseStore) {
    let (graph, reached, open) = held();
    let thread = case_store.thread(graph);
    let run = thread.run(Work::update()).start();
    reached.notified().await;
    assert!(thread.cancel());
    let Outcome::Cancelled { state, next } = run.await.unwrap() else { panic!("it is cancelled") };
    assert_eq!((state.story().as_str(), next.join(" ").as_str()), ("a", "b"));
    let stored = thread.state().await.unwrap();
    assert_eq!((stored.status, stored.state.story().as_str()), (ThreadStatus::Cancelled, "a"));
    open.notify_one();
    assert_eq!(done(thread.continue_().await).story(), "a b");
}

async fn case_74_a_second_run_of_a_thread_is_refused(case_store: &CaseStore) {
    let (graph, reached, open) = held();
    let threads = case_store.threads(graph);
    let id = case_store.id();
    let thread = threads.thread(id.clone()).policy(case_store.policy());
    let first = thread.run(Work::update()).start();
    reached.notified().await;
    for second in [thread.run(Work::update()), threads.thread(id).continue_()] {
        let refused = second.await.unwrap_err();
        assert!(matches!(refused, RunError::Checkpoint(CheckpointError::ThreadBusy { .. })), "{refused}");
    }
    open.notify_one();
    assert_eq!(done(first.await).story(), "a b");
    let history = thread.history(&Default::default()).await.unwrap();
    assert_eq!(history.len(), if case_store.keeps_steps() { 3 } else { 1 }, "one root, one branch");
    assert_eq!(history.iter().filter(|row| row.parent.is_none()).count(), 1);
}
