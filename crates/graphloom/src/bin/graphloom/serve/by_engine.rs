//! A server whose tasks the engine brings to workers, and whose threads are objects of the engine.

use std::net::SocketAddr;

use clap::Args;
use futures::future::BoxFuture;
use graphloom_cli::{Failure, Session};
use graphloom_restate::{Endpoint, Engine, EngineOptions};
use graphloom_server::{Running, Server};

use crate::engine::{EngineArgs, ObjectThreads, usage};

/// Where a server listens for the engine unless told otherwise. Workers have the port before it.
const PORT: u16 = 9081;

#[derive(Args, Debug)]
pub(crate) struct ServeEngineArgs {
    #[command(flatten)]
    common: EngineArgs,
    /// Where this server listens for the workers of its tasks; a free port of 127.0.0.1 unless given. Each server has its own
    #[arg(long, value_name = "IP:PORT", requires = "engine")]
    callbacks: Option<SocketAddr>,
    /// The address under which workers reach that: `http://HOST:PORT`
    #[arg(long, value_name = "URL", requires = "engine")]
    callbacks_advertise: Option<String>,
}

/// The engine of a server.
pub(super) struct ServerEngine {
    options: EngineOptions,
    /// What the engine calls of this server, without its threads.
    endpoint: Endpoint,
}

impl ServeEngineArgs {
    /// The engine, if one was asked for.
    ///
    /// # Errors
    /// Addresses that cannot be used; keys of the store that cannot be.
    pub(super) fn engine(&self, session: &Session) -> Result<Option<ServerEngine>, Failure> {
        let Some(mut options) = self.common.options(session)? else { return Ok(None) };
        if let Some(address) = self.callbacks {
            options = options.callbacks(address);
        }
        if let Some(url) = &self.callbacks_advertise {
            options = options.callbacks_at(url).map_err(usage)?;
        }
        let endpoint = self.common.endpoint(&options, PORT)?;
        Ok(Some(ServerEngine { options, endpoint }))
    }

    /// The engine as it was named.
    pub(super) fn address(&self) -> Option<&str> {
        self.common.address()
    }
}

impl ServerEngine {
    /// Has the engine bring the server's tasks to workers.
    ///
    /// # Errors
    /// The engine cannot be reached; an address on which this process cannot listen.
    pub(super) async fn executes(&self, server: Server) -> Result<Server, Failure> {
        Ok(server.executed_by(Engine::connect(&self.options).await.map_err(usage)?))
    }

    /// Makes the threads of the server's graphs objects of the engine, until `stop` resolves. The future fails where this process cannot
    /// listen, or the engine refuses it.
    pub(super) fn serve(
        self,
        running: &Running,
        graphs: &[String],
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> BoxFuture<'static, Result<(), Failure>> {
        let mut endpoint = self.endpoint;
        for graph in graphs {
            if let Some(threads) = running.threads(graph) {
                endpoint = endpoint.threads(format!("graphloom.{graph}"), ObjectThreads::new(threads));
            }
        }
        Box::pin(async move { endpoint.run(stop).await.map_err(usage) })
    }
}
