//! What several tests of the running server need: a client, streams of events, servers in a process of their own.

mod client;
mod graphs;
mod process;
mod stream;

use graphloom_server::{Running, Server};

pub(crate) use client::Client;
pub(crate) use process::{BEAT, ENDLESS_LEASE, SHORT_LEASE, ServerProcess, shared};
pub(crate) use stream::{EventStream, StreamEvent};

/// A server of the demo graphs in this process, which keeps everything in memory.
pub(crate) async fn demo_server() -> (Running, Client) {
    let address: std::net::SocketAddr = ([127, 0, 0, 1], 0).into();
    let running = Server::new().demo().unwrap().start(address).await.unwrap();
    let client = Client::new(&format!("http://{}", running.address()));
    (running, client)
}

/// A seed of random choices: that of `GRAPHLOOM_SEED`, or a new one.
pub(crate) fn seed() -> u64 {
    std::env::var("GRAPHLOOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random)
}
