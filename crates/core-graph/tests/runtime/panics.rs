//! A panic in anything the user wrote is a terminal error of its task, never a hang, and the thread goes on from it.

use graphloom_core_graph::checkpoint::{MemoryCheckpointer, ThreadStatus};
use graphloom_core_graph::{
    ChildOutcome, Compiled, Mode, Node, NodeError, Retry, START, Snapshot, State, StateGraph, Task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::log::{Build, Noted, Work, WorkUpdate, done, failed, note, noted, thread};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const PART: Task<u64> = Task::named("part");

/// Two nodes side by side, `a` as given.
async fn message_of(build: impl Fn(&mut StateGraph<Work>)) -> String {
    let mut messages = Vec::new();
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        build(&mut graph);
        graph.add_node(B, note("b"));
        graph.add_edge(START, A).add_edge(START, B);
        let thread = thread(graph);
        messages.push(failed(thread.run(Work::update()).await));
        let state = thread.state().await.expect("the thread reads");
        assert_eq!(state.status, ThreadStatus::Failed);
        assert!(state.next.contains(&"a".to_owned()), "{:?}", state.next);
        assert!(!state.state.story().contains('a'));
        failed(thread.continue_().await);
    }
    messages.dedup();
    messages.join(" | ")
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("drop");
        }
    }
}

#[tokio::test]
async fn in_a_node() {
    let before_the_future = message_of(|graph| {
        graph.add_node(A, |work: Snapshot<Work>| {
            assert!(work.count > 100, "call");
            std::future::ready(Noted::Ok(noted("a")))
        });
    });
    assert_eq!(before_the_future.await, "node `a` failed: panicked: call");
    let inside = message_of(|graph| {
        graph
            .add_node(A, |work: Snapshot<Work>| async move {
                tokio::task::yield_now().await;
                assert!(work.count > 100, "inside");
                Noted::Ok(noted("a"))
            })
            .retry(Retry::immediate(5));
    });
    assert_eq!(inside.await, "node `a` failed: panicked: inside", "a panic is not tried again");
    let at_its_end = message_of(|graph| {
        graph.add_node(A, |_: Snapshot<Work>| async move {
            let _late = PanicsWhenDropped;
            tokio::task::yield_now().await;
            Noted::Ok(noted("a"))
        });
    });
    assert_eq!(at_its_end.await, "node `a` failed: panicked: drop");
    let blocking = message_of(|graph| {
        graph.add_blocking(A, |work: Snapshot<Work>| {
            assert!(work.count > 100, "blocking");
            Noted::Ok(noted("a"))
        });
    });
    assert_eq!(blocking.await, "node `a` failed: panicked: blocking");
}

#[tokio::test]
async fn in_a_router() {
    let message = message_of(|graph| {
        graph.add_node(A, note("a"));
        graph.add_conditional_edges(A, [B], |work: &Work| {
            assert!(work.count > 100, "router");
            B
        });
    });
    assert_eq!(message.await, "node `a` failed: its router panicked: router");
}

#[tokio::test]
async fn in_a_send_function() {
    let message = message_of(|graph| {
        graph.add_node(A, note("a"));
        graph.add_task(PART, |_: u64, _: Snapshot<Work>| async { Noted::Ok(noted("part")) });
        graph.add_sends(A, PART, |work: &Work| {
            assert!(work.count > 100, "sends");
            Vec::new()
        });
    });
    assert_eq!(message.await, "node `a` failed: its send function panicked: sends");
}

#[tokio::test]
async fn in_a_reducer() {
    let message = message_of(|graph| {
        graph.add_node(A, |_: Snapshot<Work>| async { Noted::Ok(noted("a").fragile(13)) });
    });
    assert_eq!(message.await, "node `a` failed: its reducer panicked: the reducer dislikes 13");
}

#[tokio::test]
async fn in_the_reducer_of_an_input() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    graph.add_edge(START, A);
    let thread = thread(graph);
    let expected = "node `START` failed: its reducer panicked: the reducer dislikes 13";
    assert_eq!(failed(thread.run(Work::update().fragile(13)).await), expected);
    assert_eq!(thread.state().await.unwrap().status, ThreadStatus::New, "a refused input leaves no trace");
    assert_eq!(done(thread.run(Work::update().fragile(1)).await).story(), "a");
    assert_eq!(failed(thread.run(Work::update().fragile(13)).await), expected);
    assert_eq!(thread.state().await.unwrap().status, ThreadStatus::Done);
    assert_eq!(done(thread.run(Work::update().fragile(2)).await).fragile, 3);
}

#[tokio::test]
async fn in_the_condition_of_a_retry() {
    let message = message_of(|graph| {
        graph
            .add_node(A, |_: Snapshot<Work>| async { Noted::Err(NodeError::retryable("busy")) })
            .retry(Retry::immediate(3).when(|error| panic!("when {error}")));
    });
    assert_eq!(message.await, "node `a` failed: its retry condition panicked: when busy");
}

/// A number that cannot be stored when it is 13.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
struct Unstorable(u32);

impl Serialize for Unstorable {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert!(self.0 != 13, "the serializer dislikes 13");
        self.0.serialize(serializer)
    }
}

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Kept {
    number: Unstorable,
    #[state(reduce_with = grow)]
    sum: Unstorable,
}

fn grow(sum: &mut Unstorable, by: Unstorable) {
    sum.0 += by.0;
}

/// A node that writes an update, and `b` after it or beside it.
fn storing(mode: Mode, beside: bool, update: KeptUpdate) -> StateGraph<Kept> {
    let mut graph = StateGraph::<Kept>::new("g");
    graph.mode(mode);
    graph.add_node(A, move |_: Snapshot<Kept>| {
        let update = update.clone();
        async move { Ok::<_, NodeError>(update) }
    });
    graph.add_node(B, |_: Snapshot<Kept>| async { Ok::<_, NodeError>(()) });
    graph.add_edge(START, A).add_edge(if beside { START } else { A }, B);
    graph
}

#[tokio::test]
async fn in_what_encodes_a_value() {
    for (mode, beside) in [(Mode::Barrier, false), (Mode::Barrier, true), (Mode::Eager, false), (Mode::Eager, true)] {
        let graph = storing(mode, beside, Kept::update().number(Unstorable(13))).built();
        let thread = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t");
        let error = thread.run(Kept::update()).await.unwrap_err();
        let expected = "node `a` failed: its serialization panicked: the serializer dislikes 13";
        assert_eq!(error.to_string(), expected, "{mode:?} {beside}");
        let state = thread.state().await.unwrap();
        assert_eq!((state.status, state.state.number.0), (ThreadStatus::Failed, 0));
        let refused = thread.abandon().run(Kept::update().number(Unstorable(13))).await.unwrap_err();
        let expected = "node `START` failed: its serialization panicked: the serializer dislikes 13";
        assert_eq!(refused.to_string(), expected);
    }
}

#[tokio::test]
async fn in_what_encodes_a_folded_value() {
    // Each update can be stored, and what they add up to cannot.
    let graph = storing(Mode::Barrier, false, Kept::update().sum(Unstorable(7))).built();
    let thread = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t");
    let error = thread.run(Kept::update().sum(Unstorable(6))).await.unwrap_err().to_string();
    assert!(error.contains("`sum`") && error.contains("dislikes 13"), "{error}");
    assert_eq!(thread.state().await.unwrap().state.sum.0, 6);
}

fn child() -> Compiled<Work> {
    let mut graph = StateGraph::<Work>::new("child");
    graph.add_node(A, note("inner"));
    graph.add_edge(START, A);
    graph.built()
}

fn into(child: ChildOutcome<Work>) -> Result<WorkUpdate, NodeError> {
    Ok(noted(child.done()?.story()))
}

#[tokio::test]
async fn in_the_mappings_of_a_subgraph() {
    let message = message_of(|graph| {
        graph.add_subgraph(
            A,
            child(),
            |work: &Work| {
                assert!(work.count > 100, "in");
                Work::update()
            },
            into,
        );
    });
    assert_eq!(message.await, "node `a` failed: panicked: in");
    let message = message_of(|graph| {
        let out = |child: ChildOutcome<Work>| {
            assert!(child.done()?.count > 100, "out");
            Noted::Ok(Work::update())
        };
        graph.add_subgraph(A, child(), |_: &Work| Work::update(), out);
    });
    assert_eq!(message.await, "node `a` failed: panicked: out");
}

#[tokio::test]
async fn in_a_reducer_of_a_child_leaves_the_childs_last_commit() {
    let mut inner = StateGraph::<Work>::new("child");
    inner.add_node(A, note("kept"));
    inner.add_node(B, |_: Snapshot<Work>| async { Noted::Ok(noted("lost").fragile(13)) });
    inner.add_edge(START, A).add_edge(A, B);
    let inner = inner.built();
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_subgraph(
        A,
        inner,
        |_: &Work| Work::update(),
        |child| match child {
            ChildOutcome::Failed { state, .. } => Ok(noted(state.story())),
            other => into(other),
        },
    );
    graph.add_edge(START, A);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "kept");
}
