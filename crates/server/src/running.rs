//! A server that runs: from its address to its stop.
//!
//! 1. The address is taken before the stores are opened: a second server of the same data stops at the port, and touches
//!    nothing.
//! 2. What an earlier process left is taken up before the first request is answered.
//! 3. When the server stops, runs stop where they can be taken up again while open requests end.

use std::fmt;
use std::net::SocketAddr;

use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::a2a;
use crate::ag_ui;
use crate::artifacts;
use crate::builder::Server;
use crate::changes;
use crate::drawing;
use crate::events;
use crate::host::Host;
use crate::http::{Guard, Routes, Security, ServeError, bind, serve};
use crate::langgraph;
#[cfg(feature = "mcp")]
use crate::mcp;
use crate::openai;
use crate::page::{self, Page};
use crate::picture;
use crate::start_error::StartError;

/// A server that runs. It stops when it is told to, or is dropped.
#[must_use = "the server stops when this is dropped"]
pub struct Running {
    address: SocketAddr,
    host: Host,
    stop: watch::Sender<bool>,
    task: JoinHandle<usize>,
}

/// The routes of all protocols that are in tables.
fn tables() -> Routes<Host> {
    langgraph::routes()
        .and(events::routes())
        .and(openai::routes())
        .and(ag_ui::routes())
        .and(a2a::routes())
        .and(artifacts::routes())
        .and(drawing::routes())
        .and(changes::routes())
        .and(picture::routes())
}

/// First segments of paths that are in no table of routes, or come to it last.
const OTHER_SEGMENTS: [&str; 3] = ["mcp", "metrics", "openapi.json"];

/// The routes of pages, beside those of the tables.
fn of_pages(pages: Vec<(String, Page)>, tables: &Routes<Host>) -> Result<Routes<()>, StartError> {
    let mut routes = Routes::new("Pages");
    for (mount, page) in pages {
        let taken = tables.first_segments().chain(routes.first_segments()).chain(OTHER_SEGMENTS);
        let of_page = page::routes(&mount, page, &taken.collect::<Vec<_>>())
            .map_err(|error| StartError::Page { mount: mount.clone(), reason: error.to_string() })?;
        routes = routes.and(of_page);
    }
    Ok(routes)
}

impl Server {
    /// Serves until the process is asked to stop, with Ctrl-C or a signal to terminate, and then lets what is under way come
    /// to an end ([`Running::stop`]).
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub async fn serve(self, security: impl Into<Security>) -> Result<(), StartError> {
        let running = self.start(security).await?;
        tracing::info!(address = %running.address(), "serving");
        running.until_asked().await
    }

    /// Starts to serve, and returns when requests are answered. The settings may be no more than an address; port 0 finds a
    /// free one.
    ///
    /// # Errors
    /// [`StartError`]: an address in use, or that others can reach without a key being asked for; stores that cannot be used; a
    /// page where something else is.
    pub async fn start(mut self, security: impl Into<Security>) -> Result<Running, StartError> {
        let security = security.into();
        let guard = Guard::new(&security)?;
        let tables = tables();
        let pages = of_pages(std::mem::take(&mut self.pages), &tables)?;
        let listener = bind(security.address).await?;
        let address =
            listener.local_addr().map_err(|source| ServeError::Listen { address: security.address, source })?;
        let host = Host { manager: self.open().await?, guard: guard.clone() };
        let routes = tables.with_state(&host).and(pages);
        #[cfg(feature = "mcp")]
        let routes = routes.and(mcp::routes(&host));
        let router = guard.protect(routes);
        let (stop, stopped) = watch::channel(false);
        let own = host.clone();
        let task = tokio::spawn(async move {
            let mut background = background(&host);
            let asked = async move |mut stopped: watch::Receiver<bool>| {
                // The other end is gone when the server was dropped.
                drop(stopped.wait_for(|stop| *stop).await);
            };
            let drained = async {
                asked(stopped.clone()).await;
                background.shutdown().await;
                host.manager.drain().await;
            };
            let (cut, ()) = tokio::join!(serve(&guard, listener, router, asked(stopped.clone())), drained);
            cut
        });
        Ok(Running { address, host: own, stop, task })
    }
}

impl Running {
    /// What its protocols work with.
    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process is asked to stop, with Ctrl-C or a signal to terminate, and then [stops](Self::stop).
    ///
    /// # Errors
    /// [`StartError::Signals`]: the server is stopped then.
    pub async fn until_asked(self) -> Result<(), StartError> {
        let asked = stop_asked().map_err(StartError::Signals);
        if let Ok(asked) = asked {
            asked.await;
            self.stop().await;
            return Ok(());
        }
        self.stop().await;
        asked.map(drop)
    }

    /// Stops: no more requests are taken, runs stop where the next start takes them up again, streams end. Returns when all
    /// have, or the time for it ([`Limits::drain`](crate::Limits::drain)) is over, with the number of connections that were
    /// cut.
    pub async fn stop(self) -> usize {
        self.stop.send_replace(true);
        self.task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the server ended early");
            0
        })
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Starts what a server does without being asked. It ends when this is dropped.
pub(crate) fn background(host: &Host) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    langgraph::spawn_background(host, &mut tasks);
    tasks
}

/// Returns a future that ends when the process is asked to stop.
pub(crate) fn stop_asked() -> std::io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        let terminated = terminate.recv();
        #[cfg(not(unix))]
        let terminated = std::future::pending::<()>();
        tokio::select! {
            heard = tokio::signal::ctrl_c() => {
                if let Err(error) = heard {
                    tracing::error!(%error, "Ctrl-C cannot be heard");
                    std::future::pending::<()>().await;
                }
            }
            _ = terminated => {}
        }
    })
}
