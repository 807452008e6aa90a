//! Standard input and output: one client, which started the process.

use std::net::{Ipv4Addr, SocketAddr};

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::builder::Server;
use crate::host::Host;
use crate::http::{Guard, Security};
use crate::mcp::handler::Handler;
use crate::running::{background, stop_asked};
use crate::start_error::StartError;

impl Server {
    /// Serves the assistants as tools of the Model Context Protocol to the program that started this one, over standard
    /// input and output, until that program closes the input or the process is asked to stop. Nothing but the protocol may
    /// be written to standard output meanwhile: logs go to standard error.
    ///
    /// # Errors
    /// [`StartError`]: stores that cannot be used; a client that does not speak the protocol.
    pub async fn serve_mcp_stdio(self) -> Result<(), StartError> {
        let asked = stop_asked().map_err(StartError::Signals)?;
        let (input, output) = rmcp::transport::stdio_pipes();
        Box::pin(self.serve_mcp(input, output, asked)).await
    }

    /// Serves the assistants as tools of the Model Context Protocol over any pair of streams, one JSON message a line,
    /// until the input ends or `stop` returns. Runs under way are left where the next start takes them up again; what an
    /// earlier process left is taken up, and crons that are due are started, as for any other server.
    ///
    /// # Errors
    /// As [`serve_mcp_stdio`](Self::serve_mcp_stdio).
    pub async fn serve_mcp<R, W>(self, input: R, output: W, stop: impl Future<Output = ()>) -> Result<(), StartError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        // Nothing listens: the guard is there for its limits.
        let guard = Guard::new(&Security::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))?;
        let host = Host { manager: self.open().await?, guard };
        let handler = Handler::new(host.clone());
        // Whoever serves streams has its stores alone: nobody else starts what is due.
        let mut background = background(&host);
        let served = tokio::select! {
            served = serve(handler, input, output) => served,
            () = stop => Ok(()),
        };
        background.shutdown().await;
        host.manager.drain().await;
        served
    }
}

async fn serve<R, W>(handler: Handler, input: R, output: W) -> Result<(), StartError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let client = |reason: String| StartError::Client { reason };
    match handler.serve((input, output)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| client(error.to_string())),
        // A client that went away before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(client(error.to_string())),
    }
}
