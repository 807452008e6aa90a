//! Tasks that are executed in another process: what is carried, which execution counts, and who leaves a task alone.
//!
//! With `GRAPHLOOM_ELSEWHERE=1` all other tests of this folder execute their tasks elsewhere, too.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use graphloom_core_graph::checkpoint::{MemoryCheckpointer, ThreadStatus};
use graphloom_core_graph::remote::{Executor, NotPortable, TaskHost, TaskLink, TaskReply, TaskRequest};
use graphloom_core_graph::simulate::{Faults, LocalExecutor, Simulator};
use graphloom_core_graph::{
    App, Cache, ChildOutcome, Compiled, Context, EventKind, Failure, Node, NodeError, Outcome, Payload, Retry, START,
    Snapshot, State, StateGraph, Task, Timeout,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::log::{Calls, Noted, Work, done, failed, note, noted};

const WORK: Node = Node::named("work");
const LAST: Node = Node::named("last");
const CHILD: Node = Node::named("child");
const PART: Task<u64> = Task::named("part");

/// The graph with its tasks executed elsewhere, by workers of this process.
fn elsewhere(graph: &Compiled<Work>) -> Compiled<Work> {
    graph.executed_by(LocalExecutor::of(graph)).expect("the state is stored")
}

fn one_node(work: impl Fn(Context) -> BoxFuture<'static, Noted> + Send + Sync + 'static) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(WORK, move |_: Snapshot<Work>, cx: Context| work(cx));
    graph.add_edge(START, WORK);
    graph
}

/// The link of a worker that says nothing.
struct Silent;

impl TaskLink for Silent {
    fn record<'l>(&'l self, _: &'l str, _: &'l [u8]) -> BoxFuture<'l, Result<(), NodeError>> {
        Box::pin(async { Ok(()) })
    }

    fn emit<'l>(&'l self, _: &'l str, _: Payload) -> BoxFuture<'l, ()> {
        Box::pin(async {})
    }

    fn heartbeat(&self) {}

    fn stopping(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    fn now(&self) -> u64 {
        0
    }
}

/// An executor that a test makes of a function, and the requests that it began.
struct Told<F> {
    execute: F,
    requests: Arc<Mutex<Vec<TaskRequest>>>,
}

impl<F> Executor for Told<F>
where
    F: Fn(TaskRequest) -> BoxFuture<'static, TaskReply> + Send + Sync + 'static,
{
    fn execute<'e>(&'e self, host: &'e TaskHost<'_>) -> BoxFuture<'e, Result<TaskReply, NodeError>> {
        Box::pin(async move {
            let request = host.begin().await;
            self.requests.lock().expect("no test panics here").push(request.clone());
            Ok((self.execute)(request).await)
        })
    }
}

/// The requests of a run.
async fn requests(graph: Compiled<Work>) -> Vec<TaskRequest> {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let own = graph.clone();
    let execute =
        move |request: TaskRequest| own.perform(request, Arc::new(()), Arc::new(Silent)).expect("its own task");
    let executor = Told { execute, requests: Arc::clone(&requests) };
    let graph = graph.executed_by(executor).expect("the state is stored");
    done(graph.with_checkpointer(MemoryCheckpointer::new()).thread("t").run(Work::update()).await);
    std::mem::take(&mut requests.lock().expect("no test panics here"))
}

fn nested() -> Compiled<Work> {
    let mut inner = StateGraph::<Work>::new("inner");
    inner.versions(3, 2);
    inner.add_task(PART, |_: u64, _: Snapshot<Work>| async { Noted::Ok(noted("part")) });
    inner.add_sends(START, PART, |_: &Work| vec![PART.send("k", 7)]);
    let mut graph = StateGraph::<Work>::new("outer");
    graph.add_subgraph(
        CHILD,
        inner.compile().expect("right"),
        |_: &Work| Work::update(),
        |child: ChildOutcome<Work>| Noted::Ok(noted(child.done()?.story())),
    );
    graph.add_node(LAST, note("last")).timeout(Timeout::attempt(Duration::from_secs(9)));
    graph.add_edge(START, CHILD).add_edge(CHILD, LAST);
    graph.compile().expect("right")
}

#[tokio::test]
async fn a_task_says_where_it_is_of_and_only_leaves_are_executed_elsewhere() {
    let requests = requests(nested()).await;
    let places: Vec<Vec<String>> = requests
        .iter()
        .map(|request| {
            let at = |place: &graphloom_core_graph::remote::NodePlace| {
                format!("{} {}.{} {}", place.graph, place.version, place.state_version, place.node)
            };
            request.place.iter().map(at).collect()
        })
        .collect();
    assert_eq!(places, [vec!["outer 1.1 child", "inner 3.2 part"], vec!["outer 1.1 last"]]);
    let [part, last] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!((part.thread.as_str(), part.ns.as_str(), part.key.as_deref()), ("t", "child:1.0", Some("k")));
    assert_eq!((part.attempt, part.execution.number(), part.deadline), (1, 1, None));
    assert!(last.deadline.is_some_and(|end| end > 9_000), "{:?}", last.deadline);
}

#[tokio::test]
async fn a_worker_leaves_what_it_does_not_know() {
    let requests = requests(nested()).await;
    let perform = |graph: &Compiled<Work>, request: &TaskRequest| {
        graph.perform(request.clone(), Arc::new(()), Arc::new(Silent)).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(perform(&nested(), &requests[0]), Ok(()));
    let mut newer = StateGraph::<Work>::new("outer");
    newer.versions(2, 1);
    newer.add_node(LAST, note("last"));
    newer.add_edge(START, LAST);
    let newer = newer.compile().unwrap();
    assert_eq!(
        perform(&newer, &requests[1]).unwrap_err(),
        "the task is of node `last` of graph `outer` in version 1 (state 1), and this process has graph `outer` in version 2 (state 1)"
    );
    assert!(perform(&newer, &requests[0]).unwrap_err().ends_with("in version 2 (state 1), without that node"));
}

#[tokio::test]
async fn a_state_with_a_field_that_is_never_stored_stays_in_place() {
    #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    struct Trip {
        city: String,
        #[state(untracked)]
        seen: u64,
    }
    let mut graph = StateGraph::<Trip>::new("trip");
    graph.add_node(WORK, |_: Snapshot<Trip>| async { Ok::<_, NodeError>(Trip::update().city("Lisbon").seen(1)) });
    graph.add_edge(START, WORK);
    let graph = graph.compile().unwrap();
    let refused = graph.executed_by(LocalExecutor::of(&graph)).unwrap_err();
    assert_eq!(refused, NotPortable { graph: "trip".into(), field: "seen".into() });
    assert!(refused.to_string().contains("the field `seen` of its state is never stored"), "{refused}");
}

#[derive(Debug, thiserror::Error)]
#[error("the service is busy")]
struct Busy;

#[tokio::test(start_paused = true)]
async fn a_retry_policy_sees_the_error_as_the_type_that_it_has_where_it_arose() {
    for (is_busy, tries) in [(true, 3), (false, 1)] {
        let calls = Calls::default();
        let seen = calls.clone();
        let mut graph = StateGraph::<Work>::new("g");
        graph
            .add_node(WORK, move |_: Snapshot<Work>| {
                seen.add("try");
                async move {
                    if is_busy {
                        return Err(NodeError::from(Busy).after(Duration::from_secs(7)));
                    }
                    Noted::Err(NodeError::retryable("something else"))
                }
            })
            .retry(Retry::exponential(3).when(|error| error.downcast_ref::<Busy>().is_some()));
        graph.add_edge(START, WORK);
        let begun = tokio::time::Instant::now();
        let message = failed(elsewhere(&graph.compile().unwrap()).run_once(Work::update()).await);
        assert_eq!(calls.count("try"), tries, "{message}");
        assert_eq!(begun.elapsed() >= Duration::from_secs(14), is_busy, "the wait that is asked for is carried, too");
    }
}

#[tokio::test]
async fn an_error_handler_is_executed_elsewhere_too() {
    let mut graph = one_node(|_| Box::pin(async { panic!("too hot") }));
    graph.add_error_handler(WORK, |failure: Failure, _: Snapshot<Work>| async move {
        Noted::Ok(noted(format!("{:?}: {}", failure.kind, failure.message)))
    });
    assert_eq!(
        done(elsewhere(&graph.compile().unwrap()).run_once(Work::update()).await).story(),
        "Panic: panicked: too hot"
    );
}

#[tokio::test]
async fn results_are_kept_where_the_run_is_driven() {
    let calls = Calls::default();
    let kept = || {
        let seen = calls.clone();
        let mut graph = StateGraph::<Work>::new("g");
        graph.add_node(WORK, move |_: Snapshot<Work>| {
            seen.add("work");
            async { Noted::Ok(noted("kept")) }
        });
        graph.add_edge(START, WORK);
        graph.add_cache(WORK, Cache::by(|_: &Work| 1));
        graph.compile().unwrap()
    };
    // The worker has a graph of its own.
    let graph = kept().executed_by(LocalExecutor::of(&kept())).unwrap();
    let app = App::from(&graph);
    for _ in 0..2 {
        assert_eq!(done(app.run_once(Work::update()).await).story(), "kept");
    }
    assert_eq!(calls.count("work"), 1);
    app.clear_cache(WORK).await.unwrap();
    done(app.run_once(Work::update()).await);
    assert_eq!(calls.count("work"), 2, "what is cleared is found nowhere");
}

#[test]
fn a_worker_says_which_graphs_it_has() {
    let versions: Vec<String> = nested().versions().iter().map(ToString::to_string).collect();
    assert_eq!(versions, ["inner 3.2", "outer 1.1"]);
}

#[tokio::test]
async fn a_worker_without_the_error_handler_leaves_the_task() {
    let failing = || one_node(|_| Box::pin(async { Noted::Err(NodeError::terminal("broken")) }));
    let mut handled = failing();
    handled.add_error_handler(WORK, |_: Failure, _: Snapshot<Work>| async { Noted::Ok(noted("handled")) });
    let executor = LocalExecutor::of(&failing().compile().unwrap());
    let graph = handled.compile().unwrap().executed_by(executor).unwrap();
    let message = failed(graph.run_once(Work::update()).await);
    assert!(message.contains("this process has no error handler of that node"), "{message}");
}

/// An executor that begins a task twice, and lets the first execution go on.
struct Twice;

impl Executor for Twice {
    fn execute<'e>(&'e self, host: &'e TaskHost<'_>) -> BoxFuture<'e, Result<TaskReply, NodeError>> {
        Box::pin(async move {
            let first = host.begin().await;
            host.record(first.execution, "step", vec![1]).await?;
            host.record(first.execution, "step", vec![1]).await.expect("the same result is taken again");
            let second = host.begin().await;
            assert!(!host.is_current(first.execution) && host.is_current(second.execution));
            for (execution, key, value) in [(first.execution, "other", 2), (second.execution, "step", 2)] {
                let refused = host.record(execution, key, vec![value]).await.expect_err("it is refused");
                assert!(refused.is_superseded(), "{key} of {execution:?}: {refused}");
            }
            host.record(second.execution, "other", vec![3]).await?;
            Ok(TaskReply::failed(first.execution, &NodeError::terminal("late")))
        })
    }
}

#[tokio::test]
async fn only_the_newest_execution_counts_and_a_step_has_one_result() {
    let graph = one_node(|_| Box::pin(async { Noted::Ok(noted("never called here")) }));
    let graph = graph.compile().unwrap().executed_by(Twice).unwrap();
    let thread = graph.with_checkpointer(MemoryCheckpointer::new()).thread("t");
    let message = failed(thread.run(Work::update()).await);
    assert!(message.ends_with("the executor gave back the reply of an execution that does not count"), "{message}");
    assert_eq!(thread.state().await.unwrap().status, ThreadStatus::Failed);
}

#[tokio::test]
async fn a_question_is_asked_from_elsewhere_and_a_worker_hears_that_its_run_is_to_stop() {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(WORK, |_: Snapshot<Work>, cx: Context| async move {
            let agreed: bool = cx.ask("agreed", "go on?").await?;
            cx.emit("waits", ()).await;
            cx.stopping().await;
            Noted::Ok(noted(format!("agreed {agreed}, and stopped")))
        })
        .asks::<bool>("agreed");
    graph.add_edge(START, WORK);
    let thread = elsewhere(&graph.compile().unwrap()).with_checkpointer(MemoryCheckpointer::new()).thread("t");
    let Outcome::Waiting(questions) = thread.run(Work::update()).await.unwrap() else { panic!("it asks") };
    let refused = questions.answer("agreed", "perhaps").unwrap_err();
    assert!(refused.to_string().contains("the answer to `agreed` does not fit"), "{refused}");
    let mut run = thread.resume(questions.answer("agreed", true).unwrap());
    while let Some(event) = run.next().await {
        if matches!(&event.kind, EventKind::Custom { name, .. } if name == "waits") {
            assert!(thread.drain());
        }
    }
    run.await.unwrap();
    assert_eq!(thread.state().await.unwrap().state.story(), "agreed true, and stopped");
}

#[tokio::test]
async fn a_question_that_is_not_declared_is_refused_where_it_is_asked() {
    let graph = one_node(|cx| {
        Box::pin(async move {
            let refused = cx.ask::<bool>("agreed", "go on?").await.unwrap_err();
            assert!(!refused.is_suspended());
            Err(refused)
        })
    });
    let message = failed(elsewhere(&graph.compile().unwrap()).run_once(Work::update()).await);
    assert!(message.contains("node `work` asks `agreed`, which it does not declare"), "{message}");
}

/// Workers that end, whose messages are lost and come twice, and a process beside the one that took its place.
#[tokio::test(start_paused = true)]
async fn whatever_happens_to_workers_and_their_messages_each_task_counts_once() {
    let calls = Calls::default();
    let seen = calls.clone();
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_task(PART, move |number: u64, _: Snapshot<Work>, cx: Context| {
            seen.add("part");
            async move {
                let one = cx.once("one", async { Ok::<i64, NodeError>(1) }).await?;
                tokio::time::sleep(Duration::from_secs(number)).await;
                let two = cx.once("two", async { Ok::<i64, NodeError>(2) }).await?;
                Noted::Ok(Work::update().count(one + two))
            }
        })
        .retry(Retry::exponential(3));
    graph.add_sends(START, PART, |_: &Work| (0..4).map(|at| PART.send(at, at)).collect());
    graph.add_node(LAST, note("last"));
    graph.add_edge(PART, LAST);
    let graph = graph.compile().unwrap();
    let faults = Faults::default().lose_message(6).repeat_message(4).end_worker(8).delay(3).sudden(60).linger(2);
    let mut crashes = 0;
    for seed in 0..60 {
        let simulator = Simulator::new(&graph).seed(seed).faults(faults).elsewhere().unwrap();
        let report = simulator.run(Work::update()).await.unwrap();
        assert_eq!((report.status, report.state.count), (ThreadStatus::Done, 12), "seed {seed}");
        assert_eq!(report.violations, Vec::<String>::new(), "seed {seed}");
        crashes += report.crashes;
    }
    assert!(crashes > 20, "{crashes}");
    let begun = calls.count("part");
    assert!(begun > 2 * 60 * 4, "workers end and are replaced: {begun}");
}
