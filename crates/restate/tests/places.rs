//! Where endpoints and drivers of these tests are.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::time::{Duration, Instant};

use graphloom_core_graph::App;
use graphloom_core_graph::remote::Performer;
use graphloom_restate::{Endpoint, Engine, EngineOptions};
use graphloom_restate_server::Engine as Server;
use tokio::task::AbortHandle;

use crate::pages::{Notes, Page, graph};

/// A port of the loopback that nobody has at the moment.
pub(crate) fn free() -> SocketAddr {
    let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    held.local_addr().expect("an address")
}

pub(crate) fn options(server: &Server) -> EngineOptions {
    EngineOptions::new(&server.url()).expect("an address")
}

/// An endpoint of this process, until the test ends.
pub(crate) struct Served(AbortHandle);

impl Drop for Served {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Executes tasks of a graph in this process.
pub(crate) fn serve(server: &Server, address: SocketAddr, graph: impl Performer) -> Served {
    run(Endpoint::new(&options(server)).serve(graph).listen(address).shared())
}

pub(crate) fn run(endpoint: Endpoint) -> Served {
    let running = tokio::spawn(async move {
        let ended = endpoint.run(std::future::pending()).await;
        panic!("the endpoint ended: {ended:?}");
    });
    Served(running.abort_handle())
}

/// The graph as the process has it that drives its runs.
pub(crate) async fn driven(options: &EngineOptions, unused: &Path) -> App<Page, Notes> {
    let engine = Engine::connect(options).await.expect("an engine");
    let driven = graph().executed_by(engine).expect("the state is stored");
    driven.with_context(Notes { file: unused.to_owned(), pause: Duration::ZERO })
}

/// Waits until something holds.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
