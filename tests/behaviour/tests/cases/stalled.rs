//! Readers that stall, and ends that cannot be stored: neither keeps a run or its lease.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, ThreadStatus};
use graphloom_core_graph::{
    Context, Event, EventKind, Mode, Node, NodeError, Outcome, Run, RunError, START, Snapshot, StateGraph, Step, Task,
    Thread, Threads,
};
use tokio::sync::Notify;

use crate::case_store::{CaseStore, on_every_store, until_free};
use crate::stores::{Call, FailingStore};
use crate::work::{Work, Worked, add_nodes, done, line, status};

on_every_store!(
    feature_a_stop_ends_the_wait_for_a_reader_that_stalled_in_a_node,
    feature_a_stop_ends_the_wait_for_a_reader_that_stalled_in_a_commit,
    feature_a_stop_ends_the_wait_for_a_reader_that_stalled_in_a_fan_out,
    case_31_an_end_that_cannot_be_stored_hides_no_error_and_keeps_no_lease,
);

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const PART: Task<u64> = Task::named("part");

/// The ways to ask a run to stop from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stopped {
    Cancelled,
    Drained,
    ShutDown,
}

const STOPS: [Stopped; 3] = [Stopped::Cancelled, Stopped::Drained, Stopped::ShutDown];

impl Stopped {
    fn ask(self, thread: &Thread<Work>, threads: &Threads<Work>) {
        match self {
            Self::Cancelled => assert!(thread.cancel()),
            Self::Drained => assert!(thread.drain()),
            Self::ShutDown => threads.shutdown(),
        }
    }

    fn status(self) -> ThreadStatus {
        if self == Self::Cancelled { ThreadStatus::Cancelled } else { ThreadStatus::Drained }
    }
}

/// Lets the others run until something is so. Real time, since virtual time runs ahead of a store that has threads.
async fn until(is_so: impl AsyncFn() -> bool) {
    while !is_so().await {
        tokio::task::yield_now().await;
    }
}

/// What a reader hears that comes back after the stop: how many events, how many were lost, and the last of them.
async fn rest(run: &mut Run<Work>) -> (u64, u64, Option<Event>) {
    let (mut heard, mut lost, mut last) = (0, 0, None);
    while let Some(event) = run.next().await {
        if let EventKind::Lagged { lost: more } = event.kind {
            lost += more;
            continue;
        }
        heard += 1;
        last = Some(event);
    }
    (heard, lost, last)
}

/// Stops a run whose reader reads one event and stalls, when `calls` says that no more events find room; what the reader
/// hears when it comes back, the first event included, and what was lost.
async fn stopped(
    case_store: &CaseStore,
    stop: Stopped,
    graph: StateGraph<Work>,
    (calls, enough): (&AtomicU64, u64),
) -> (u64, u64, Thread<Work>) {
    let threads = case_store.threads(graph);
    // So that there is something left to drain from a fan-out.
    let thread = threads.thread(case_store.id()).policy(case_store.policy().max_concurrency(12));
    let mut run = thread.run(Work::update());
    run.next().await.expect("it begins");
    until(async || calls.load(Ordering::SeqCst) >= enough).await;
    stop.ask(&thread, &threads);
    until(async || status(&thread).await == stop.status()).await;
    until_free(&**threads.checkpointer(), thread.id()).await;
    let (heard, lost, last) = rest(&mut run).await;
    let ended =
        last.is_some_and(|event| matches!(event.kind, EventKind::RunEnded { status, .. } if status == stop.status()));
    assert!(ended, "the last that it hears is how the run ended");
    match run.await.expect("a stop is no failure") {
        Outcome::Cancelled { .. } => assert_eq!(stop, Stopped::Cancelled),
        Outcome::Drained { .. } => assert_ne!(stop, Stopped::Cancelled),
        other => panic!("{other:?}"),
    }
    (heard + 1, lost, thread)
}

async fn feature_a_stop_ends_the_wait_for_a_reader_that_stalled_in_a_node(case_store: &CaseStore) {
    for stop in STOPS {
        let calls = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&calls);
        let mut graph = StateGraph::<Work>::new("g");
        graph.add_node(A, move |_: Snapshot<Work>, cx: Context| {
            let calls = Arc::clone(&counter);
            async move {
                for number in 0..3000_u64 {
                    calls.fetch_add(1, Ordering::SeqCst);
                    cx.emit("n", number).await;
                }
                Worked::Ok(line("a"))
            }
        });
        add_nodes(&mut graph, &[B]);
        graph.add_edge(START, A).add_edge(A, B);
        // Three events of the run's beginning wait with 1021 of these; the next finds no room.
        let (heard, lost, thread) = stopped(case_store, stop, graph, (&calls, 1022)).await;
        let emitted = calls.load(Ordering::SeqCst);
        // The run begins and ends, its input is committed with its values, a task begins, and it may have finished and been
        // committed.
        let state = thread.state().await.unwrap().state;
        let committed = if state.story() == "a" { 4 } else { 0 };
        assert!(stop == Stopped::Cancelled || (emitted, committed) == (3000, 4), "what was in flight finishes");
        assert!(lost > 0, "{stop:?}: {heard} heard");
        assert_eq!(heard + lost, emitted + committed + 5, "{stop:?}: {lost} lost");
        assert_eq!(done(thread.continue_().await).story(), "a b");
    }
}

async fn feature_a_stop_ends_the_wait_for_a_reader_that_stalled_in_a_commit(case_store: &CaseStore) {
    for stop in STOPS {
        let calls = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&calls);
        let mut graph = StateGraph::<Work>::new("g");
        graph
            .add_node(A, move |_: Snapshot<Work>| {
                counter.fetch_add(1, Ordering::SeqCst);
                async { Ok::<_, NodeError>(Step::<Work>::goto(A).with(Work::update().sum(1))) }
            })
            .may_goto(A);
        graph.add_edge(START, A);
        // Two events of the input, five of each step: the commit of step 205 finds no room for its first.
        let (heard, lost, thread) = stopped(case_store, stop, graph, (&calls, 205)).await;
        let rounds = calls.load(Ordering::SeqCst);
        assert_eq!((heard + lost, rounds), (4 + 5 * 205, 205), "{stop:?}");
        assert!(lost > 0, "{stop:?}");
        assert_eq!(thread.state().await.unwrap().state.sum, 205, "the step that was told is committed");
    }
}

async fn feature_a_stop_ends_the_wait_for_a_reader_that_stalled_in_a_fan_out(case_store: &CaseStore) {
    for (stop, mode) in STOPS.into_iter().zip([Mode::Eager, Mode::Barrier, Mode::Eager]) {
        let calls = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&calls);
        let mut graph = StateGraph::<Work>::new("g");
        graph.mode(mode);
        add_nodes(&mut graph, &[A]);
        graph.add_task(PART, move |number: u64, _: Snapshot<Work>, cx: Context| {
            let calls = Arc::clone(&counter);
            async move {
                calls.fetch_add(1, Ordering::SeqCst);
                for at in 0..100 {
                    cx.emit("at", at).await;
                }
                Worked::Ok(Work::update().sum(1).parts([(number, String::new())]))
            }
        });
        graph.add_edge(START, A);
        graph.add_sends(A, PART, |_: &Work| (0..40).map(|at| PART.send(at, at)).collect());
        // When the eleventh part has begun, the ten before it have filled the queue, or it does.
        let (_, lost, thread) = stopped(case_store, stop, graph, (&calls, 11)).await;
        assert!(lost > 0, "{stop:?}");
        assert_eq!(done(thread.continue_().await).sum, 40, "{stop:?}: it goes on");
    }
}

/// A graph whose node leaves something behind that holds its context, and with it the session of the run.
fn clinging(fails: bool, holds: &Arc<Notify>) -> StateGraph<Work> {
    let holds = Arc::clone(holds);
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, move |_: Snapshot<Work>, cx: Context| {
        let holds = Arc::clone(&holds);
        async move {
            tokio::spawn(async move {
                holds.notified().await;
                drop(cx);
            });
            if fails { Err(NodeError::terminal("boom")) } else { Worked::Ok(line("a")) }
        }
    });
    add_nodes(&mut graph, &[B]);
    graph.add_edge(START, A).add_edge(A, B);
    graph
}

async fn case_31_an_end_that_cannot_be_stored_hides_no_error_and_keeps_no_lease(case_store: &CaseStore) {
    for fails in [true, false] {
        let store = FailingStore::new(case_store.store());
        let holds = Arc::new(Notify::new());
        let app = clinging(fails, &holds).compile().unwrap().with_context(());
        let policy = case_store.policy().break_before(B);
        let thread = app.with_shared_checkpointer(Arc::clone(&store) as _).thread(case_store.id()).policy(policy);
        store.refuse(Some(Call::Close));
        let mut run = thread.run(Work::update());
        let mut warned = String::new();
        while let Some(event) = run.next().await {
            if let EventKind::Warning { message } = event.kind {
                warned = message;
            }
        }
        let error = run.await.unwrap_err();
        if fails {
            assert!(matches!(&error, RunError::TaskFailed { node, .. } if node == "a"), "{error}");
            assert!(warned.starts_with("how the run ended could not be stored"), "{warned}");
        } else {
            assert!(matches!(&error, RunError::Checkpoint(CheckpointError::Full { .. })), "{error}");
        }
        let free = async || match store.acquire(thread.id()).await {
            Ok(lease) => {
                store.release(&lease);
                true
            }
            Err(_) => false,
        };
        until(free).await;
        store.refuse(None);
        if !fails {
            let thread = thread.policy(case_store.policy());
            let again = if case_store.keeps_steps() { thread.continue_() } else { thread.run(Work::update()) };
            assert_eq!(done(again.await).story(), "a b");
        }
        holds.notify_one();
    }
}
