//! One address for all endpoints, as the engine needs it: each connection goes to the next endpoint that takes it.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::copy;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// How long an endpoint may take to take a connection.
const CONNECT: Duration = Duration::from_millis(300);

/// A balancer of connections, until this is dropped.
pub(crate) struct Balancer {
    address: SocketAddr,
    endpoints: Arc<Mutex<BTreeSet<SocketAddr>>>,
    listening: AbortHandle,
}

impl Balancer {
    pub(crate) async fn open(ip: IpAddr) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let endpoints = Arc::<Mutex<BTreeSet<SocketAddr>>>::default();
        let known = Arc::clone(&endpoints);
        let listening = tokio::spawn(async move {
            for turn in 0.. {
                let Ok((engine, _)) = listener.accept().await else { continue };
                let mut order: Vec<SocketAddr> =
                    known.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
                let first = turn % order.len().max(1);
                order.rotate_left(first);
                tokio::spawn(carry(engine, order));
            }
        });
        Self { address, endpoints, listening: listening.abort_handle() }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends connections to one more endpoint.
    pub(crate) fn add(&self, endpoint: SocketAddr) {
        self.endpoints.lock().unwrap_or_else(PoisonError::into_inner).insert(endpoint);
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Carries a connection of the engine to the first of these endpoints that takes it. Where one end is closed, so is the other.
async fn carry(mut engine: TcpStream, endpoints: Vec<SocketAddr>) {
    for endpoint in endpoints {
        let Ok(Ok(mut endpoint)) = timeout(CONNECT, TcpStream::connect(endpoint)).await else { continue };
        if engine.set_nodelay(true).and_then(|()| endpoint.set_nodelay(true)).is_err() {
            return;
        }
        let ((mut from_engine, mut to_engine), (mut from_endpoint, mut to_endpoint)) =
            (engine.split(), endpoint.split());
        tokio::select! {
            _ = copy(&mut from_engine, &mut to_endpoint) => {}
            _ = copy(&mut from_endpoint, &mut to_engine) => {}
        }
        return;
    }
}
