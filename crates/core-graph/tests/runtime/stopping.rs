//! Cancel, drain, drop, detach, shutdown: what is stored, and that the thread goes on.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{CheckpointError, ThreadStatus};
use graphloom_core_graph::{Mode, Node, Outcome, RunError, START, Snapshot, StateGraph, Thread, Threads};
use tokio::sync::Notify;

use crate::log::{Calls, Noted, Work, done, note, noted, threads};
use crate::place::only_in_place;

const SLOW: Node = Node::named("slow");
const FAST: Node = Node::named("fast");
const NEXT: Node = Node::named("next");

struct Gate {
    started: Arc<Notify>,
    open: Arc<Notify>,
    calls: Calls,
}

struct TellsDrop(Calls, bool);

impl Drop for TellsDrop {
    fn drop(&mut self) {
        if self.1 {
            self.0.add("dropped");
        }
    }
}

/// `slow` tells that it has started and waits to be let through; `wide` runs `fast` beside it.
fn gated(mode: Mode, wide: bool) -> (Threads<Work>, Gate) {
    let gate = Gate { started: Arc::default(), open: Arc::default(), calls: Calls::default() };
    let mut graph = StateGraph::<Work>::new("g");
    graph.mode(mode);
    let (started, open, calls) = (Arc::clone(&gate.started), Arc::clone(&gate.open), gate.calls.clone());
    graph.add_node(SLOW, move |_: Snapshot<Work>| {
        let (started, open, calls) = (Arc::clone(&started), Arc::clone(&open), calls.clone());
        async move {
            calls.add("slow");
            let mut tells = TellsDrop(calls, true);
            started.notify_one();
            open.notified().await;
            tells.1 = false;
            Noted::Ok(noted("slow"))
        }
    });
    graph.add_node(NEXT, note("next"));
    graph.add_edge(START, SLOW).add_edge(SLOW, NEXT);
    if wide {
        let calls = gate.calls.clone();
        graph.add_node(FAST, move |_: Snapshot<Work>| {
            calls.add("fast");
            async { Noted::Ok(noted("fast")) }
        });
        graph.add_edge(START, FAST);
    }
    (threads(graph), gate)
}

async fn status(thread: &Thread<Work>) -> ThreadStatus {
    thread.state().await.expect("the thread reads").status
}

#[tokio::test]
async fn cancel_drops_what_is_in_flight_and_keeps_what_has_finished() {
    if only_in_place("turns of the scheduler are counted") {
        return;
    }
    for mode in [Mode::Barrier, Mode::Eager] {
        for wide in [false, true] {
            let (threads, gate) = gated(mode, wide);
            let thread = threads.thread("t");
            let run = thread.run(Work::update()).start();
            gate.started.notified().await;
            tokio::task::yield_now().await;
            assert!(thread.cancel());
            let outcome = run.await.unwrap();
            let Outcome::Cancelled { next, .. } = outcome else { panic!("{outcome:?}") };
            assert_eq!(next, ["slow"], "what has finished is not next");
            assert_eq!(thread.state().await.unwrap().next, ["slow"]);
            assert_eq!(gate.calls.count("dropped"), 1);
            assert_eq!(status(&thread).await, ThreadStatus::Cancelled);
            assert!(!thread.cancel(), "there is no run any more");
            gate.open.notify_one();
            let work = done(thread.continue_().await);
            assert!(work.story().ends_with("slow next"), "{}", work.story());
            assert_eq!(gate.calls.count("slow"), 2);
            assert!(gate.calls.count("fast") <= 1, "what had finished is kept");
        }
    }
}

#[tokio::test]
async fn drain_lets_what_is_in_flight_finish_and_commit() {
    for mode in [Mode::Barrier, Mode::Eager] {
        for wide in [false, true] {
            let (threads, gate) = gated(mode, wide);
            let thread = threads.thread("t");
            let run = thread.run(Work::update()).start();
            gate.started.notified().await;
            threads.shutdown();
            gate.open.notify_one();
            let outcome = run.await.unwrap();
            let Outcome::Drained { next, state } = outcome else { panic!("{outcome:?}") };
            assert_eq!(next, ["next"]);
            assert!(state.story().contains("slow"));
            assert_eq!(status(&thread).await, ThreadStatus::Drained);
            assert!(done(thread.continue_().await).story().ends_with("next"));
            assert_eq!((gate.calls.count("slow"), gate.calls.count("dropped")), (1, 0));
        }
    }
}

#[tokio::test]
async fn a_dropped_run_is_cancelled_and_says_so_in_the_store() {
    let (threads, gate) = gated(Mode::Barrier, false);
    let thread = threads.thread("t");
    let run = thread.run(Work::update()).start();
    gate.started.notified().await;
    drop(run);
    while status(&thread).await == ThreadStatus::Running {
        tokio::task::yield_now().await;
    }
    assert_eq!(status(&thread).await, ThreadStatus::Cancelled);
    gate.open.notify_one();
    assert_eq!(done(thread.continue_().await).story(), "slow next");
}

#[tokio::test]
async fn a_run_that_is_never_started_does_nothing() {
    let (threads, _gate) = gated(Mode::Barrier, false);
    drop(threads.thread("t").run(Work::update()));
    assert_eq!(status(&threads.thread("t")).await, ThreadStatus::New);
}

#[tokio::test]
async fn a_run_dropped_while_it_starts_leaves_a_thread_that_goes_on() {
    let (threads, gate) = gated(Mode::Barrier, false);
    let thread = threads.thread("t");
    drop(thread.run(Work::update()).start());
    while status(&thread).await != ThreadStatus::Cancelled {
        tokio::task::yield_now().await;
    }
    gate.open.notify_one();
    assert_eq!(done(thread.continue_().await).story(), "slow next");
}

#[tokio::test]
async fn a_detached_run_goes_on_by_itself() {
    let (threads, gate) = gated(Mode::Barrier, false);
    let thread = threads.thread("t");
    let handle = thread.run(Work::update()).detach();
    gate.started.notified().await;
    gate.open.notify_one();
    while status(&thread).await != ThreadStatus::Done {
        tokio::task::yield_now().await;
    }
    handle.cancel();
    assert_eq!(status(&thread).await, ThreadStatus::Done, "too late is no harm");
}

#[tokio::test]
async fn a_second_run_of_a_thread_is_refused_and_does_not_disturb_the_first() {
    let (threads, gate) = gated(Mode::Barrier, false);
    let thread = threads.thread("t");
    let first = thread.run(Work::update()).start();
    gate.started.notified().await;
    for second in [thread.run(Work::update()), thread.continue_(), thread.resume(Default::default())] {
        let refused = second.await.unwrap_err();
        assert!(matches!(refused, RunError::Checkpoint(CheckpointError::ThreadBusy { .. })), "{refused}");
    }
    let refused = thread.update_state(NEXT, Work::update()).await.unwrap_err();
    assert!(matches!(refused, RunError::Checkpoint(CheckpointError::ThreadBusy { .. })), "{refused}");
    gate.open.notify_one();
    assert_eq!(done(first.await).story(), "slow next");
    assert_eq!(status(&threads.thread("other")).await, ThreadStatus::New);
}

#[tokio::test]
async fn a_reader_that_goes_away_does_not_hold_the_run_up() {
    // More events than the queue holds.
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(FAST, |_: Snapshot<Work>| async { Noted::Ok(Work::update().count(1)) });
    graph.add_edge(START, FAST);
    graph.add_conditional_edges(FAST, [FAST, NEXT], |work: &Work| if work.count < 2000 { FAST } else { NEXT });
    graph.add_node(NEXT, note("next"));
    let threads = threads(graph);
    let thread = threads.thread("dropped");
    let mut run = thread.run(Work::update());
    run.next().await.unwrap();
    drop(run);
    while status(&thread).await != ThreadStatus::Cancelled {
        tokio::task::yield_now().await;
    }
    let thread = threads.thread("detached");
    let mut run = thread.run(Work::update());
    run.next().await.unwrap();
    run.detach();
    while status(&thread).await != ThreadStatus::Done {
        tokio::task::yield_now().await;
    }
}
