//! Time limits, in virtual time: what runs out of time is dropped.

use std::sync::Arc;
use std::time::Duration;

use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::{
    Context, Failure, Node, NodeError, Outcome, Retry, RunPolicy, START, Snapshot, StateGraph, Step, Task, Timeout,
};

use crate::log::{Build, Calls, Noted, Work, done, failed, noted, thread};

const WORK: Node = Node::named("work");

struct TellsDrop(Calls);

impl Drop for TellsDrop {
    fn drop(&mut self) {
        self.0.add("dropped");
    }
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_takes_too_long_is_dropped_and_may_be_repeated() {
    let calls = Calls::default();
    let mut graph = StateGraph::<Work>::new("g");
    let seen = calls.clone();
    graph
        .add_node(WORK, move |_: Snapshot<Work>, cx: Context| {
            let calls = seen.clone();
            async move {
                let _tells = TellsDrop(calls);
                if cx.task().attempt == 1 {
                    std::future::pending::<()>().await;
                }
                Noted::Ok(noted("second"))
            }
        })
        .timeout(Timeout::attempt(Duration::from_secs(3600)))
        .retry(Retry::immediate(2));
    graph.add_edge(START, WORK);
    assert_eq!(done(thread(graph).run(Work::update()).await).story(), "second");
    assert_eq!(calls.count("dropped"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_without_a_retry_fails_the_task() {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(WORK, |_: Snapshot<Work>| async {
            std::future::pending::<()>().await;
            Noted::Ok(noted("never"))
        })
        .timeout(Timeout::attempt(Duration::from_secs(2)));
    graph.add_edge(START, WORK);
    insta::assert_snapshot!(failed(thread(graph).run(Work::update()).await), @"node `work` failed: no result within its attempt limit of 2s");
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_put_the_idle_limit_off() {
    for (beats, expected) in
        [(true, Ok("alive")), (false, Err("node `work` failed: no result within its idle limit of 10s"))]
    {
        let mut graph = StateGraph::<Work>::new("g");
        graph
            .add_node(WORK, move |_: Snapshot<Work>, cx: Context| async move {
                for _ in 0..5 {
                    tokio::time::sleep(Duration::from_secs(8)).await;
                    if beats {
                        cx.heartbeat();
                    }
                }
                Noted::Ok(noted("alive"))
            })
            .timeout(Timeout::idle(Duration::from_secs(10)));
        graph.add_edge(START, WORK);
        let outcome = thread(graph).run(Work::update()).await;
        match expected {
            Ok(story) => assert_eq!(done(outcome).story(), story),
            Err(message) => assert_eq!(failed(outcome), message),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_limit_holds_for_a_node_without_a_context_after_one_with_a_context() {
    const FIRST: Node = Node::named("first");
    const STUCK: Node = Node::named("stuck");
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(FIRST, |_: Snapshot<Work>, _: Context| async { Noted::Ok(noted("first")) });
    graph
        .add_node(STUCK, |_: Snapshot<Work>| std::future::pending::<Noted>())
        .timeout(Timeout::idle(Duration::from_secs(1)));
    graph.add_edge(START, FIRST).add_edge(FIRST, STUCK);
    let run = graph.built().run_once(Work::update());
    let limited = tokio::time::timeout(Duration::from_secs(60), run).await.expect("the limit ends the run");
    assert!(failed(limited).contains("idle"));
}

#[tokio::test(start_paused = true)]
async fn a_send_may_have_its_own_time_limit_which_is_stored_with_it() {
    const PLAN: Node = Node::named("plan");
    const PART: Task<u64> = Task::named("part");
    let store: Arc<dyn Checkpointer> = Arc::new(MemoryCheckpointer::new());
    for (id, chosen) in [("by-edges", false), ("by-node", true)] {
        let open = || {
            let sends = || {
                let hour = Timeout::attempt(Duration::from_secs(3600));
                vec![PART.send("short", 60), PART.send("long", 60).timeout(hour), PART.send("quick", 1)]
            };
            let mut graph = StateGraph::<Work>::new("g");
            graph
                .add_node(PLAN, move |_: Snapshot<Work>| async move {
                    Ok::<_, NodeError>(if chosen { Step::send(sends()) } else { Step::edges() })
                })
                .may_send(PART);
            graph
                .add_task(PART, |seconds: u64, _: Snapshot<Work>, cx: Context| async move {
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    Noted::Ok(noted(cx.task().key.as_deref().unwrap_or_default()))
                })
                .timeout(Timeout::attempt(Duration::from_secs(10)));
            graph.add_error_handler(PART, |failure: Failure, _: Snapshot<Work>, cx: Context| async move {
                Noted::Ok(noted(format!("{:?} of {}", failure.kind, cx.task().key.as_deref().unwrap_or_default())))
            });
            graph.add_edge(START, PLAN);
            graph.add_sends(PLAN, PART, move |_: &Work| sends());
            graph.built().with_shared_checkpointer(Arc::clone(&store)).thread(id)
        };
        // The sends are stored, and another process runs them.
        let stopped =
            open().policy(RunPolicy::default().break_before(PART)).run(Work::update()).await.expect("it stops");
        assert!(matches!(stopped, Outcome::Drained { .. }), "{stopped:?}");
        assert_eq!(done(open().continue_().await).story(), "long quick Timeout of short", "{id}");
    }
}
