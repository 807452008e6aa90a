//! The socket: it listens, gives each connection its limits, and stops without cutting anybody short.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep, timeout_at};
use tower::ServiceExt as _;

use super::guard::Guard;
use super::limits::Places;
use super::security::Limits;
use super::stall::StallLimit;

/// A server that cannot listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Another program has the port.
    #[error("port {} of `{}` is in use: stop the program that has it, or choose another port (0 finds a free one)", address.port(), address.ip())]
    PortInUse {
        /// The address that was asked for.
        address: SocketAddr,
    },
    /// The address cannot be used for another reason.
    #[error("cannot listen on `{address}`: {source}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

/// Listens on an address.
///
/// # Errors
/// [`ServeError::PortInUse`], [`ServeError::Listen`].
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::PortInUse { address },
        _ => ServeError::Listen { address, source },
    })
}

/// Serves until `shutdown` returns, then lets open requests end. Returns how many connections and streams were cut at the
/// deadline.
///
/// `router` is one that the guard protects ([`Guard::protect`]). When the server stops it takes no more connections, ends its
/// streams, and waits for the rest as long as [`Limits::drain`] says.
pub(crate) async fn serve(
    guard: &Guard,
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()>,
) -> usize {
    let places = Places::new(guard.limits().connections);
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(ended) = connections.join_next() => {
                note_end(guard, ended);
                continue;
            }
            accepted = accept(&listener, &places) => accepted,
        };
        match accepted {
            Ok((stream, peer, permit)) => {
                let connection = connection(guard.clone(), stream, peer, router.clone());
                connections.spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            Err(error) => {
                // Mostly too many open files: it passes when connections are closed.
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    drain(guard, connections).await
}

async fn accept(
    listener: &TcpListener,
    places: &Places,
) -> io::Result<(TcpStream, SocketAddr, Option<super::limits::Permit>)> {
    let permit = places.wait().await;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, permit))
}

async fn drain(guard: &Guard, mut connections: JoinSet<()>) -> usize {
    let deadline = Instant::now() + guard.limits().drain;
    guard.begin_draining();
    while let Ok(Some(ended)) = timeout_at(deadline, connections.join_next()).await {
        note_end(guard, ended);
    }
    // WebSockets have left their connections behind.
    let streams = &guard.capacity().streams;
    let in_time = timeout_at(deadline, streams.all_free()).await.is_ok();
    let cut = connections.len() + if in_time { 0 } else { streams.taken() };
    if cut > 0 {
        tracing::warn!(cut, "the server stops before these connections have ended");
    }
    connections.shutdown().await;
    cut
}

fn note_end(guard: &Guard, ended: Result<(), JoinError>) {
    if ended.is_err_and(|error| error.is_panic()) {
        guard.metrics().panicked();
        tracing::error!("a connection ended in a panic");
    }
}

async fn connection(guard: Guard, stream: TcpStream, peer: SocketAddr, router: Router) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small packets are not sent at once");
    }
    let io = TokioIo::new(StallLimit::new(stream, guard.limits().stalled));
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let connection = settings(guard.limits()).serve_connection(io, service).with_upgrades();
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = guard.draining() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, %peer, "a connection ended early");
    }
}

/// What a client that does not read may hold of an answer.
const WRITE_BUFFER: usize = 64 << 10;

fn settings(limits: &Limits) -> http1::Builder {
    let header_bytes = limits.header_bytes.max(8 << 10);
    let mut settings = http1::Builder::new();
    settings
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_headers(limits.headers)
        .max_header_size(header_bytes)
        .max_buf_size(WRITE_BUFFER.max(2 * header_bytes));
    settings
}
