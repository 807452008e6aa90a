//! Where endpoints and drivers of these tests are.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use graphloom_core_graph::App;
use graphloom_core_graph::remote::Performer;
use graphloom_postgres_server::KeptPort;
use graphloom_restate::{Endpoint, Engine, EngineOptions};
use graphloom_restate_server::Engine as Server;
use tokio::task::AbortHandle;

use crate::pages::{Notes, Page, Pause, graph};

/// An address for one process alone: the system gives it a port of the loopback when it listens.
pub(crate) fn any() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

/// A port of the loopback for whoever listens on it by its number.
pub(crate) fn port() -> KeptPort {
    KeptPort::new(Ipv4Addr::LOCALHOST.into())
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
pub(crate) fn serve(server: &Server, graph: impl Performer) -> Served {
    run(Endpoint::new(&options(server)).serve(graph).listen(any()))
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
    driven.with_context(Notes { file: unused.to_owned(), pause: Pause::None })
}
