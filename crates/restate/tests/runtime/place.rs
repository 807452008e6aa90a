//! Where the tasks of these tests are executed: by an endpoint over Restate, each graph as an application of its own.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use graphloom_core_graph::remote::{Executor, TaskHost, TaskReply};
use graphloom_core_graph::{App, Compiled, NodeError, State};
use graphloom_restate::{Endpoint, Engine, EngineOptions};
use graphloom_restate_server::Engine as Server;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// One engine for all tests.
static SERVER: LazyLock<Server> = LazyLock::new(Server::start);
static APPLICATIONS: AtomicU64 = AtomicU64::new(0);

/// The graph as it is run.
pub(crate) fn as_it_is_run<S: State>(graph: Compiled<S>) -> Compiled<S> {
    let tasks = Tasks { graph: graph.clone(), engine: OnceCell::new() };
    // A clock that stands still until all wait would be over before an engine answers, and many drawn cases on a runtime
    // without sockets would each need an endpoint.
    if !has_a_clock() || !has_sockets() {
        return graph;
    }
    graph.executed_by(tasks).expect("the state is stored")
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

/// An engine that is connected to when the first task is executed, with an endpoint beside it.
struct Tasks<S: State> {
    graph: Compiled<S>,
    engine: OnceCell<Engine>,
}

impl<S: State> Executor for Tasks<S> {
    fn execute<'e>(&'e self, host: &'e TaskHost<'_>) -> BoxFuture<'e, Result<TaskReply, NodeError>> {
        Box::pin(async move { self.engine.get_or_init(|| connect(&self.graph)).await.execute(host).await })
    }
}

async fn connect<S: State>(graph: &Compiled<S>) -> Engine {
    let application = format!("test-{}", APPLICATIONS.fetch_add(1, Ordering::Relaxed));
    let options = EngineOptions::new(&SERVER.url()).and_then(|options| options.application(application));
    let options = options.expect("an address");
    let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let endpoint = Endpoint::new(&options).serve(App::from(graph)).concurrency(16).listen(free);
    // It ends with the runtime of its test.
    tokio::spawn(endpoint.run(std::future::pending()));
    Engine::connect(&options).await.expect("an engine")
}
