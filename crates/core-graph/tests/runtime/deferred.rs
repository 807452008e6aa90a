//! Deferred nodes run when nothing else is pending or in flight.

use graphloom_core_graph::{Mode, Node, START, StateGraph};

use crate::log::{Work, done, note, steps, thread};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const B2: Node = Node::named("b2");
const B3: Node = Node::named("b3");
const SUM: Node = Node::named("sum");
const Z: Node = Node::named("a_sum");

#[tokio::test]
async fn a_deferred_node_waits_for_the_longest_branch_and_runs_once() {
    for mode in [Mode::Barrier, Mode::Eager] {
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        for (node, name) in [(A, "a"), (B, "b"), (B2, "b2"), (B3, "b3")] {
            graph.add_node(node, note(name));
        }
        graph.add_node(SUM, note("sum")).deferred();
        graph.add_edge(START, A).add_edge(START, B).add_edge(B, B2).add_edge(B2, B3).add_edge(A, SUM);
        let thread = thread(graph);
        done(thread.run(Work::update()).await);
        let steps = steps(&thread).await;
        assert_eq!(steps.last().unwrap(), "sum", "{steps:?}");
        assert_eq!(steps.iter().filter(|step| step.contains("sum")).count(), 1);
    }
}

#[tokio::test]
async fn deferred_nodes_of_different_steps_commit_by_name() {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b")] {
        graph.add_node(node, note(name));
    }
    graph.add_node(SUM, note("sum")).deferred();
    graph.add_node(Z, note("a_sum")).deferred();
    graph.add_edge(START, A).add_edge(A, B).add_edge(A, SUM).add_edge(B, Z);
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "a b a_sum sum");
    assert_eq!(steps(&thread).await, ["a", "b", "a_sum sum"]);
}
