//! Concurrency: limits of classes and runs, and blocking work on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use graphloom_core_graph::__private::FastPath;
use graphloom_core_graph::{Mode, Node, RunPolicy, START, Snapshot, StateGraph, Task};

use crate::log::{Build, Noted, Work, done, note, noted, thread};
use crate::place::only_in_place;

const PLAN: Node = Node::named("plan");
const A: Node = Node::named("a");
const B: Node = Node::named("b");
const CALL: Task<u64> = Task::named("call");
const SPIN: Task<bool> = Task::named("spin");

/// A fan-out of 20 that notes the most tasks in flight at a time.
fn crowd(mode: Mode, class: Option<usize>) -> (StateGraph<Work>, Arc<AtomicUsize>) {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    graph.add_node(PLAN, note("plan"));
    let (inside, peak) = (now, Arc::clone(&most));
    let call = graph.add_task(CALL, move |_: u64, _: Snapshot<Work>| {
        let (inside, peak) = (Arc::clone(&inside), Arc::clone(&peak));
        async move {
            peak.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            inside.fetch_sub(1, Ordering::SeqCst);
            Noted::Ok(Work::update().count(1))
        }
    });
    if class.is_some() {
        call.class("calls");
    }
    if let Some(limit) = class {
        graph.limit("calls", limit);
    }
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, CALL, |_: &Work| (0..20).map(|at| CALL.send(at, at)).collect());
    (graph, most)
}

#[tokio::test]
async fn a_class_and_a_run_are_limited() {
    if only_in_place("turns of the scheduler are counted") {
        return;
    }
    for mode in [Mode::Barrier, Mode::Eager] {
        for (class, run, expected) in
            [(None, None, 20), (Some(3), None, 3), (None, Some(2), 2), (Some(3), Some(2), 2), (Some(1), Some(9), 1)]
        {
            let (graph, most) = crowd(mode, class);
            let policy = run.map_or_else(RunPolicy::default, |tasks| RunPolicy::default().max_concurrency(tasks));
            assert_eq!(done(thread(graph).policy(policy).run(Work::update()).await).count, 20);
            assert_eq!(most.load(Ordering::SeqCst), expected, "{mode:?} {class:?} {run:?}");
        }
    }
}

#[test]
fn a_runtime_without_timers_runs_steps_of_several_tasks() {
    if only_in_place("workers need a clock") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (graph, _) = crowd(Mode::Barrier, None);
    let outcome = runtime.block_on(async { thread(graph).run(Work::update()).await });
    assert_eq!(done(outcome).count, 20);
}

/// Runs two branches of which each waits, without an await, for the other: on one thread they would never meet.
async fn two_branches_meet(wait: fn(&Barrier)) {
    let meeting = Arc::new(Barrier::new(2));
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b")] {
        let meeting = Arc::clone(&meeting);
        graph.add_node(node, move |_: Snapshot<Work>| {
            let meeting = Arc::clone(&meeting);
            async move {
                wait(&meeting);
                Noted::Ok(noted(name))
            }
        });
    }
    graph.add_edge(START, A).add_edge(START, B);
    let app = graph.built().with_context(());
    // However short the nodes were before.
    for _ in 0..3 {
        assert_eq!(done(app.run_once(Work::update()).await).story(), "a b");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_cpu_bound_branches_run_at_the_same_time() {
    two_branches_meet(|meeting| tokio::task::block_in_place(|| _ = meeting.wait())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_branches_that_block_their_threads_meet() {
    two_branches_meet(|meeting| _ = meeting.wait()).await;
    // As a task of the runtime, on one of the two threads.
    tokio::spawn(two_branches_meet(|meeting| _ = meeting.wait())).await.expect("both met");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_quick_and_computes_now_runs_on_all_cores() {
    // A task that computes does so until it has seen another one beside it, which must be started however long this one holds
    // its thread.
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (inside, peak) = (Arc::clone(&now), Arc::clone(&most));
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_task(SPIN, move |computes: bool, _: Snapshot<Work>| {
        let (inside, peak) = (Arc::clone(&inside), Arc::clone(&peak));
        async move {
            peak.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            while computes && peak.load(Ordering::SeqCst) < 2 {
                std::hint::spin_loop();
            }
            inside.fetch_sub(1, Ordering::SeqCst);
            Noted::Ok(Work::update().count(1))
        }
    });
    graph.add_sends(START, SPIN, |work: &Work| (0..8).map(|at| SPIN.send(at, work.count > 0)).collect());
    let app = graph.built().with_context(());
    for computes in [0, 0, 1] {
        most.store(0, Ordering::SeqCst);
        assert_eq!(done(app.run_once(Work::update().count(computes)).await).count, 8 + computes);
    }
    // Two met, and no more, for there are two threads.
    assert_eq!((now.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (0, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fan_out_ends_the_same_in_place_and_among_workers() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_task(CALL, |at: u64, _: Snapshot<Work>| async move {
        match at % 4 {
            0 => tokio::task::yield_now().await,
            1 => std::thread::sleep(Duration::from_micros(30)),
            _ => {}
        }
        Noted::Ok(noted(at.to_string()))
    });
    graph.add_sends(START, CALL, |_: &Work| (0..300).map(|at| CALL.send(at, at)).collect());
    let app = graph.built().with_context(());
    let expected = done(app.run_once(Work::update()).await).story();
    assert_eq!(expected.split(' ').count(), 300);
    for _ in 0..5 {
        let all = RunPolicy::default().without(FastPath::InlineDispatches);
        assert_eq!(done(app.run_once_with(Work::update(), all).await).story(), expected);
        assert_eq!(done(app.run_once(Work::update()).await).story(), expected);
    }
}

#[tokio::test]
async fn blocking_nodes_run_beside_each_other() {
    let meeting = Arc::new(Barrier::new(2));
    let mut graph = StateGraph::<Work>::new("g");
    for (node, name) in [(A, "a"), (B, "b")] {
        let meeting = Arc::clone(&meeting);
        graph.add_blocking(node, move |_: Snapshot<Work>| {
            meeting.wait();
            Noted::Ok(noted(name))
        });
    }
    graph.add_edge(START, A).add_edge(START, B);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "a b");
}
