//! The run manager: every run of every protocol goes through it.
//!
//! | rule | where |
//! | --- | --- |
//! | what a client wants is stored before it is answered, and what is accepted is run | `mod.rs`, [`RunManager::submit`] |
//! | a thread has one run at a time; what comes meanwhile waits, or takes its place | `run_queue.rs` |
//! | a run is stored with its thread, and executed | `start.rs` |
//! | how a run begins, of its order and how the thread stands | `plan.rs` |
//! | a run from its beginning to its end | `execute.rs` |
//! | how a failure is told | `failure.rs` |
//! | what the runtime tells goes to the log | `follow.rs` |
//! | a run has a span, in the trace of its request | `span.rs` |
//! | a run is recorded as ended after its last event is stored | `finish.rs` |
//! | what is posted of a run that has ended | `webhook_body.rs` |
//! | what a process that died did not tell is told from the store | `missing.rs` |
//! | a run whose process died goes on, or begins, when the server starts | `recover.rs` |
//! | a thread goes with all that belongs to it, or not at all | `remove.rs` |

mod execute;
mod failure;
mod finish;
mod follow;
mod live;
mod missing;
mod order;
mod plan;
mod recover;
mod remove;
mod run_queue;
mod span;
mod start;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod webhook_body;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dashmap::DashMap;
use graphloom_core_graph::{Clock, SystemClock};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::graph::{Fields, Graph, Stores};
use crate::log::{Logs, ThreadLog};
use crate::records::{Completion, Multitask, Records, RunRecord};
use crate::refusal::Refusal;
use crate::unattended::to_the_end;
use crate::webhooks::Webhooks;

pub(crate) use execute::interrupts;
pub(crate) use finish::pending;
pub(crate) use live::{Cancel, Ending, LiveRun};
pub(crate) use missing::difference;
pub(crate) use order::{Command, Config, Durable, Nodes, Order};
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

/// A run that a client wants.
#[derive(Clone, Debug)]
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
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                graphs,
                stores,
                records,
                logs,
                webhooks,
                queues: DashMap::new(),
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

    /// Accepts a run on a thread that is there. When this returns, the run is stored, and has begun or waits.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] on a busy thread under `reject`, and for the id of a run that is there; limits; the store's.
    pub(crate) async fn submit(&self, thread: Uuid, new: NewRun) -> Result<Submitted, Refusal> {
        let inner = &self.inner;
        if inner.is_closing.load(Ordering::Acquire) {
            return Err(Refusal::Unavailable("the server stops; try again later".to_owned()));
        }
        // A client that goes away in between must not leave a run that is stored and never begins.
        let inner = Arc::clone(inner);
        let is_temporary = new.temporary == Some(Completion::Delete);
        to_the_end(async move { inner.queue(thread, is_temporary).await?.accept(&inner, new).await }).await
    }

    /// The run, if this process executes it or holds it in a queue.
    pub(crate) async fn live(&self, thread: Uuid, run: Uuid) -> Option<Arc<LiveRun>> {
        self.inner.queue_in_use(thread).await?.find(run)
    }

    /// The run that is under way on a thread.
    pub(crate) async fn current(&self, thread: Uuid) -> Option<Arc<LiveRun>> {
        self.inner.queue_in_use(thread).await?.current()
    }

    /// Whether a run of the thread is under way or waits.
    pub(crate) fn is_busy(&self, thread: Uuid) -> bool {
        self.inner.queues.contains_key(&thread)
    }

    /// Cancels a run that is under way or waits, and returns it; its end can be awaited.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] for a run that is neither.
    pub(crate) async fn cancel(&self, thread: Uuid, run: Uuid, cancel: Cancel) -> Result<Arc<LiveRun>, Refusal> {
        let live = match self.inner.queue_in_use(thread).await {
            Some(locked) => locked.cancel(&self.inner, run, cancel).await?,
            None => None,
        };
        live.ok_or_else(|| {
            Refusal::NotFound(format!("No matching runs to cancel: run {run} of thread {thread} is not under way"))
        })
    }

    /// Cancels all runs of a thread, the last one first, and waits until they have ended.
    ///
    /// # Errors
    /// The store's, where a run that waits cannot be recorded as cancelled.
    pub(crate) async fn cancel_all(&self, thread: Uuid, cancel: Cancel) -> Result<(), Refusal> {
        while let Some(locked) = self.inner.queue_in_use(thread).await {
            let Some(run) = locked.runs().last().map(|live| live.run) else { break };
            if let Some(live) = locked.cancel(&self.inner, run, cancel).await? {
                live.ended().await;
            }
        }
        Ok(())
    }

    /// Stops accepting runs, and stops those under way where they can be taken up again. Returns when all have stopped.
    pub(crate) async fn drain(&self) {
        self.inner.is_closing.store(true, Ordering::Release);
        loop {
            let idle = self.inner.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable();
            let threads: Vec<Uuid> = self.inner.queues.iter().map(|queue| *queue.key()).collect();
            if threads.is_empty() {
                return;
            }
            for thread in threads {
                if let Some(locked) = self.inner.queue_in_use(thread).await {
                    locked.drain(&self.inner);
                }
            }
            idle.await;
        }
    }
}

pub(crate) fn now() -> u64 {
    SystemClock.now()
}
