//! Super-steps: siblings do not see each other, writes commit in a fixed order, conflicts name both writers.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{END, Node, START, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::log::{Build, Noted, Work, done, failed, note, noted, steps, thread};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");

#[tokio::test]
async fn siblings_see_the_state_before_their_step() {
    let mut graph = StateGraph::<Work>::new("g");
    let look = |name: &'static str| {
        move |work: Snapshot<Work>| async move { Noted::Ok(noted(format!("{name}{}", work.notes.len()))) }
    };
    graph.add_node(A, look("a"));
    graph.add_node(B, look("b"));
    graph.add_node(C, look("c"));
    graph.add_edge(START, A).add_edge(START, B).add_edge(A, C).add_edge(B, C).add_edge(C, END);
    let thread = thread(graph);
    let work = done(thread.run(Work::update()).await);
    assert_eq!(work.story(), "a0 b0 c2");
    assert_eq!(steps(&thread).await, ["a b", "c"], "two triggers of one step run `c` once");
}

#[tokio::test]
async fn writes_commit_by_name_whoever_finishes_first() {
    let mut graph = StateGraph::<Work>::new("g");
    let turn = Arc::new(Notify::new());
    let (waits, tells) = (Arc::clone(&turn), turn);
    graph.add_node(A, move |_: Snapshot<Work>| {
        let turn = Arc::clone(&waits);
        async move {
            turn.notified().await;
            Noted::Ok(noted("a"))
        }
    });
    graph.add_node(B, move |_: Snapshot<Work>| {
        tells.notify_one();
        async { Noted::Ok(noted("b")) }
    });
    graph.add_edge(START, B).add_edge(START, A);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "a b");
}

#[tokio::test]
async fn two_writers_of_a_last_value_are_an_error_naming_both_and_the_thread_lives_on() {
    let mut graph = StateGraph::<Work>::new("g");
    let peaceful = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let write = |name: &'static str| {
        let peaceful = Arc::clone(&peaceful);
        move |_: Snapshot<Work>| {
            let quiet = name == "b" && peaceful.load(std::sync::atomic::Ordering::SeqCst);
            async move { Noted::Ok(if quiet { noted(name) } else { noted(name).last(name.to_owned()) }) }
        }
    };
    graph.add_node(A, write("a"));
    graph.add_node(B, write("b"));
    graph.add_edge(START, A).add_edge(START, B);
    let thread = thread(graph);
    insta::assert_snapshot!(failed(thread.run(Work::update()).await), @"nodes `a` and `b` both wrote `last`, which has no reducer; give it one (`append`, `merge`, `add`, `reduce_with`), or let one node write it");
    assert!(thread.state().await.unwrap().state.story().is_empty(), "nothing of the step is committed");
    assert_eq!(thread.state().await.unwrap().next, ["a", "b"]);

    peaceful.store(true, std::sync::atomic::Ordering::SeqCst);
    let work = done(thread.continue_().await);
    assert_eq!((work.story().as_str(), work.last.as_str()), ("a b", "a"));
}

#[tokio::test]
async fn an_input_folds_onto_the_state_of_a_done_thread() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Noted::Ok(Work::update().count(10)) });
    graph.add_edge(START, A);
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update().count(1)).await).count, 11);
    assert_eq!(done(thread.run(Work::update().count(1)).await).count, 22);
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Hinted {
    #[state(append)]
    seen: graphloom_core_graph::Log<Option<u32>>,
    #[state(ephemeral)]
    hint: Option<u32>,
}

/// Four nodes in a row that tell the hint which they see. The second one leaves one.
fn hinting() -> StateGraph<Hinted> {
    let mut graph = StateGraph::<Hinted>::new("g");
    let see = |hint: Option<Option<u32>>| {
        move |state: Snapshot<Hinted>| {
            let update = Hinted::update().seen([state.hint]);
            let update = match hint {
                Some(hint) => update.hint(hint),
                None => update,
            };
            async move { Ok::<_, graphloom_core_graph::NodeError>(update) }
        }
    };
    graph.add_node(A, see(None));
    graph.add_node(B, see(Some(Some(2))));
    graph.add_node(C, see(None));
    const D: Node = Node::named("d");
    graph.add_node(D, see(None));
    graph.add_edge(START, A).add_edge(A, B).add_edge(B, C).add_edge(C, D);
    graph
}

#[tokio::test]
async fn an_ephemeral_field_lives_for_one_step() {
    let state = hinting().built().run_once(Hinted::update().hint(Some(1))).await.unwrap().done().unwrap();
    let seen: Vec<_> = state.seen.iter().copied().collect();
    assert_eq!(seen, [Some(1), None, Some(2), None], "of the input for `a`, of `b` for `c`");
}

#[tokio::test]
async fn an_ephemeral_field_lives_for_one_step_after_a_fork() {
    let store = MemoryCheckpointer::new();
    let process = || hinting().built().with_checkpointer(store.clone()).thread("t");
    process().run(Hinted::update().hint(Some(1))).await.unwrap().done().unwrap();
    // Checkpoint 3 has what `b` left. Each call is a process of its own.
    for from in [3, 6] {
        process().at(from).fork().await.unwrap();
    }
    let state = process().continue_().await.unwrap().done().unwrap();
    assert_eq!(state.seen.iter().copied().collect::<Vec<_>>(), [Some(1), None, Some(2), None]);
    assert_eq!(state.hint, None);
}

#[tokio::test]
async fn a_thousand_steps_are_a_thousand_checkpoints() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Noted::Ok(Work::update().count(1)) });
    graph.add_edge(START, A);
    graph.add_conditional_edges(A, [A, END], |work: &Work| if work.count < 1000 { A } else { END });
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).count, 1000);
    assert_eq!(thread.history(&Default::default()).await.unwrap().len(), 1001, "the input and every step");
    assert_eq!(thread.state().await.unwrap().state.count, 1000, "read back from the store");
}

#[tokio::test]
async fn a_node_without_an_update_still_goes_on() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Ok::<(), graphloom_core_graph::NodeError>(()) });
    graph.add_node(B, note("b"));
    graph.add_edge(START, A).add_edge(A, B);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "b");
}
