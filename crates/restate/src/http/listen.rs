//! A process listens for others.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http2;
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::error::EngineError;

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;
/// How often a connection is asked whether it is alive, and how long that may take.
const ALIVE: Duration = Duration::from_secs(10);
/// Bytes of one request, and of all on a connection, that may come before they are taken up.
const STREAM_WINDOW: u32 = 2 << 20;
const CONNECTION_WINDOW: u32 = 16 << 20;
/// Requests beside each other on a connection: each task has one that lasts as long as the task. The engine has a limit of its own
/// per connection, and tries in vain, again and again, where there is a lower one.
const STREAMS: u32 = 1 << 20;

/// Listens on an address. What is small is sent at once: the sockets of connections have the option from the one that listens, and
/// without it each step takes 40 ms. With `is_shared` others may listen on the same address.
///
/// # Errors
/// The system's.
pub(crate) fn listen(address: SocketAddr, is_shared: bool) -> Result<TcpListener, EngineError> {
    let open = || {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        #[cfg(unix)]
        socket.set_reuse_port(is_shared)?;
        socket.set_nonblocking(true)?;
        socket.set_tcp_nodelay(true)?;
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        TcpListener::from_std(socket.into())
    };
    open().map_err(|source| EngineError::Listen { address, source })
}

/// Serves all who connect until `stop` resolves; then those who are connected for the time of `grace`.
pub(crate) async fn serve<S, B>(listener: TcpListener, service: S, stop: impl Future<Output = ()>, grace: Duration)
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (graceful, mut connections) = (GracefulShutdown::new(), JoinSet::new());
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let connection = http2::Builder::new(TokioExecutor::new())
                        .timer(TokioTimer::new())
                        .max_concurrent_streams(STREAMS)
                        .initial_stream_window_size(STREAM_WINDOW)
                        .initial_connection_window_size(CONNECTION_WINDOW)
                        .keep_alive_interval(ALIVE)
                        .keep_alive_timeout(ALIVE)
                        .serve_connection(TokioIo::new(stream), service.clone());
                    let connection = graceful.watch(connection);
                    connections.spawn(async move {
                        if let Err(error) = connection.await {
                            tracing::debug!(%error, "a connection of another process is lost");
                        }
                    });
                }
                // No more files, for a moment.
                Err(error) => {
                    tracing::warn!(%error, "a connection of another process cannot be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }
    drop(listener);
    // What has not ended by then is dropped.
    let _ = timeout(grace, graceful.shutdown()).await;
}
