//! A process that the engine calls: with tasks that it executes, and with threads whose runs it drives.
//!
//! | what | file |
//! | --- | --- |
//! | services whose names are known at run time | `service.rs` |

mod service;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use graphloom_core_graph::remote::Performer;
use graphloom_core_graph::store::Store;
use restate_sdk::hyper::HyperEndpoint;
use tokio::sync::{Semaphore, watch};
use tokio::time::sleep;
use url::Url;

use crate::engine::Admin;
use crate::error::EngineError;
use crate::http::{client, listen, serve};
use crate::names::{checked_name, service_name};
use crate::options::{EngineOptions, web_address};
use crate::threads::{Drive, Driving};
use crate::worker::{Unreachable, Worker};

/// How often the engine is asked whether it still knows this process: one that has lost what it stored is told again.
const KNOWN: Duration = Duration::from_secs(60);
/// How long a task or a run may take unless something else is set.
const LIMIT: Duration = Duration::from_hours(24);

/// A process that the engine calls, see [`Engine`](crate::Engine). It executes tasks of the graphs that it serves, and drives runs of
/// the threads that it has.
///
/// The engine knows one address for the services of a process, and brings new invocations of a service to the address that was
/// registered last. So processes that do the same are behind one address: one that a balancer or a cluster gives them, or on
/// one machine one port that they [share](Endpoint::shared). A newer version of a graph is another service, and is served at
/// another address beside the old one.
pub struct Endpoint {
    options: EngineOptions,
    graphs: Vec<Arc<dyn Performer>>,
    threads: BTreeMap<String, Arc<dyn Drive>>,
    store: Option<Arc<dyn Store>>,
    address: SocketAddr,
    is_shared: bool,
    advertised: Option<Url>,
    identity: Vec<String>,
    concurrency: usize,
    grace: Duration,
    task_limit: Duration,
    run_limit: Duration,
}

impl Endpoint {
    /// A process of this engine, which serves nothing yet.
    pub fn new(options: &EngineOptions) -> Self {
        Self {
            options: options.clone(),
            graphs: Vec::new(),
            threads: BTreeMap::new(),
            store: None,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 9080)),
            is_shared: false,
            advertised: None,
            identity: Vec::new(),
            concurrency: 10,
            grace: Duration::from_secs(10),
            task_limit: LIMIT,
            run_limit: LIMIT,
        }
    }

    /// Executes tasks of a graph, and of those inside of it. An [`App`](graphloom_core_graph::App) gives nodes its resources.
    /// Each call adds a graph.
    #[must_use]
    pub fn serve(mut self, graph: impl Performer) -> Self {
        self.graphs.push(Arc::new(graph));
        self
    }

    /// Drives runs of threads as the object `name`, whose keys are ids of threads. One run of a thread goes at a time; whoever
    /// asks for another one waits. [`Threads`](graphloom_core_graph::Threads) are driven so.
    #[must_use]
    pub fn threads(mut self, name: impl Into<String>, threads: impl Drive) -> Self {
        self.threads.insert(name.into(), Arc::new(threads));
        self
    }

    /// Gives nodes this long-term store: the one that the processes which drive the runs have. They find none unless it is set.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Listens on this address; on the port 9080 of the loopback unless set.
    #[must_use]
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    /// Shares the address with other processes of this machine, among which the system spreads connections. They serve the same.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.is_shared = true;
        self
    }

    /// Tells the engine this address to reach the process. The address that it listens on unless set.
    ///
    /// # Errors
    /// What is no address of the form `http://host:port`.
    pub fn advertise(mut self, address: &str) -> Result<Self, EngineError> {
        self.advertised = Some(web_address(address)?);
        Ok(self)
    }

    /// Takes only what an engine with this key signed, such as `publickeyv1_…`. Each call adds a key. Without one whoever reaches the
    /// address may call it.
    #[must_use]
    pub fn identity_key(mut self, key: impl Into<String>) -> Self {
        self.identity.push(key.into());
        self
    }

    /// Executes at most so many tasks at a time; ten unless set, and at least one. Others that the engine brings wait here.
    #[must_use]
    pub fn concurrency(mut self, tasks: usize) -> Self {
        self.concurrency = tasks.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Lets tasks and runs end for so long when the process is stopped; ten seconds unless set. What has not ended then goes on in
    /// another process.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Lets a task take so long, from when the engine first brings it, whoever executes it; a day unless set. Time limits of nodes are
    /// shorter.
    #[must_use]
    pub fn task_limit(mut self, limit: Duration) -> Self {
        self.task_limit = limit;
        self
    }

    /// Lets a run take so long, from when the engine first brings it, whoever drives it; a day unless set.
    #[must_use]
    pub fn run_limit(mut self, limit: Duration) -> Self {
        self.run_limit = limit;
        self
    }

    /// Serves until `stop` resolves. Then it takes nothing more, lets tasks end for the time of `grace`, and has runs stop where they
    /// stand, so that another process goes on with them.
    ///
    /// # Errors
    /// Nothing is served; a setting that cannot be used; an address on which this process cannot listen; the engine refuses what
    /// this process serves. An engine that is not there is waited for.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), EngineError> {
        let listener = listen(self.address, self.is_shared)?;
        let address = listener.local_addr().map_err(|source| EngineError::Listen { address: self.address, source })?;
        let advertised = match &self.advertised {
            Some(url) => url.clone(),
            None if address.ip().is_unspecified() => {
                return Err(EngineError::Setting(format!(
                    "the engine cannot reach `{address}`; name with `advertise` an address under which it reaches this process"
                )));
            }
            None => web_address(&format!("http://{address}"))?,
        };
        let (stopped, stopping) = watch::channel(false);
        let (services, endpoint) = self.endpoint(&stopping)?;
        let admin = Admin::new(&self.options)?;
        let stop = stop.boxed().shared();
        let (until, threads) = (stop.clone(), self.threads.clone());
        let stopping = async move {
            until.await;
            stopped.send_replace(true);
            threads.values().for_each(|threads| threads.shut_down());
        };
        let serving = serve(listener, HyperEndpoint::new(endpoint), stopping, self.grace);
        let registering = async {
            loop {
                admin.register(&advertised, &services).await?;
                sleep(KNOWN).await;
            }
        };
        let registering = async {
            tokio::select! {
                biased;
                () = stop => std::future::pending().await,
                refused = registering => refused,
            }
        };
        tokio::select! {
            () = serving => Ok(()),
            refused = registering => refused,
        }
    }

    /// The services of this process, and their names.
    fn endpoint(
        &self,
        stopping: &watch::Receiver<bool>,
    ) -> Result<(BTreeSet<String>, restate_sdk::endpoint::Endpoint), EngineError> {
        let roots = self.graphs.roots();
        if roots.is_empty() && self.threads.is_empty() {
            return Err(EngineError::Setting(
                "a process needs something to serve: name a graph with `serve`, or threads with `threads`".to_owned(),
            ));
        }
        let worker = Arc::new(Worker {
            graphs: self.graphs.clone(),
            store: self.store.clone(),
            places: Semaphore::new(self.concurrency),
            stopping: stopping.clone(),
            client: client(None)?,
            max_bytes: self.options.max_bytes,
            keys: self.options.keys.clone(),
            silence: self.options.silence,
            task_limit: self.task_limit,
            unreachable: Unreachable::default(),
        });
        let (mut names, mut builder) = (BTreeSet::new(), restate_sdk::endpoint::Endpoint::builder());
        for key in &self.identity {
            let added = builder.identity_key(key);
            builder =
                added.map_err(|error| EngineError::Setting(format!("`{key}` is no key of an engine: {error}")))?;
        }
        for root in &roots {
            let name = service_name(&self.options.application, root);
            builder = builder.bind(service::tasks(&name, &worker)?);
            names.insert(name);
        }
        for (name, threads) in &self.threads {
            let name = checked_name(name.clone())?;
            let driving = Driving { threads: Arc::clone(threads), limit: self.run_limit };
            builder = builder.bind(service::threads(&name, Arc::new(driving))?);
            names.insert(name);
        }
        Ok((names, builder.build()))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (engine, address) = (&self.options, self.address);
        f.debug_struct("Endpoint").field("engine", engine).field("address", &address).finish_non_exhaustive()
    }
}
