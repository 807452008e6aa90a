//! What another process left that shares the store is taken up here.
//!
//! Whoever held a thread before commits no more to it and puts no record of it any more, before one of its runs goes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use graphloom_core_graph::checkpoint::{CheckpointError, Commit};
use graphloom_core_graph::store::StoreError;
use uuid::Uuid;

use crate::cluster::{Holder, Member};
use crate::log::{Interrupt, LogEvent, TailError};
use crate::records::{RecordError, RunRecord, RunStatus, ThreadRecord};
use crate::refusal::Refusal;
use crate::runs::Inner;
use crate::runs::execute::interrupts;
use crate::runs::locked::Locked;
use crate::runs::place::{Opening, Place};
use crate::runs::run_queue::RunQueue;

/// The longest that a checkpointer leaves a thread to a process that is silent.
const LONGEST_LEASE: Duration = Duration::from_secs(120);

/// Threads that are taken up at a time.
const AT_ONCE: usize = 16;

/// Before a thread is asked for again that the checkpointer leaves to another process.
const AGAIN: Duration = Duration::from_millis(50);

impl Inner {
    /// Takes up what processes left that are gone, or stopped.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn take_up_left(self: &Arc<Self>, member: &Member) -> Result<(), Refusal> {
        // A thread is claimed before it gets a run, and given back after the end of its last one.
        let mut threads = self.records.runs.unfinished_threads().await?;
        for (thread, holder) in member.claims().await? {
            match holder {
                Holder::Left => drop(threads.insert(thread)),
                Holder::Member(_) => drop(threads.remove(&thread)),
                Holder::Nobody => {}
            }
        }
        let take_up = async |thread| {
            if self.is_closing() {
                return;
            }
            // One that fails is found again; it must not hold the others up.
            match self.place(thread, Opening::taking_up()).await {
                Ok(Place::Here(locked)) => locked.next(self),
                Ok(Place::There(_)) => {}
                Err(error) => tracing::error!(%thread, %error, "a thread cannot be taken up"),
            }
        };
        futures::stream::iter(threads).for_each_concurrent(AT_ONCE, take_up).await;
        Ok(())
    }

    /// Takes up the runs of a thread that another process left, which this one holds now.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn take_up_thread(
        self: &Arc<Self>,
        locked: &mut Locked,
        left: Vec<RunRecord>,
    ) -> Result<(), Refusal> {
        let thread = locked.queue.thread;
        let (over, unfinished): (Vec<_>, Vec<_>) = left.into_iter().partition(|run| run.status.is_final());
        for record in over {
            self.end_again(&record, &locked.queue.log).await?;
        }
        self.tell_untold_end(&locked.queue).await?;
        if unfinished.is_empty() {
            return self.settle_if_busy(thread).await;
        }
        self.shut_out(thread).await?;
        for record in unfinished {
            // Whoever read a record before and would put it now finds that it was put anew.
            let queue = Arc::clone(&locked.queue);
            let again = |_: &mut RunRecord| queue.check(self);
            let record = self.records.runs.update(thread, record.run_id, again).await?;
            self.take_up(locked, record).await?;
        }
        Ok(())
    }

    /// Makes sure that a process which had a thread before commits no more to it.
    async fn shut_out(&self, thread: Uuid) -> Result<(), Refusal> {
        let (checkpoints, id, began) = (&self.stores.checkpoints, thread.to_string(), Instant::now());
        if checkpoints.thread(&id).await?.is_none() {
            return Ok(());
        }
        loop {
            match checkpoints.acquire(&id).await {
                Ok(lease) => {
                    // A commit of nothing raises the epoch.
                    let shut = checkpoints.commit(&lease, Commit { release: true, ..Commit::default() }).await;
                    checkpoints.release(&lease);
                    return Ok(shut?);
                }
                // The checkpointer leaves it to the other one for a while yet.
                Err(CheckpointError::ThreadBusy { .. }) if began.elapsed() < LONGEST_LEASE => {
                    tokio::time::sleep(AGAIN).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Tells the end of the run that told last, where it was taken back and its record is gone: the process died between the two.
    async fn tell_untold_end(&self, queue: &RunQueue) -> Result<(), Refusal> {
        let Some(last) = queue.log.last().checked_sub(1) else { return Ok(()) };
        let entry = match queue.log.after(last).ready().await {
            Ok(entry) => entry,
            // Its runs fail where they are taken up, and say why.
            Err(TailError::Gone { .. } | TailError::Store(StoreError::Corrupt { .. })) => return Ok(()),
            Err(error) => return Err(Refusal::Failed(error.to_string())),
        };
        let is_told = |event: &LogEvent| matches!(event, LogEvent::RunEnded { .. } | LogEvent::StateUpdated { .. });
        let Some(entry) = entry.filter(|entry| !is_told(&entry.event)) else {
            return Ok(());
        };
        if self.records.runs.find_of_thread(queue.thread, entry.run).await?.is_some() {
            return Ok(());
        }
        let interrupts = match self.records.threads.get(queue.thread).await {
            Ok(thread) => self.open_questions(&thread).await?,
            Err(RecordError::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let status = RunStatus::Interrupted.as_str().to_owned();
        queue.log.append(entry.run, "".into(), 0, LogEvent::RunEnded { status, failure: None, interrupts });
        Ok(())
    }

    async fn open_questions(&self, thread: &ThreadRecord) -> Result<Vec<Interrupt>, Refusal> {
        let Some(graph) = thread.graph.as_ref().and_then(|graph| self.graphs.get(graph)) else {
            return Ok(Vec::new());
        };
        let id = thread.thread_id.to_string();
        Ok(interrupts(&id, &graph.view(&id, None).await?))
    }
}
