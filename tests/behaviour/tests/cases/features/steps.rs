//! Which steps follow each other, and where they stop.

use std::sync::Arc;

use graphloom_core_graph::{Context, Mode, Node, NodeDefaults, NodeError, Outcome, Retry, START, Snapshot, StateGraph};
use tokio::sync::Notify;

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Calls, Work, Worked, add_nodes, done, line, says, steps, warnings};

on_every_store!(
    feature_an_edge_and_a_router_to_one_node_run_it_once,
    feature_breakpoints_stop_before_and_after_their_nodes,
    feature_eager_goes_on_past_a_slow_sibling,
    feature_a_join_of_what_is_reached_does_not_starve,
    feature_nodes_are_told_what_is_left,
    feature_defaults_serve_nodes_that_state_nothing,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");

async fn feature_an_edge_and_a_router_to_one_node_run_it_once(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B]);
    graph.add_edge(START, A).add_edge(A, B);
    graph.add_conditional_edges(A, B, |_: &Work| B);
    let thread = case_store.thread(graph);
    done(thread.run(Work::update()).await);
    assert_eq!(steps(&thread).await, ["a", "b"]);
}

async fn feature_breakpoints_stop_before_and_after_their_nodes(case_store: &CaseStore) {
    for (policy, stop) in [(case_store.policy().break_before(B), "a"), (case_store.policy().break_after(B), "a b")] {
        let mut graph = StateGraph::<Work>::new("g");
        add_nodes(&mut graph, &[A, B, C]);
        graph.add_edge(START, A).add_edge(A, B).add_edge(B, C);
        let thread = case_store.thread(graph).policy(policy);
        let Outcome::Drained { state, .. } = thread.run(Work::update()).await.unwrap() else { panic!("it stops") };
        assert_eq!(state.story(), stop);
        assert_eq!(thread.state().await.unwrap().state.story(), stop);
        assert_eq!(done(thread.continue_().await).story(), "a b c", "it is passed once");
    }
}

async fn feature_eager_goes_on_past_a_slow_sibling(case_store: &CaseStore) {
    let next_ran = Arc::new(Notify::new());
    let (waits, tells) = (Arc::clone(&next_ran), next_ran);
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    graph.add_node(A, move |_: Snapshot<Work>| {
        let waits = Arc::clone(&waits);
        async move {
            waits.notified().await;
            Worked::Ok(line("slow"))
        }
    });
    graph.add_node(B, says("fast"));
    graph.add_node(C, move |_: Snapshot<Work>| {
        tells.notify_one();
        async { Worked::Ok(line("next")) }
    });
    graph.add_edge(START, A).add_edge(START, B).add_edge(B, C);
    let thread = case_store.thread(graph);
    done(thread.run(Work::update()).await);
    let steps = steps(&thread).await;
    assert_eq!((steps[0].as_str(), steps.len()), ("b", 3), "each task commits by itself: {steps:?}");
}

async fn feature_a_join_of_what_is_reached_does_not_starve(case_store: &CaseStore) {
    for (x, expected) in [(1, "c a last"), (2, "c b last"), (3, "c a b last")] {
        let mut graph = StateGraph::<Work>::new("g");
        add_nodes(&mut graph, &[A, B, C]);
        let last = Node::named("last");
        add_nodes(&mut graph, std::slice::from_ref(&last));
        graph.add_edge(START, C);
        graph.add_conditional_edges(C, [A, B], |work: &Work| {
            [(1, A), (2, B)].into_iter().filter(|(bit, _)| work.x & bit > 0).map(|(_, node)| node).collect::<Vec<_>>()
        });
        graph.add_join_reached([A, B], last);
        let thread = case_store.thread(graph);
        assert_eq!(done(thread.run(Work::update().x(x)).await).story(), expected);
        assert!(warnings(&thread).await.is_empty());
    }
}

async fn feature_nodes_are_told_what_is_left(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>, cx: Context| async move {
        let last = if cx.is_last_step() { "!" } else { "" };
        Worked::Ok(line(format!("{}{last}", cx.remaining_steps().unwrap_or(99))))
    });
    graph.add_edge(START, A);
    graph.add_conditional_edges(A, A, |work: &Work| (work.log.len() < 3).then_some(A));
    let thread = case_store.thread(graph).policy(case_store.policy().max_steps(3));
    assert_eq!(done(thread.run(Work::update()).await).story(), "2 1 0!", "the last step is the one that is");
}

async fn feature_defaults_serve_nodes_that_state_nothing(case_store: &CaseStore) {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph.defaults(NodeDefaults::default().retry(Retry::immediate(3)));
    graph.default_error_handler(|failure: graphloom_core_graph::Failure, _: Snapshot<Work>| async move {
        Worked::Ok(line(format!("handled {} after {}", failure.node, failure.attempts)))
    });
    for node in [A, B] {
        let (calls, name) = (calls.clone(), node.as_str().to_owned());
        let spec = graph.add_node(node.clone(), move |_: Snapshot<Work>| {
            calls.add(&*name);
            async { Worked::Err(NodeError::retryable("busy")) }
        });
        if node == B {
            spec.retry(Retry::immediate(1));
        }
        graph.add_edge(START, node);
    }
    let work = done(case_store.thread(graph).run(Work::update()).await);
    assert_eq!(work.log.iter().collect::<Vec<_>>(), ["handled a after 3", "handled b after 1"]);
    assert_eq!((calls.count("a"), calls.count("b")), (3, 1));
}
