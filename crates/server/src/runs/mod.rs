//! The run manager: every run of every protocol goes through it.
//!
//! | rule | where |
//! | --- | --- |
//! | what a client wants is stored before it is answered, and what is accepted is run | `mod.rs`, [`RunManager::submit`] |
//! | a thread has one run at a time; what comes meanwhile waits, or takes its place | `desk.rs` |
//! | how a run begins, of its order and how the thread stands | `plan.rs` |
//! | a run from its beginning to its end | `execute.rs` |
//! | what the runtime tells goes to the log | `follow.rs` |
//! | a run is recorded as ended after its last event is stored | `finish.rs` |
//! | a run whose process died goes on, or begins, when the server starts | `recover.rs` |

mod desk;
mod execute;
mod finish;
mod follow;
mod live;
mod order;
mod plan;
mod recover;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use dashmap::DashMap;
use graphloom_core_graph::checkpoint::delete_runs;
use graphloom_core_graph::{Clock, SystemClock};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::graph::{Fields, Graph, Stores};
use crate::log::{Logs, ThreadLog};
use crate::records::{Assistant, Completion, Multitask, Records, RunRecord, RunStatus, ThreadStatus};
use crate::refusal::Refusal;

use desk::Desk;
pub(crate) use execute::interrupts;
pub(crate) use live::{Cancel, Ending, LiveRun};
pub(crate) use order::{Command, Config, Durable, Nodes, Order};

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
    /// The threads that have runs or queues here.
    desks: DashMap<Uuid, Arc<Desk>>,
    /// Whether nothing new is accepted.
    is_closing: AtomicBool,
    /// Told when a desk is empty.
    idle: Notify,
    /// Names this process in the records of its runs.
    owner: String,
    limits: RunLimits,
}

/// How much is run at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunLimits {
    /// Runs under way on all threads together; more are refused.
    pub(crate) concurrent: usize,
    /// Runs that wait on one thread; more are refused.
    pub(crate) queued: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { concurrent: 10_000, queued: 1_000 }
    }
}

/// A run that a client wants.
#[derive(Clone, Debug)]
pub(crate) struct NewRun {
    pub(crate) assistant: Assistant,
    pub(crate) order: Order,
    pub(crate) metadata: Fields,
    pub(crate) multitask: Multitask,
    /// Milliseconds since 1970 before which it does not begin.
    pub(crate) start_at: Option<u64>,
    /// What becomes of the thread, which was made for the run alone.
    pub(crate) temporary: Option<Completion>,
    pub(crate) webhook: Option<String>,
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
        limits: RunLimits,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                graphs,
                stores,
                records,
                logs,
                desks: DashMap::new(),
                is_closing: AtomicBool::new(false),
                idle: Notify::new(),
                owner: Uuid::new_v4().to_string(),
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

    /// Accepts a run on a thread that is there. When this returns, the run is stored, and has begun or waits.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] on a busy thread under `reject`; limits; the store's.
    pub(crate) async fn submit(&self, thread: Uuid, new: NewRun) -> Result<Submitted, Refusal> {
        if self.inner.is_closing.load(Ordering::Acquire) {
            return Err(Refusal::Unavailable("the server stops; try again later".to_owned()));
        }
        if self.inner.desks.len() >= self.inner.limits.concurrent {
            return Err(Refusal::Unavailable(format!(
                "{} runs are under way, as many as there may be; try again later",
                self.inner.limits.concurrent
            )));
        }
        let desk = self.inner.desk(thread, new.temporary.is_some()).await?;
        desk.accept(&self.inner, new).await
    }

    /// The run, if this process executes it or holds it in a queue.
    pub(crate) async fn live(&self, thread: Uuid, run: Uuid) -> Option<Arc<LiveRun>> {
        let desk = self.inner.desks.get(&thread).map(|desk| Arc::clone(&desk))?;
        desk.find(run).await
    }

    /// Cancels a run that is under way or waits, and returns it; its end can be awaited.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] for a run that is neither.
    pub(crate) async fn cancel(&self, thread: Uuid, run: Uuid, cancel: Cancel) -> Result<Arc<LiveRun>, Refusal> {
        let none = || Refusal::NotFound(format!("No matching runs to cancel: run {run} of thread {thread} has ended"));
        let desk = self.inner.desks.get(&thread).map(|desk| Arc::clone(&desk)).ok_or_else(none)?;
        desk.cancel(&self.inner, run, cancel).await.ok_or_else(none)
    }

    /// Runs of a thread that are under way or wait, oldest first.
    pub(crate) async fn busy(&self, thread: Uuid) -> Vec<Uuid> {
        match self.inner.desks.get(&thread).map(|desk| Arc::clone(&desk)) {
            Some(desk) => desk.runs().await,
            None => Vec::new(),
        }
    }

    /// Whether a run of the thread is under way or waits here.
    pub(crate) fn is_busy(&self, thread: Uuid) -> bool {
        self.inner.desks.contains_key(&thread)
    }

    /// Deletes a thread with its checkpoints, runs and log; runs under way are cancelled first.
    ///
    /// # Errors
    /// [`Refusal::NotFound`]; the store's.
    pub(crate) async fn delete_thread(&self, thread: Uuid) -> Result<(), Refusal> {
        for run in self.busy(thread).await.into_iter().rev() {
            if let Ok(live) = self.cancel(thread, run, Cancel::Interrupt).await {
                live.ended().await;
            }
        }
        self.inner.records.threads.delete(thread).await?;
        self.inner.forget(thread).await
    }

    /// Stops accepting runs, and stops those under way where they can be taken up again. Returns when all have stopped.
    pub(crate) async fn drain(&self) {
        self.inner.is_closing.store(true, Ordering::Release);
        loop {
            let idle = self.inner.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable();
            let desks: Vec<_> = self.inner.desks.iter().map(|desk| Arc::clone(desk.value())).collect();
            if desks.is_empty() {
                return;
            }
            for desk in desks {
                desk.drain(&self.inner).await;
            }
            idle.await;
        }
    }
}

impl Inner {
    /// The desk of a thread.
    async fn desk(self: &Arc<Self>, thread: Uuid, is_temporary: bool) -> Result<Arc<Desk>, Refusal> {
        if let Some(desk) = self.desks.get(&thread) {
            return Ok(Arc::clone(&desk));
        }
        let log = if is_temporary { self.logs.fresh(thread, true) } else { self.logs.open(thread).await? };
        Ok(Arc::clone(&self.desks.entry(thread).or_insert_with(|| Arc::new(Desk::new(thread, log)))))
    }

    /// Deletes what a thread left that has no record any more.
    async fn forget(&self, thread: Uuid) -> Result<(), Refusal> {
        self.records.runs.delete_of(thread).await?;
        self.logs.delete(thread).await?;
        let failed = |error: graphloom_core_graph::checkpoint::CheckpointError| Refusal::Failed(error.to_string());
        let id = thread.to_string();
        if self.stores.checkpoints.thread(&id).await.map_err(failed)?.is_some() {
            self.stores.checkpoints.delete_thread(&id).await.map_err(failed)?;
        }
        Ok(())
    }
}

fn now() -> u64 {
    SystemClock.now()
}
