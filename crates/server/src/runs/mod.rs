//! The run manager: every run of every protocol goes through it.
//!
//! | rule | where |
//! | --- | --- |
//! | what a client wants is stored before it is answered, and what is accepted is run | `mod.rs`, [`RunManager::submit`] |
//! | a thread has one run at a time; what comes meanwhile waits, or takes its place | `run_queue.rs`, `locked.rs` |
//! | a queue opens when this process holds its thread, and closes when the thread is given back or lost | `holding.rs` |
//! | a run is stored with its thread, and executed | `start.rs` |
//! | how a run begins, of its order and how the thread stands | `plan.rs` |
//! | what the tasks of an older checkpoint asked | `asked.rs` |
//! | an answer at an older checkpoint is given to the question that it was meant for | `at_checkpoint.rs` |
//! | what can be refused of an order before it is a run | `check.rs` |
//! | a run from its beginning to its end | `execute.rs` |
//! | what the runtime tells goes to the log | `follow.rs` |
//! | a run has a span, in the trace of its request | `span.rs` |
//! | a run is recorded as ended after its last event is stored | `finish.rs` |
//! | what is posted of a run that has ended | `webhook_body.rs` |
//! | what a process that died did not tell is told from the store | `missing.rs` |
//! | a run whose process died goes on, or begins, when the server starts or another process finds it | `recover.rs` |
//! | of several processes one has the runs of a thread; what was left is taken up first | `place.rs`, `takeover.rs` |
//! | the process that has a thread is asked to accept and to cancel | `elsewhere.rs` |
//! | a run that another process executes ends here, too | `watch.rs` |
//! | what is done all the time where several processes share the store | `shared.rs` |
//! | the state of a thread is changed from outside of its runs, and that is told | `edit.rs` |
//! | a thread goes with all that belongs to it, or not at all | `remove.rs` |

mod asked;
mod at_checkpoint;
mod check;
mod edit;
mod elsewhere;
mod execute;
mod finish;
mod follow;
mod holding;
mod live;
mod locked;
mod missing;
mod order;
mod place;
mod plan;
mod recover;
mod remove;
mod run_queue;
mod shared;
mod span;
mod start;
mod takeover;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod watch;
mod webhook_body;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use dashmap::DashMap;
use graphloom_core_graph::{Clock, SystemClock};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::cluster::{Holder, Member};
use crate::detached::detached;
use crate::graph::{Fields, Graph, Stores};
use crate::log::{Logs, ThreadLog};
use crate::records::{Completion, Multitask, Records, RunRecord, RunStatus};
use crate::refusal::Refusal;
use crate::usage::RunUsage;
use crate::webhooks::Webhooks;

pub(crate) use execute::interrupts;
pub(crate) use finish::pending;
pub(crate) use live::{Cancel, Ending, LiveRun};
pub(crate) use missing::difference;
pub(crate) use order::{Command, Config, Durable, Nodes, Order};
pub(crate) use plan::left_out;
use run_queue::RunQueue;

/// The run manager. A clone is another handle to the same.
#[derive(Clone)]
pub(crate) struct RunManager {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) graphs: BTreeMap<String, Arc<dyn Graph>>,
    pub(crate) stores: Stores,
    pub(crate) records: Records,
    pub(crate) logs: Logs,
    pub(crate) webhooks: Webhooks,
    /// The threads that have runs or queues here.
    queues: DashMap<Uuid, Arc<RunQueue>>,
    /// This process among those that share the store.
    member: Option<Arc<Member>>,
    /// Runs of other processes whose end is awaited here.
    watched: DashMap<Uuid, Weak<LiveRun>>,
    /// What is done all the time.
    tasks: Mutex<JoinSet<()>>,
    /// Whether nothing new is accepted.
    is_closing: AtomicBool,
    /// Told when a queue is empty.
    idle: Notify,
    limits: RunLimits,
}

/// How much is run at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunLimits {
    /// Runs that wait on one thread; more are refused.
    pub(crate) queued: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { queued: 1_000 }
    }
}

/// A run that a client wants. One process asks another for it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct NewRun {
    pub(crate) assistant: Uuid,
    pub(crate) graph: String,
    pub(crate) order: Order,
    pub(crate) metadata: Fields,
    pub(crate) multitask: Multitask,
    /// Milliseconds since 1970 before which it does not begin.
    pub(crate) start_at: Option<u64>,
    /// What becomes of the thread, which was made for the run alone.
    pub(crate) temporary: Option<Completion>,
    pub(crate) webhook: Option<String>,
    /// The run's id; a new one where none is given. A run of this id is accepted once.
    pub(crate) run_id: Option<Uuid>,
    /// The span that asks for it, where spans are sent to anybody.
    pub(crate) traceparent: Option<String>,
}

/// A run that was accepted.
#[derive(Clone, Debug)]
pub(crate) struct Submitted {
    pub(crate) record: RunRecord,
    pub(crate) live: Arc<LiveRun>,
    pub(crate) log: Arc<ThreadLog>,
    /// The number of the newest entry of the log before the run.
    pub(crate) before: u64,
}

impl RunManager {
    pub(crate) fn new(
        graphs: BTreeMap<String, Arc<dyn Graph>>,
        stores: Stores,
        records: Records,
        logs: Logs,
        webhooks: Webhooks,
        limits: RunLimits,
        member: Option<Arc<Member>>,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                graphs,
                stores,
                records,
                logs,
                webhooks,
                queues: DashMap::new(),
                member,
                watched: DashMap::new(),
                tasks: Mutex::default(),
                is_closing: AtomicBool::new(false),
                idle: Notify::new(),
                limits,
            }),
        }
    }

    pub(crate) fn records(&self) -> &Records {
        &self.inner.records
    }

    pub(crate) fn logs(&self) -> &Logs {
        &self.inner.logs
    }

    pub(crate) fn webhooks(&self) -> &Webhooks {
        &self.inner.webhooks
    }

    pub(crate) fn stores(&self) -> &Stores {
        &self.inner.stores
    }

    /// The graphs by name.
    pub(crate) fn graphs(&self) -> &BTreeMap<String, Arc<dyn Graph>> {
        &self.inner.graphs
    }

    /// The graph of a name.
    pub(crate) fn graph(&self, name: &str) -> Option<&Arc<dyn Graph>> {
        self.inner.graphs.get(name)
    }

    /// Whether this process does what one of all that share the store does from time to time.
    pub(crate) fn is_eldest(&self) -> bool {
        self.inner.member.as_ref().is_none_or(|member| member.is_eldest())
    }

    /// Accepts a run on a thread that is there. When this returns, the run is stored, and has begun or waits, here or in another
    /// process that shares the store.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] on a busy thread under `reject`, and for the id of a run that is there; limits; the store's;
    /// [`Refusal::Unavailable`] where the process that has the thread does not answer.
    pub(crate) async fn submit(&self, thread: Uuid, new: NewRun) -> Result<Submitted, Refusal> {
        if self.inner.is_closing() {
            return Err(Refusal::Unavailable("the server stops; try again later".to_owned()));
        }
        // A client that goes away in between must not leave a run that is stored and never begins.
        let inner = Arc::clone(&self.inner);
        detached(Box::pin(inner.submit(thread, new))).await
    }

    /// The run, if it is under way or waits.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn live(&self, thread: Uuid, run: Uuid) -> Result<Option<Arc<LiveRun>>, Refusal> {
        if let Some(locked) = self.inner.queue_in_use(thread).await
            && let Some(live) = locked.find(run)
        {
            return Ok(Some(live));
        }
        if self.inner.member.is_none() {
            return Ok(None);
        }
        let record = self.inner.records.runs.find_of_thread(thread, run).await?;
        Ok(record.filter(|record| !record.status.is_final()).map(|record| self.inner.watched(&record)))
    }

    /// The calls of models that a run made so far which this process executes.
    pub(crate) async fn usage_so_far(&self, thread: Uuid, run: Uuid) -> Option<RunUsage> {
        Some(self.inner.queue_in_use(thread).await?.find(run)?.usage())
    }

    /// The run that is under way on a thread.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn current(&self, thread: Uuid) -> Result<Option<Arc<LiveRun>>, Refusal> {
        if let Some(locked) = self.inner.queue_in_use(thread).await {
            return Ok(locked.current());
        }
        let Some(member) = &self.inner.member else { return Ok(None) };
        if member.holder(thread).await? == Holder::Nobody {
            return Ok(None);
        }
        let runs = self.inner.records.runs.of_thread(thread).await?;
        let running = runs.iter().find(|run| run.status == RunStatus::Running);
        Ok(running.map(|record| self.inner.watched(record)))
    }

    /// Whether a run of the thread is under way or waits.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn is_busy(&self, thread: Uuid) -> Result<bool, Refusal> {
        self.inner.is_busy(thread).await
    }

    /// Cancels a run that is under way or waits, and returns it; its end can be awaited.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] for a run that is neither; the store's; [`Refusal::Unavailable`] where the process that has the
    /// thread does not answer.
    pub(crate) async fn cancel(&self, thread: Uuid, run: Uuid, cancel: Cancel) -> Result<Arc<LiveRun>, Refusal> {
        let live = match (self.inner.queue_in_use(thread).await, &self.inner.member) {
            (Some(locked), _) => locked.cancel(&self.inner, run, cancel).await?,
            (None, Some(member)) => self.inner.cancel_elsewhere(member, thread, run, cancel).await?,
            (None, None) => None,
        };
        live.ok_or_else(|| {
            Refusal::NotFound(format!("No matching runs to cancel: run {run} of thread {thread} is not under way"))
        })
    }

    /// Cancels all runs of a thread, the last one first, and waits until they have ended.
    ///
    /// # Errors
    /// The store's, where a run that waits cannot be recorded as cancelled; as [`cancel`](Self::cancel).
    pub(crate) async fn cancel_all(&self, thread: Uuid, cancel: Cancel) -> Result<(), Refusal> {
        while let Some(run) = self.last_run(thread).await? {
            match self.cancel(thread, run, cancel).await {
                Ok(live) => drop(live.ended().await),
                // It ended meanwhile.
                Err(Refusal::NotFound(_)) => {}
                Err(refusal) => return Err(refusal),
            }
        }
        Ok(())
    }

    /// The last of the runs of a thread that are under way or wait.
    async fn last_run(&self, thread: Uuid) -> Result<Option<Uuid>, Refusal> {
        if let Some(locked) = self.inner.queue_in_use(thread).await {
            return Ok(locked.runs().last().map(|live| live.run));
        }
        let Some(member) = &self.inner.member else { return Ok(None) };
        if member.holder(thread).await? == Holder::Nobody {
            return Ok(None);
        }
        let runs = self.inner.records.runs.of_thread(thread).await?;
        Ok(runs.iter().rfind(|run| !run.status.is_final()).map(|run| run.run_id))
    }

    /// Stops accepting runs, and stops those under way where they can be taken up again. Returns when all have stopped. Other
    /// processes that share the store take them up then.
    pub(crate) async fn drain(&self) {
        self.inner.is_closing.store(true, Ordering::Release);
        loop {
            let idle = self.inner.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable();
            let threads: Vec<Uuid> = self.inner.queues.iter().map(|queue| *queue.key()).collect();
            if threads.is_empty() {
                break;
            }
            for thread in threads {
                if let Some(locked) = self.inner.queue_in_use(thread).await {
                    locked.drain(&self.inner);
                }
            }
            idle.await;
        }
        if let Some(member) = &self.inner.member {
            member.leave().await;
        }
    }
}

impl Inner {
    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Acquire)
    }
}

pub(crate) fn now() -> u64 {
    SystemClock.now()
}
