//! Time limits of attempts and steps, and signs of life.

use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::{Context, EventKind, Node, Outcome, Retry, RunError, START, Snapshot, StateGraph, Timeout};
use tokio::sync::Notify;

use crate::case_store::{CaseStore, HeldClock, on_every_store};
use crate::work::{Calls, Work, Worked, done, failed, line};

on_every_store!(
    case_32_a_time_limit_ends_the_attempt_and_drops_what_it_made,
    case_32_an_idle_limit_is_put_off_by_signs_of_life,
    case_32_a_time_limit_of_a_step_stops_what_is_unfinished,
);

const A: Node = Node::named("a");
const OK: Node = Node::named("ok");
const FLAKY: Node = Node::named("flaky");

/// The outcome of a run whose node says when it waits: then time passes, each time this much.
async fn while_time_passes(
    case_store: &CaseStore,
    graph: StateGraph<Work>,
    waits: &Notify,
    time: Duration,
) -> Result<Outcome<Work>, RunError> {
    let clock = HeldClock::new(case_store);
    let mut run = std::pin::pin!(case_store.thread(graph).run(Work::update()).into_future());
    loop {
        tokio::select! {
            biased;
            ended = &mut run => return ended,
            () = waits.notified() => clock.advance(time).await,
        }
    }
}

async fn case_32_a_time_limit_ends_the_attempt_and_drops_what_it_made(case_store: &CaseStore) {
    let limit = Duration::from_millis(200);
    let waits = Arc::new(Notify::new());
    let mut graph = StateGraph::<Work>::new("g");
    let waiting = Arc::clone(&waits);
    graph
        .add_node(A, move |_: Snapshot<Work>, cx: Context| {
            let waiting = Arc::clone(&waiting);
            async move {
                cx.emit("attempt", cx.task().attempt).await;
                if cx.task().attempt < 3 {
                    waiting.notify_one();
                    std::future::pending::<()>().await;
                }
                Worked::Ok(line(cx.task().attempt.to_string()))
            }
        })
        .timeout(Timeout::attempt(limit))
        .retry(Retry::immediate(3));
    graph.add_edge(START, A);
    assert_eq!(done(while_time_passes(case_store, graph, &waits, limit).await).story(), "3");
}

async fn case_32_an_idle_limit_is_put_off_by_signs_of_life(case_store: &CaseStore) {
    const PAUSE: Duration = Duration::from_millis(50);
    for (beats, expected) in [(true, None), (false, Some("node `a` failed: no result within its idle limit of 200ms"))]
    {
        let waits = Arc::new(Notify::new());
        let mut graph = StateGraph::<Work>::new("g");
        let waiting = Arc::clone(&waits);
        graph
            .add_node(A, move |_: Snapshot<Work>, cx: Context| {
                let waiting = Arc::clone(&waiting);
                async move {
                    for _ in 0..9 {
                        let pause = tokio::time::sleep(PAUSE);
                        waiting.notify_one();
                        pause.await;
                        if beats {
                            cx.heartbeat();
                        }
                    }
                    Worked::Ok(line("alive"))
                }
            })
            .timeout(Timeout::idle(PAUSE * 4));
        graph.add_edge(START, A);
        let outcome = while_time_passes(case_store, graph, &waits, PAUSE).await;
        match expected {
            None => assert_eq!(done(outcome).story(), "alive"),
            Some(message) => assert_eq!(failed(outcome), message),
        }
    }
}

async fn case_32_a_time_limit_of_a_step_stops_what_is_unfinished(case_store: &CaseStore) {
    let limit = Duration::from_millis(200);
    let (calls, waits) = (Calls::default(), Arc::new(Notify::new()));
    let mut graph = StateGraph::<Work>::new("g");
    for node in [OK, FLAKY] {
        let (calls, waits, name) = (calls.clone(), Arc::clone(&waits), node.as_str().to_owned());
        graph.add_node(node.clone(), move |_: Snapshot<Work>| {
            calls.add(&*name);
            let stuck = (name == "flaky" && calls.count("flaky") == 1).then(|| Arc::clone(&waits));
            let name = name.clone();
            async move {
                if let Some(waits) = stuck {
                    waits.notify_one();
                    std::future::pending::<()>().await;
                }
                Worked::Ok(line(name))
            }
        });
        graph.add_edge(START, node);
    }
    let clock = HeldClock::new(case_store);
    let thread = case_store.thread(graph).policy(case_store.policy().step_timeout(limit));
    let mut run = thread.run(Work::update());
    // Time passes when one of the two is stuck and the other has finished.
    while let Some(event) = run.next().await {
        if matches!(&event.kind, EventKind::TaskFinished { node } if node == "ok") {
            waits.notified().await;
            clock.advance(limit).await;
        }
    }
    let error = run.await.unwrap_err();
    let RunError::StepTimeout { step: 1, unfinished, .. } = &error else { panic!("{error}") };
    assert_eq!(unfinished, &["flaky"]);
    assert_eq!(thread.state().await.unwrap().next, ["flaky"]);
    assert_eq!(done(thread.continue_().await).log.iter().collect::<Vec<_>>(), ["flaky", "ok"]);
    assert_eq!((calls.count("ok"), calls.count("flaky")), (1, 2));
}
