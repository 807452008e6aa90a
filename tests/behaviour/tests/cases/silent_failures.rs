//! Mistakes that published runtimes pass over in silence, one case each.

use std::sync::{Arc, Barrier};

use graphloom_core_graph::checkpoint::HistoryFilter;
use graphloom_core_graph::{END, Mode, Node, RunError, START, Snapshot, StateGraph, Task};

use crate::case_store::{CaseStore, on_every_store};
use crate::work::{Work, Worked, add_nodes, done, failed, line, steps};

on_every_store!(
    silent_parallel_branches_run_one_after_the_other,
    silent_an_endless_loop_ends_as_a_success,
    silent_a_conditional_edge_from_start_runs_nothing,
    silent_two_writers_of_one_value_lose_one,
    silent_a_stored_state_changes_with_the_live_one,
    silent_a_conditional_edge_is_not_compiled,
    silent_a_long_loop_stores_no_checkpoint,
    silent_the_last_writer_by_name_wins,
    silent_an_integer_comes_back_as_a_float,
    silent_a_common_successor_runs_once_for_each_branch,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");

async fn silent_parallel_branches_run_one_after_the_other(case_store: &CaseStore) {
    const WAIT: Task<u64> = Task::named("wait");
    for mode in [Mode::Barrier, Mode::Eager] {
        // Each of the ten goes on when all ten have begun.
        let meeting = Arc::new(tokio::sync::Barrier::new(10));
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        graph.add_task(WAIT, move |_: u64, _: Snapshot<Work>| {
            let meeting = Arc::clone(&meeting);
            async move {
                meeting.wait().await;
                Worked::Ok(Work::update().sum(1))
            }
        });
        graph.add_sends(START, WAIT, |_: &Work| (0..10).map(|at| WAIT.send(at, at)).collect());
        let run = case_store.thread(graph).run(Work::update());
        assert_eq!(done(run.await).sum, 10);
    }
}

async fn silent_an_endless_loop_ends_as_a_success(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Worked::Ok(Work::update().sum(1)) });
    graph.add_edge(START, A).add_edge(A, A);
    let thread = case_store.thread(graph).policy(case_store.policy().max_steps(7));
    let error = thread.run(Work::update()).await.unwrap_err();
    assert!(matches!(error, RunError::StepLimit { limit: 7, .. }), "{error}");
    assert_eq!(thread.state().await.unwrap().state.sum, 7);
}

async fn silent_a_conditional_edge_from_start_runs_nothing(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A]);
    graph.add_conditional_edges(START, A, |_: &Work| A);
    assert_eq!(done(case_store.thread(graph).run(Work::update()).await).story(), "a");
}

async fn silent_two_writers_of_one_value_lose_one(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    for node in [A, B] {
        graph.add_node(node.clone(), |_: Snapshot<Work>| async { Worked::Ok(Work::update().x(1)) });
        graph.add_edge(START, node);
    }
    let thread = case_store.thread(graph);
    assert!(failed(thread.run(Work::update()).await).starts_with("nodes `a` and `b` both wrote `x`"));
    let state = thread.state().await.unwrap();
    assert_eq!((state.state.x, state.next), (0, vec!["a".to_owned(), "b".to_owned()]), "and the thread can be read");
}

async fn silent_a_stored_state_changes_with_the_live_one(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    for (node, text) in [(A, "first"), (B, "second")] {
        graph.add_node(node, move |_: Snapshot<Work>| async move {
            Worked::Ok(line(text).text(text).parts([(1, text.to_owned())]))
        });
    }
    graph.add_edge(START, A).add_edge(A, B);
    let thread = case_store.thread(graph);
    thread.policy(case_store.policy().break_before(B)).run(Work::update()).await.unwrap();
    let before = thread.state().await.unwrap();
    done(thread.continue_().await);
    let stored = thread.at(before.checkpoint.unwrap().number).state().await.unwrap().state;
    for then in [&before.state, &stored] {
        assert_eq!((then.story().as_str(), then.text.as_str()), ("first", "first"));
        assert_eq!(then.parts.get(&1).map(String::as_str), Some("first"));
    }
}

async fn silent_a_conditional_edge_is_not_compiled(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B]);
    graph.add_edge(START, A);
    graph.add_conditional_edges(A, B, |_: &Work| B);
    assert_eq!(done(case_store.thread(graph).run(Work::update()).await).story(), "a b");
}

async fn silent_a_long_loop_stores_no_checkpoint(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Worked::Ok(Work::update().sum(1)) });
    graph.add_edge(START, A);
    graph.add_conditional_edges(A, [A, END], |work: &Work| if work.sum < 100 { A } else { END });
    let thread = case_store.thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).sum, 100);
    let expected = if case_store.keeps_steps() { 101 } else { 1 };
    assert_eq!(thread.history(&HistoryFilter::default()).await.unwrap().len(), expected);
    assert_eq!(thread.state().await.unwrap().state.sum, 100);
}

async fn silent_the_last_writer_by_name_wins(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(Mode::Eager);
    // Both begin before either ends.
    let meeting = Arc::new(tokio::sync::Barrier::new(2));
    for node in [A, B] {
        let (meeting, name) = (Arc::clone(&meeting), node.as_str().to_owned());
        graph.add_node(node.clone(), move |_: Snapshot<Work>| {
            let (meeting, name) = (Arc::clone(&meeting), name.clone());
            async move {
                meeting.wait().await;
                Worked::Ok(Work::update().text(name))
            }
        });
        graph.add_edge(START, node);
    }
    let error = case_store.thread(graph).run(Work::update()).await.unwrap_err();
    let RunError::WriteConflict { field, task, other } = &error else { panic!("{error}") };
    let mut both = [task.as_str(), other.as_str()];
    both.sort_unstable();
    assert_eq!((field.as_str(), both), ("text", ["a", "b"]));
}

async fn silent_an_integer_comes_back_as_a_float(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, |_: Snapshot<Work>| async { Worked::Ok(Work::update().x(i64::MAX).sum((1 << 53) + 1)) });
    graph.add_edge(START, A);
    let thread = case_store.thread(graph);
    done(thread.run(Work::update()).await);
    let stored = thread.state().await.unwrap().state;
    assert_eq!((stored.x, stored.sum), (i64::MAX, (1 << 53) + 1));
}

async fn silent_a_common_successor_runs_once_for_each_branch(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    add_nodes(&mut graph, &[A, B, C]);
    graph.add_edge(START, A).add_edge(START, B).add_edge(A, C).add_edge(B, C);
    let thread = case_store.thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "a b c");
    assert_eq!(steps(&thread).await, ["a b", "c"]);
}

/// Two branches that never await meet on two threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_cpu_bound_branches_share_one_core() {
    let meeting = Arc::new(Barrier::new(2));
    let mut graph = StateGraph::<Work>::new("g");
    for node in [A, B] {
        let (meeting, name) = (Arc::clone(&meeting), node.as_str().to_owned());
        graph.add_blocking(node.clone(), move |_: Snapshot<Work>| {
            meeting.wait();
            Worked::Ok(line(&*name))
        });
        graph.add_edge(START, node);
    }
    assert_eq!(done(graph.compile().unwrap().run_once(Work::update()).await).story(), "a b");
}
