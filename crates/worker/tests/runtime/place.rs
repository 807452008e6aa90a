//! Where the tasks of these tests are executed: by a worker over PostgreSQL, each graph with a database of its own.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use graphloom_core_graph::remote::{Executor, TaskHost, TaskReply};
use graphloom_core_graph::{App, Compiled, NodeError, State};
use graphloom_postgres_server::Server;
use graphloom_worker::{QueueOptions, TaskQueue, Worker};
use sqlx::{AssertSqlSafe, Connection};
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// One server for all tests, and a database with the tables, which the others are copies of.
static SERVER: LazyLock<Server> = LazyLock::new(Server::start);
static TEMPLATE: OnceCell<()> = OnceCell::const_new();
static DATABASES: AtomicU64 = AtomicU64::new(0);

/// The graph as it is run.
pub(crate) fn as_it_is_run<S: State>(graph: Compiled<S>) -> Compiled<S> {
    let queue = Queue { graph: graph.clone(), queue: OnceCell::new() };
    // A clock that stands still until all wait would be over before a database answers, and many drawn cases on a runtime
    // without sockets would each need a database.
    if !has_a_clock() || !has_sockets() {
        return graph;
    }
    graph.executed_by(queue).expect("the state is stored")
}

fn has_a_clock() -> bool {
    if tokio::runtime::Handle::try_current().is_err() {
        return false;
    }
    let before = Instant::now();
    std::thread::sleep(Duration::from_millis(2));
    Instant::now() > before
}

fn has_sockets() -> bool {
    std::panic::catch_unwind(tokio::net::UnixStream::pair).is_ok()
}

/// Whether a test is left out, since tasks are executed elsewhere and it can only hold where they are not, for this reason.
pub(crate) fn only_in_place(reason: &str) -> bool {
    !reason.is_empty()
}

/// A queue that is connected to when the first task is executed, with a worker beside it.
struct Queue<S: State> {
    graph: Compiled<S>,
    queue: OnceCell<TaskQueue>,
}

impl<S: State> Executor for Queue<S> {
    fn execute<'e>(&'e self, host: &'e TaskHost<'_>) -> BoxFuture<'e, Result<TaskReply, NodeError>> {
        Box::pin(async move { self.queue.get_or_init(|| connect(&self.graph)).await.execute(host).await })
    }
}

fn address(database: &str) -> String {
    SERVER.url().replace("/postgres?", &format!("/{database}?"))
}

/// A copy of the database with the tables.
async fn database() -> String {
    let options = QueueOptions::default().max_connections(3);
    let make = TEMPLATE.get_or_init(|| async {
        create("tables", "template0").await;
        TaskQueue::connect(&address("tables"), &options).await.expect("a queue");
        // Nobody may be connected with what is copied.
        let mut server = sqlx::PgConnection::connect(&SERVER.url()).await.expect("the server");
        let connected = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'tables'";
        while sqlx::query_scalar::<_, i64>(connected).fetch_one(&mut server).await.expect("a count") > 0 {
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'tables'";
            sqlx::query(end).execute(&mut server).await.expect("connections end");
        }
    });
    make.await;
    let name = format!("test_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    create(&name, "tables").await;
    address(&name)
}

async fn create(name: &str, template: &str) {
    let mut server = sqlx::PgConnection::connect(&SERVER.url()).await.expect("the server");
    let create = format!("CREATE DATABASE {name} TEMPLATE {template}");
    sqlx::query(AssertSqlSafe(create)).execute(&mut server).await.expect("a database");
}

async fn connect<S: State>(graph: &Compiled<S>) -> TaskQueue {
    let url = database().await;
    let options = QueueOptions::default().max_connections(4);
    let worker = Worker::connect(&url, &options).await.expect("a worker").serve(App::from(graph)).concurrency(16);
    // It ends with the runtime of its test.
    tokio::spawn(worker.run(std::future::pending()));
    TaskQueue::connect(&url, &options).await.expect("a queue")
}
