//! A process that executes tasks of runs that others drive.
//!
//! | what | file |
//! | --- | --- |
//! | a task from its taking to its end | `execution.rs` |
//! | tasks are taken | `take.rs` |
//! | what a node needs of the process that drives its run | `link.rs` |
//! | tasks that this worker has, and whether they are still awaited | `running.rs` |

mod execution;
mod link;
mod running;
mod take;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use graphile_worker::{
    IntoTaskHandlerResult, LocalQueueConfig, TaskHandler, WorkerContext, WorkerOptions, WorkerRecoveryConfig,
    WorkerShutdownConfig,
};
use graphloom_core_graph::remote::Performer;
use graphloom_core_graph::store::Store;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use self::running::Running;
use self::take::{Takes, takes_of};
use crate::database::Database;
use crate::error::QueueError;
use crate::jobs::{TASK_JOB, flag};
use crate::member::{Member, Role};
use crate::options::QueueOptions;

/// How often a job is looked for of which nothing was heard.
const LOOK: Duration = Duration::from_secs(1);
/// How long the end of a job waits for others, which go to the database together with it. A job that is there for longer does no
/// harm: its task is over.
const COMPLETIONS: Duration = Duration::from_millis(2);
/// The part of its places for which a worker takes jobs ahead of time. It gives them back after the time of a look: so long a task
/// may wait for this worker though another one has a place.
const AHEAD: usize = 10;

/// A process that takes tasks from a queue and executes them, see [`TaskQueue`](crate::TaskQueue). It takes those whose graph it
/// has in the very version, and leaves the others to workers that have it.
pub struct Worker {
    database: Database,
    options: QueueOptions,
    graphs: Vec<Arc<dyn Performer>>,
    store: Option<Arc<dyn Store>>,
    concurrency: usize,
    grace: Duration,
}

/// What the executions of a worker share.
struct Shared {
    member: Arc<Member>,
    graphs: Vec<Arc<dyn Performer>>,
    store: Option<Arc<dyn Store>>,
    running: Running,
    takes: Takes,
    max_bytes: usize,
}

impl Worker {
    /// Connects, and makes the tables where there are none.
    ///
    /// # Errors
    /// The address or a setting cannot be used; the database's; tables of a newer version.
    pub async fn connect(url: &str, options: &QueueOptions) -> Result<Self, QueueError> {
        let database = Database::open(url, options).await?;
        let (graphs, options) = (Vec::new(), options.clone());
        Ok(Self { database, options, graphs, store: None, concurrency: 10, grace: Duration::from_secs(10) })
    }

    /// Executes tasks of a graph, and of those inside of it. An [`App`](graphloom_core_graph::App) gives nodes its resources.
    /// Each call adds a graph.
    #[must_use]
    pub fn serve(mut self, graph: impl Performer) -> Self {
        self.graphs.push(Arc::new(graph));
        self
    }

    /// Gives nodes this long-term store: the one that the processes which drive the runs have. They find none unless it is set.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Executes at most so many tasks at a time; ten unless set, and at least one.
    #[must_use]
    pub fn concurrency(mut self, tasks: usize) -> Self {
        self.concurrency = tasks.max(1);
        self
    }

    /// Lets tasks end for so long when the worker is stopped; ten seconds unless set. What has not ended then another worker
    /// executes anew.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Takes tasks and executes them until `stop` resolves. Then it takes no more, lets those end that it has, and gives back what
    /// has not ended in time.
    ///
    /// # Errors
    /// No graph is served; the database's, when it begins and where it refuses something. A database that cannot be reached
    /// later is waited for.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), QueueError> {
        let Self { database, options, graphs, store, concurrency, grace } = self;
        let versions = graphs.versions();
        if versions.is_empty() {
            return Err(QueueError::Setting("a worker needs a graph: name it with `serve`".to_owned()));
        }
        let known: Vec<String> = versions.iter().map(flag).collect();
        let role = Role::Worker { graphs: known.clone(), places: concurrency };
        let member = Member::join(database.clone(), role, &options).await?;
        let running = Running::watch(&member, options.heartbeat);
        let takes = takes_of(&member);
        let shared = Arc::new(Shared { member, graphs, store, running, takes, max_bytes: options.max_bytes });
        let (stop, mut has_begun) = (stop.boxed().shared(), false);
        loop {
            let limits = (concurrency, grace, known.as_slice());
            match take_jobs(&database, &options, &shared, limits, stop.clone(), &mut has_begun).await {
                // The library of jobs ends with the first statement that fails.
                Err(error) if has_begun && stop.peek().is_none() => {
                    tracing::warn!(%error, "the queue of tasks cannot be reached; it is tried again");
                }
                ended => return ended,
            }
            drop(timeout(LOOK, stop.clone()).await);
        }
    }
}

/// Takes jobs and does them until it is stopped, and says when it has begun.
async fn take_jobs(
    database: &Database,
    options: &QueueOptions,
    shared: &Arc<Shared>,
    (concurrency, grace, known): (usize, Duration, &[String]),
    stop: impl Future<Output = ()> + Send + 'static,
    has_begun: &mut bool,
) -> Result<(), QueueError> {
    let recovery = WorkerRecoveryConfig::default()
        .heartbeat_interval(options.heartbeat / 2)
        .sweep_interval(options.heartbeat / 4)
        .sweep_threshold(options.expiry())
        .recovery_delay(Duration::ZERO);
    let shutdown = WorkerShutdownConfig::default()
        .listen_os_shutdown_signals(false)
        .grace_period(grace)
        .interrupted_job_retry_delay(Duration::ZERO)
        .shutdown_signal(stop);
    let worker = WorkerOptions::default()
        .pg_pool(database.pool.clone())
        .schema(database.jobs_schema.to_string())
        .concurrency(concurrency)
        // Without one each place asks the database for itself, whenever a job is added.
        .local_queue(LocalQueueConfig::default().with_size(concurrency.div_ceil(AHEAD)).with_ttl(LOOK))
        .complete_job_batch_delay(COMPLETIONS)
        .poll_interval(LOOK)
        .worker_recovery(recovery)
        .worker_shutdown(shutdown)
        .job_flag_allowlist(known.iter().cloned())
        .add_extension(Arc::clone(shared))
        .define_job::<TaskJob>();
    let worker = worker.init().await.map_err(|error| database.failed(error))?;
    *has_begun = true;
    worker.run().await.map_err(|error| database.failed(error))
}

/// The job that brings a task.
#[derive(Debug, Serialize, Deserialize)]
struct TaskJob {
    task: String,
}

impl TaskHandler for TaskJob {
    const IDENTIFIER: &'static str = TASK_JOB;

    async fn run(self, context: WorkerContext) -> impl IntoTaskHandlerResult {
        match context.get_ext::<Arc<Shared>>() {
            Some(shared) => execution::execute(shared, &self.task).await,
            None => Err("the worker has no graphs".to_owned()),
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, concurrency) = (&self.database.place, self.concurrency);
        f.debug_struct("Worker").field("place", place).field("concurrency", &concurrency).finish_non_exhaustive()
    }
}
