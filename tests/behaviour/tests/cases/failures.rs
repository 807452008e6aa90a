//! Failure and recovery: pending writes, retries, error handlers, failing stores, death.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, ThreadStatus};
use graphloom_core_graph::{
    Context, Durability, EventKind, Failure, Node, NodeError, Retry, RunError, START, Snapshot, StateGraph, Step,
    Thread, Threads,
};
use tokio::sync::Notify;

use crate::case_store::{CaseStore, on_every_store, until_free};
use crate::stores::{CALLS, FailingStore};
use crate::work::{Calls, Work, Worked, add_nodes, done, failed, line, says, status, steps, waiting};

on_every_store!(
    case_24_a_finished_sibling_of_a_failure_does_not_run_again,
    case_25_an_input_after_a_failure_runs_everything_again,
    case_26_attempts_and_waits_are_counted,
    case_26_writes_of_failed_attempts_never_appear,
    case_28_siblings_of_a_failure_finish,
    case_28_siblings_of_a_question_finish_and_do_not_run_again,
    case_29_a_dead_process_goes_on_from_its_last_durable_step,
    case_31_an_error_of_the_store_is_the_error_of_the_run,
    case_34_a_handler_takes_over_in_the_same_step_and_leads_on,
    case_34_a_death_in_a_handler_leads_back_to_the_handler,
    case_34_two_failures_have_their_own_handlers,
    case_34_a_question_is_no_failure,
);

const A: Node = Node::named("a");
const OK: Node = Node::named("ok");
const FLAKY: Node = Node::named("flaky");
const AFTER: Node = Node::named("after");
const NEVER: Node = Node::named("never");
const ASK: Node = Node::named("ask");

/// `ok` beside `flaky`, which fails until it is mended.
fn flaky(calls: &Calls, mended: &Arc<AtomicBool>) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    for node in [OK, FLAKY] {
        let (calls, mended, name) = (calls.clone(), Arc::clone(mended), node.as_str().to_owned());
        graph.add_node(node.clone(), move |_: Snapshot<Work>| {
            calls.add(&*name);
            let fails = name == "flaky" && !mended.load(Ordering::SeqCst);
            let result = if fails { Err(NodeError::terminal("boom")) } else { Worked::Ok(line(&*name)) };
            async move { result }
        });
        graph.add_edge(START, node);
    }
    graph
}

async fn case_24_a_finished_sibling_of_a_failure_does_not_run_again(case_store: &CaseStore) {
    let (calls, mended) = (Calls::default(), Arc::new(AtomicBool::new(false)));
    let thread = case_store.thread(flaky(&calls, &mended));
    assert_eq!(failed(thread.run(Work::update()).await), "node `flaky` failed: boom");
    let state = thread.state().await.unwrap();
    assert_eq!((state.status, state.state.story().as_str()), (ThreadStatus::Failed, ""), "the step is not committed");
    assert!(state.next.contains(&"flaky".to_owned()), "{:?}", state.next);
    assert_eq!(state.detail, "node `flaky` failed: boom");
    mended.store(true, Ordering::SeqCst);
    assert_eq!(done(thread.continue_().await).story(), "flaky ok");
    assert_eq!((calls.count("ok"), calls.count("flaky")), (1, 2));
    assert_eq!(steps(&thread).await, ["flaky ok"], "one step, as if nothing had happened");
    let history = thread.history(&Default::default()).await.unwrap();
    assert_eq!(history.iter().map(|row| row.step).collect::<Vec<_>>(), [1, 0]);
}

async fn case_25_an_input_after_a_failure_runs_everything_again(case_store: &CaseStore) {
    let (calls, mended) = (Calls::default(), Arc::new(AtomicBool::new(false)));
    let thread = case_store.thread(flaky(&calls, &mended));
    failed(thread.run(Work::update()).await);
    mended.store(true, Ordering::SeqCst);
    let refused = thread.run(line("in")).await.unwrap_err();
    assert!(matches!(refused, RunError::WrongStatus { status: ThreadStatus::Failed, .. }), "{refused}");
    assert_eq!(done(thread.abandon().run(line("in")).await).story(), "in flaky ok");
    assert_eq!((calls.count("ok"), calls.count("flaky")), (2, 2), "what `ok` had made is dropped");
}

/// A node that fails some times before it logs its attempt.
fn failing(graph: &mut StateGraph<Work>, calls: &Calls, times: u32, error: fn() -> NodeError, retry: Retry) {
    let calls = calls.clone();
    graph
        .add_node(A, move |_: Snapshot<Work>, cx: Context| {
            let calls = calls.clone();
            async move {
                calls.add("try");
                if cx.task().attempt <= times { Err(error()) } else { Worked::Ok(line(cx.task().attempt.to_string())) }
            }
        })
        .retry(retry);
    graph.add_edge(START, A);
}

async fn case_26_attempts_and_waits_are_counted(case_store: &CaseStore) {
    let mut policy = Retry::exponential(5).after(Duration::from_millis(50));
    (policy.jitter, policy.max) = (0.0, Duration::from_millis(120));
    let (calls, mut graph) = (Calls::default(), StateGraph::<Work>::new("g"));
    failing(&mut graph, &calls, 9, || NodeError::retryable("busy"), policy);
    let thread = case_store.thread(graph);
    assert_eq!(failed(thread.run(Work::update()).await), "node `a` failed after 5 attempts: busy");
    assert_eq!(calls.count("try"), 5);
    let waits: Vec<_> = thread
        .journal(0, usize::MAX)
        .await
        .unwrap()
        .into_iter()
        .filter_map(|event| if let EventKind::TaskRetry { delay, .. } = event.kind { Some(delay) } else { None })
        .collect();
    assert_eq!(waits, [50, 100, 120, 120]);

    let (calls, mut graph) = (Calls::default(), StateGraph::<Work>::new("g"));
    failing(&mut graph, &calls, 9, || NodeError::terminal("wrong"), Retry::immediate(3));
    failed(case_store.thread(graph).run(Work::update()).await);
    assert_eq!(calls.count("try"), 1, "no retry mends it");
}

async fn case_26_writes_of_failed_attempts_never_appear(case_store: &CaseStore) {
    let (calls, mut graph) = (Calls::default(), StateGraph::<Work>::new("g"));
    failing(&mut graph, &calls, 2, || NodeError::retryable("busy"), Retry::immediate(3));
    let thread = case_store.thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "3");
    assert_eq!((calls.count("try"), steps(&thread).await.len()), (3, 1));
}

async fn case_28_siblings_of_a_failure_finish(case_store: &CaseStore) {
    let calls = Calls::default();
    let failing = Arc::new(Notify::new());
    let mut graph = StateGraph::<Work>::new("g");
    let (tells, first) = (Arc::clone(&failing), Arc::new(AtomicBool::new(true)));
    graph.add_node(FLAKY, move |_: Snapshot<Work>| {
        tells.notify_one();
        let fails = first.swap(false, Ordering::SeqCst);
        async move { if fails { Err(NodeError::terminal("boom")) } else { Worked::Ok(line("flaky")) } }
    });
    let slow = calls.clone();
    graph.add_node(OK, move |_: Snapshot<Work>| {
        let (waits, slow) = (Arc::clone(&failing), slow.clone());
        async move {
            waits.notified().await;
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            slow.add("slow");
            Worked::Ok(line("ok"))
        }
    });
    graph.add_edge(START, FLAKY).add_edge(START, OK);
    let thread = case_store.thread(graph);
    assert_eq!(failed(thread.run(Work::update()).await), "node `flaky` failed: boom");
    assert_eq!(calls.count("slow"), 1, "its work is not thrown away");
    assert_eq!(done(thread.continue_().await).story(), "flaky ok");
    assert_eq!(calls.count("slow"), 1, "and not done twice");
}

async fn case_28_siblings_of_a_question_finish_and_do_not_run_again(case_store: &CaseStore) {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("go", &()).await?;
            Worked::Ok(line(answer))
        })
        .asks::<String>("go");
    let slow = calls.clone();
    graph.add_node(OK, move |_: Snapshot<Work>| {
        let slow = slow.clone();
        async move {
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            slow.add("slow");
            Worked::Ok(line("ok"))
        }
    });
    graph.add_edge(START, ASK).add_edge(START, OK);
    let thread = case_store.thread(graph);
    let questions = waiting(thread.run(Work::update()).await);
    assert_eq!(calls.count("slow"), 1);
    assert_eq!(done(thread.resume(questions.answer("go", "yes").unwrap()).await).story(), "yes ok");
    assert_eq!(calls.count("slow"), 1);
}

/// Six nodes in a row; in the fourth the process dies, once.
fn mortal(calls: &Calls, reached: &Arc<Notify>) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    let mut before = START;
    for number in 0..6 {
        let node = Node::owned(format!("n{number}"));
        let (calls, reached) = (calls.clone(), Arc::clone(reached));
        graph.add_node(node.clone(), move |_: Snapshot<Work>| {
            let (calls, reached) = (calls.clone(), Arc::clone(&reached));
            async move {
                calls.add(number.to_string());
                if number == 3 && calls.count("3") == 1 {
                    reached.notify_one();
                    std::future::pending::<()>().await;
                }
                Worked::Ok(line(number.to_string()))
            }
        });
        graph.add_edge(before, node.clone());
        before = node;
    }
    graph
}

/// Threads of a graph in a given store.
fn threads_in(store: Arc<dyn Checkpointer>, graph: StateGraph<Work>) -> Threads<Work> {
    graph.compile().expect("the graph is right").with_shared_checkpointer(store)
}

/// A run whose process dies when told; afterwards the same thread in another process.
async fn killed(case_store: &CaseStore, graph: impl Fn() -> StateGraph<Work>, reached: &Notify) -> Thread<Work> {
    let store = FailingStore::new(case_store.store());
    let id = case_store.id();
    let thread = threads_in(Arc::clone(&store) as _, graph()).thread(id.clone()).policy(case_store.policy());
    let run = thread.run(Work::update()).start();
    reached.notified().await;
    store.die().await;
    drop(run);
    let store = case_store.opened_again().await;
    until_free(&*store, &id).await;
    threads_in(store, graph()).thread(id).policy(case_store.policy())
}

async fn case_29_a_dead_process_goes_on_from_its_last_durable_step(case_store: &CaseStore) {
    let (calls, reached) = (Calls::default(), Arc::new(Notify::new()));
    let again = killed(case_store, || mortal(&calls, &reached), &reached).await;
    let before = calls.all();
    assert_eq!(before, ["0", "1", "2", "3"]);
    if case_store.durability == Durability::Exit {
        let refused = again.continue_().await.unwrap_err();
        assert!(matches!(refused, RunError::WrongStatus { status: ThreadStatus::New, .. }), "{refused}");
        return;
    }
    let durable = again.state().await.unwrap().state.log.len();
    assert_eq!(done(again.continue_().await).story(), "0 1 2 3 4 5");
    let ran = &calls.all()[before.len()..];
    let expected: Vec<_> = (durable..6).map(|number| number.to_string()).collect();
    assert_eq!(ran, expected, "nothing before the last durable step runs again");
    assert!(durable <= 3);
    if case_store.durability == Durability::Sync {
        assert_eq!(durable, 3);
    }
}

async fn case_31_an_error_of_the_store_is_the_error_of_the_run(case_store: &CaseStore) {
    for call in CALLS {
        let store = FailingStore::new(case_store.store());
        let mut graph = StateGraph::<Work>::new("g");
        add_nodes(&mut graph, &[A, AFTER]);
        graph.add_edge(START, A).add_edge(A, AFTER);
        let thread = threads_in(Arc::clone(&store) as _, graph).thread(case_store.id()).policy(case_store.policy());
        // A thread with a history, so that there is something to read.
        assert_eq!(done(thread.run(Work::update()).await).story(), "a after");
        store.refuse(Some(call));
        let error = thread.run(Work::update()).await.unwrap_err();
        assert!(
            matches!(&error, RunError::Checkpoint(CheckpointError::Full { path, .. }) if *path == format!("{call:?}")),
            "{call:?}: {error}"
        );
        store.refuse(None);
        let again = match status(&thread).await {
            ThreadStatus::Done => thread.run(Work::update()),
            _ => thread.continue_(),
        };
        assert_eq!(done(again.await).story(), "a after a after", "{call:?}: the thread goes on");
    }
}

async fn case_34_a_handler_takes_over_in_the_same_step_and_leads_on(case_store: &CaseStore) {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let tried = calls.clone();
    graph
        .add_node(FLAKY, move |_: Snapshot<Work>| {
            tried.add("flaky");
            async { Worked::Err(NodeError::retryable("busy")) }
        })
        .retry(Retry::immediate(2))
        .may_goto(AFTER);
    add_nodes(&mut graph, &[OK, AFTER, NEVER]);
    graph.add_edge(START, FLAKY).add_edge(START, OK).add_edge(FLAKY, NEVER);
    graph.add_error_handler(FLAKY, |failure: Failure, _: Snapshot<Work>| async move {
        Ok::<_, NodeError>(Step::goto(AFTER).with(line(format!("handled-{}-{}", failure.attempts, failure.message))))
    });
    let thread = case_store.thread(graph);
    assert_eq!(done(thread.run(Work::update()).await).story(), "handled-2-busy ok after");
    assert_eq!(calls.count("flaky"), 2);
    assert_eq!(steps(&thread).await, ["flaky ok", "after"]);
}

async fn case_34_a_death_in_a_handler_leads_back_to_the_handler(case_store: &CaseStore) {
    let (calls, reached) = (Calls::default(), Arc::new(Notify::new()));
    let graph = || {
        let mut graph = StateGraph::<Work>::new("g");
        add_nodes(&mut graph, &[A]);
        let tried = calls.clone();
        graph.add_node(FLAKY, move |_: Snapshot<Work>| {
            tried.add("node");
            async { Worked::Err(NodeError::terminal("broken")) }
        });
        graph.add_edge(START, A).add_edge(A, FLAKY);
        let (handling, reached) = (calls.clone(), Arc::clone(&reached));
        graph.add_error_handler(FLAKY, move |failure: Failure, _: Snapshot<Work>| {
            handling.add("handler");
            let (first, reached) = (handling.count("handler") == 1, Arc::clone(&reached));
            async move {
                if first {
                    reached.notify_one();
                    std::future::pending::<()>().await;
                }
                Worked::Ok(line(failure.message))
            }
        });
        graph
    };
    let again = killed(case_store, graph, &reached).await;
    if !case_store.keeps_steps() {
        assert_eq!(status(&again).await, ThreadStatus::New, "nothing was stored");
        return;
    }
    assert_eq!(done(again.continue_().await).story(), "a broken");
    if case_store.durability == Durability::Sync {
        assert_eq!((calls.count("node"), calls.count("handler")), (1, 2));
    }
}

async fn case_34_two_failures_have_their_own_handlers(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    // The handler of `a` ends when that of `flaky` has begun, and the other way round.
    let meeting = Arc::new(tokio::sync::Barrier::new(2));
    for node in [A, FLAKY] {
        let name = node.as_str().to_owned();
        graph.add_node(node.clone(), move |_: Snapshot<Work>| {
            let name = name.clone();
            async move { Worked::Err(NodeError::terminal(name)) }
        });
        let meeting = Arc::clone(&meeting);
        graph.add_error_handler(node.clone(), move |failure: Failure, _: Snapshot<Work>| {
            let meeting = Arc::clone(&meeting);
            async move {
                meeting.wait().await;
                Worked::Ok(line(format!("handled-{}", failure.message)))
            }
        });
        graph.add_edge(START, node);
    }
    assert_eq!(done(case_store.thread(graph).run(Work::update()).await).story(), "handled-a handled-flaky");
}

async fn case_34_a_question_is_no_failure(case_store: &CaseStore) {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(ASK, |_: Snapshot<Work>, cx: Context| async move {
            let answer: String = cx.ask("go", &()).await?;
            Worked::Ok(line(answer))
        })
        .asks::<String>("go");
    graph.add_edge(START, ASK);
    graph.add_error_handler(ASK, |_: Failure, _: Snapshot<Work>| async { Worked::Ok(line("handled")) });
    graph.add_node(OK, says("ok"));
    graph.add_edge(ASK, OK);
    let thread = case_store.thread(graph);
    let questions = waiting(thread.run(Work::update()).await);
    assert_eq!(done(thread.resume(questions.answer("go", "Ada").unwrap()).await).story(), "Ada ok");
}
