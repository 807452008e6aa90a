//! Mistakes that other runtimes pass over in silence, one test each.

use std::time::Duration;

use graphloom_core_graph::checkpoint::HistoryFilter;
use graphloom_core_graph::{END, Node, RunPolicy, START, Snapshot, StateGraph, Task};
use tokio::time::Instant;

use crate::log::{Build, Noted, Work, done, failed, note, noted, steps, thread};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const WAIT: Task<u64> = Task::named("wait");

#[tokio::test(start_paused = true)]
async fn parallel_branches_that_run_one_after_the_other() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_task(WAIT, |_: u64, _: Snapshot<Work>| async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        Noted::Ok(Work::update().count(1))
    });
    graph.add_sends(START, WAIT, |_: &Work| (0..10).map(|at| WAIT.send(at, at)).collect());
    let began = Instant::now();
    assert_eq!(done(thread(graph).run(Work::update()).await).count, 10);
    assert_eq!(began.elapsed().as_millis(), 50);
}

#[tokio::test]
async fn an_endless_loop_that_ends_as_a_success_at_its_limit() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Noted::Ok(Work::update().count(1)) });
    graph.add_edge(START, A).add_edge(A, A);
    let compiled = graph.built();
    assert_eq!(compiled.warnings().len(), 1, "and it is a warning before it runs");
    let outcome = compiled.run_once_with(Work::update(), RunPolicy::default().max_steps(7)).await;
    assert!(failed(outcome).starts_with("the limit of 7 super-steps was reached"));
}

#[tokio::test]
async fn a_conditional_edge_from_start_that_runs_nothing() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    graph.add_conditional_edges(START, A, |_: &Work| A);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "a");
}

#[tokio::test]
async fn a_conditional_edge_that_compile_does_not_read() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    graph.add_node(B, note("b"));
    graph.add_edge(START, A);
    graph.add_conditional_edges(A, B, |_: &Work| B);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "a b");
}

#[tokio::test]
async fn two_writers_of_one_value_of_whom_one_is_dropped() {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b")] {
        graph.add_node(node, move |_: Snapshot<Work>| async move { Noted::Ok(noted(name).last(name.to_owned())) });
    }
    graph.add_edge(START, A).add_edge(START, B);
    assert!(failed(thread(graph).run(Work::update()).await).starts_with("nodes `a` and `b` both wrote `last`"));
}

#[tokio::test]
async fn a_stored_state_that_changes_with_the_live_one() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async {
        Noted::Ok(noted("a").last("first".to_owned()).parts([(1, "first".to_owned())]))
    });
    graph.add_node(B, |_: Snapshot<Work>| async {
        Noted::Ok(noted("b").last("second".to_owned()).parts([(1, "second".to_owned())]))
    });
    graph.add_edge(START, A).add_edge(A, B);
    let thread = thread(graph);
    done(thread.run(Work::update()).await);
    let then = thread.at(2).state().await.unwrap().state;
    assert_eq!((then.story().as_str(), then.last.as_str()), ("a", "first"));
    assert_eq!(then.parts.get(&1).map(String::as_str), Some("first"));
}

#[tokio::test]
async fn a_loop_that_stores_no_checkpoint() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Noted::Ok(Work::update().count(1)) });
    graph.add_edge(START, A);
    graph.add_conditional_edges(A, [A, END], |work: &Work| if work.count < 100 { A } else { END });
    let thread = thread(graph);
    done(thread.run(Work::update()).await);
    let history = thread.history(&HistoryFilter::default()).await.unwrap();
    assert_eq!(history.len(), 101);
    assert_eq!(thread.at(51).state().await.unwrap().state.count, 50);
}

#[tokio::test]
async fn an_integer_that_comes_back_as_a_float() {
    const LARGE: i64 = (1 << 53) + 1;
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Noted::Ok(Work::update().count(LARGE)) });
    graph.add_edge(START, A);
    let thread = thread(graph);
    done(thread.run(Work::update()).await);
    assert_eq!(thread.state().await.unwrap().state.count, LARGE);
}

#[tokio::test]
async fn a_common_successor_that_runs_once_for_each_branch() {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b"), (C, "c")] {
        graph.add_node(node, note(name));
    }
    graph.add_edge(START, A).add_edge(START, B).add_edge(A, C).add_edge(B, C);
    let thread = thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "a b c");
    assert_eq!(steps(&thread).await, ["a b", "c"]);
}
