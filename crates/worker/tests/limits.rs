//! Limits of classes over all processes, and which task comes first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use graphloom_core_graph::{Compiled, Context, Node, NodeError, Outcome, START, Snapshot, State, StateGraph, Task};
use graphloom_postgres_server::Server;
use graphloom_worker::{QueueOptions, QueueStatus, TaskQueue, Worker};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::Connection;
use tokio::sync::{Barrier, Semaphore};

use crate::pages::until;

const PLAN: Node = Node::named("plan");
const CALL: Task<u64> = Task::named("call");

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Calls {
    name: String,
    parts: u64,
    #[state(add)]
    done: u64,
}

/// What all workers of the test share.
#[derive(Debug)]
struct CallCounts {
    running: AtomicUsize,
    most: AtomicUsize,
    began: Mutex<Vec<String>>,
    /// As many calls must run beside each other as meet here.
    meeting: Barrier,
    /// Calls of the run of this name need a permit to end.
    held: &'static str,
    permits: Semaphore,
}

impl CallCounts {
    fn new(meeting: usize, held: &'static str) -> Arc<Self> {
        let (running, most, began) = <(AtomicUsize, AtomicUsize, Mutex<Vec<String>>)>::default();
        let (meeting, permits) = (Barrier::new(meeting), Semaphore::new(0));
        Arc::new(Self { running, most, began, meeting, held, permits })
    }

    /// How many calls of a run have begun.
    fn begun(&self, name: &str) -> usize {
        self.began.lock().expect("no test panics here").iter().filter(|begun| *begun == name).count()
    }
}

impl Default for CallCounts {
    fn default() -> Self {
        Arc::into_inner(Self::new(1, "nobody")).expect("it has one owner")
    }
}

/// A plan, and calls of a class of which one run has as many at a time as it likes.
fn graph() -> Compiled<Calls, Arc<CallCounts>> {
    let mut graph = StateGraph::<Calls, Arc<CallCounts>>::new("calls");
    graph.limit("calls", 100);
    graph.add_node(PLAN, |_: Snapshot<Calls>| async { Ok::<_, NodeError>(()) });
    graph
        .add_task(CALL, |_: u64, calls: Snapshot<Calls>, cx: Context<Arc<CallCounts>>| async move {
            let seen = cx.resources();
            seen.began.lock().expect("no test panics here").push(calls.name.clone());
            let now = seen.running.fetch_add(1, Ordering::SeqCst) + 1;
            seen.most.fetch_max(now, Ordering::SeqCst);
            seen.meeting.wait().await;
            if calls.name == seen.held {
                seen.permits.acquire().await.expect("it is open").forget();
            }
            // More than there may be would run beside each other meanwhile.
            tokio::time::sleep(Duration::from_millis(10)).await;
            seen.running.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, NodeError>(Calls::update().done(1))
        })
        .class("calls");
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, CALL, |calls: &Calls| (0..calls.parts).map(|part| CALL.send(part, part)).collect());
    graph.compile().expect("the graph is right")
}

/// Begins a worker in this process.
async fn work(server: &Server, seen: &Arc<CallCounts>, places: usize) -> tokio::task::AbortHandle {
    let worker = Worker::connect(&server.url(), &options()).await.expect("a worker").concurrency(places);
    let worker = worker.serve(graph().with_context(Arc::new(Arc::clone(seen))));
    tokio::spawn(worker.run(std::future::pending())).abort_handle()
}

fn options() -> QueueOptions {
    // Nobody is taken for dead, however busy the machine is, and what is left of those who go is soon found.
    QueueOptions::default().heartbeat(Duration::from_secs(5)).limit("calls", 3)
}

/// A process that drives runs, and how it does so.
async fn driven(queue: TaskQueue) -> graphloom_core_graph::App<Calls, Arc<CallCounts>> {
    graph().executed_by(queue).expect("the state is stored").with_context(Arc::new(Arc::default()))
}

async fn queue(server: &Server) -> TaskQueue {
    TaskQueue::connect(&server.url(), &options()).await.expect("a queue")
}

fn input(name: &str, parts: u64) -> CallsUpdate {
    Calls::update().name(name.to_owned()).parts(parts)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_holds_over_all_workers_and_all_runs() {
    let (server, seen) = (Server::start(), CallCounts::new(3, "nobody"));
    let workers = [work(&server, &seen, 10).await, work(&server, &seen, 10).await];
    let (one, other) = (driven(queue(&server).await).await, driven(queue(&server).await).await);
    let (first, second) = tokio::join!(one.run_once(input("one", 12)), other.run_once(input("other", 12)));
    for ended in [first, second] {
        assert_eq!(ended.expect("the run ends").done().expect("it is done").done, 12);
    }
    assert_eq!(seen.most.load(Ordering::SeqCst), 3);
    workers.iter().for_each(tokio::task::AbortHandle::abort);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn room_is_free_again_when_its_run_is_gone() {
    let server = Server::start();
    // What fills the class does not end.
    let held = CallCounts::new(1, "gone");
    let gone = driven(queue(&server).await).await;
    let gone = tokio::spawn(async move { gone.run_once(input("gone", 5)).await.map(drop) });
    let plan = work(&server, &held, 1).await;
    let full = loop {
        let status = QueueStatus::read(&server.url(), &options(), 20).await.expect("a status").expect("a queue");
        if status.tasks.iter().filter(|task| task.class.as_deref() == Some("calls")).count() == 5 {
            break status;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    plan.abort();
    let waiting = full.tasks.iter().filter(|task| !task.is_admitted).count();
    assert!(waiting >= 2, "{full:#?}");
    gone.abort();
    let _worker = work(&server, &Arc::default(), 10).await;
    let next = driven(queue(&server).await).await;
    let ended = next.run_once(input("next", 4)).await;
    assert_eq!(ended.expect("the run ends").done().expect("it is done").done, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_gives_nodes_without_a_class_its_own() {
    let (server, options) = (Server::start(), options().limit("whole graph", 1));
    let queue = TaskQueue::connect(&server.url(), &options).await.expect("a queue");
    let app = driven(queue.class("whole graph")).await;
    let runs: Vec<_> = ["one", "other"].map(|name| (app.clone(), name)).into_iter().collect();
    let runs: Vec<_> = runs
        .into_iter()
        .map(|(app, name)| tokio::spawn(async move { app.run_once(input(name, 2)).await.map(Outcome::done) }))
        .collect();
    let full = loop {
        let status = QueueStatus::read(&server.url(), &options, 20).await.expect("a status").expect("a queue");
        if status.total == 2 {
            break status;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    // Both plans wait, of which one may begin.
    assert!(full.tasks.iter().all(|task| task.class.as_deref() == Some("whole graph")), "{full:#?}");
    assert_eq!(full.tasks.iter().filter(|task| task.is_admitted).count(), 1, "{full:#?}");
    let _worker = work(&server, &Arc::default(), 10).await;
    for run in runs {
        assert_eq!(run.await.expect("no panic").expect("the run ends").expect("it is done").done, 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_urgent_comes_before_what_waits() {
    let (server, seen) = (Server::start(), CallCounts::new(1, "slow"));
    let slow = queue(&server).await;
    let (slow, urgent) = (driven(slow.clone().priority(5)).await, driven(slow.priority(-5)).await);
    let _worker = work(&server, &seen, 1).await;
    let many = tokio::spawn(async move { slow.run_once(input("slow", 30)).await.map(drop) });
    until(|| seen.begun("slow") > 0).await;
    let urgent = tokio::spawn(async move { urgent.run_once(input("urgent", 1)).await });
    // Each slow call ends when a task of the urgent run waits for the worker that the call has.
    let mut ended = 0;
    while !urgent.is_finished() {
        let mut connection = sqlx::PgConnection::connect(&server.url()).await.expect("a connection");
        let waits = "SELECT count(*) FROM graphloom_work.tasks WHERE priority = -5 AND worker IS NULL";
        let waits: i64 = sqlx::query_scalar(waits).fetch_one(&mut connection).await.expect("they are counted");
        if waits > 0 && seen.begun("slow") > ended {
            seen.permits.add_permits(1);
            ended += 1;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let outcome = urgent.await.expect("no panic").expect("the run ends").done().expect("it is done");
    assert_eq!(outcome.done, 1);
    // The plan and the call of the urgent run each came next, whatever had begun or was fetched already.
    let before = seen.begun("slow");
    assert!(before < 10, "{before} of 30 came first");
    seen.permits.add_permits(30);
    many.await.expect("no panic").expect("the run ends");
}
