//! Breakpoints: where a run stops, what it has committed then, and that going on passes them once.

use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{Mode, Node, Outcome, RunPolicy, START, StateGraph, Thread};

use crate::log::{Work, done, failed, note, steps, threads};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");

/// `a`, then `b` three times, then `c`.
fn looping(mode: Mode) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    for (node, name) in [(A, "a"), (B, "b"), (C, "c")] {
        graph.add_node(node, note(name));
    }
    graph.add_edge(START, A).add_edge(A, B);
    graph.add_conditional_edges(B, (B, C), |work: &Work| if work.notes.len() < 4 { B } else { C });
    graph
}

/// Runs and continues until the run is done: the story at every stop.
async fn stops(thread: &Thread<Work>) -> Vec<String> {
    let mut stops = Vec::new();
    let mut outcome = thread.run(Work::update()).await.expect("the run does not fail");
    while let Outcome::Drained { state, next } = &outcome {
        stops.push(format!("{} -> {}", state.story(), next.join(",")));
        assert_eq!(thread.state().await.expect("it reads").status, ThreadStatus::Drained);
        outcome = thread.continue_().await.expect("the run does not fail");
    }
    assert_eq!(outcome.done().expect("it is done").story(), "a b b b c");
    stops
}

#[tokio::test]
async fn a_run_stops_before_and_after_the_named_nodes_each_time() {
    let cases: [(RunPolicy, &[&str]); 4] = [
        (RunPolicy::default().break_before(A), &[" -> a"]),
        (RunPolicy::default().break_before(B), &["a -> b", "a b -> b", "a b b -> b"]),
        (RunPolicy::default().break_after(B), &["a b -> b", "a b b -> b", "a b b b -> c"]),
        (RunPolicy::default().break_after((A, C)).break_before(C), &["a -> b", "a b b b -> c"]),
    ];
    for mode in [Mode::Barrier, Mode::Eager] {
        for (policy, expected) in &cases {
            let thread = threads(looping(mode)).thread("t").policy(policy.clone());
            assert_eq!(stops(&thread).await, *expected, "{mode:?} {policy:?}");
            assert_eq!(steps(&thread).await, ["a", "b", "b", "b", "c"]);
        }
    }
}

#[tokio::test]
async fn a_super_step_is_stopped_whole() {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b"), (C, "c")] {
        graph.add_node(node, note(name));
    }
    graph.add_edge(START, A).add_edge(A, B).add_edge(A, C);
    let thread = threads(graph).thread("t").policy(RunPolicy::default().break_before(C));
    let Outcome::Drained { state, next } = thread.run(Work::update()).await.unwrap() else { panic!("it stops") };
    assert_eq!((state.story().as_str(), next.join(" ").as_str()), ("a", "b c"));
    assert_eq!(done(thread.continue_().await).story(), "a b c");
}

#[tokio::test]
async fn a_breakpoint_at_no_node_is_an_error() {
    let thread = threads(looping(Mode::Barrier)).thread("t");
    let thread = thread.policy(RunPolicy::default().break_after(Node::named("z")));
    let message = failed(thread.run(Work::update()).await);
    assert!(message.contains("a breakpoint names `z`, which is no node of it; nodes: `a`, `b`, `c`"), "{message}");
}
