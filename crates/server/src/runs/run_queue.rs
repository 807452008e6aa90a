//! The runs of one thread: one under way, others waiting.
//!
//! 1. All that changes which run is next happens under the queue's lock, so that runs begin in the order in which they were
//!    accepted, save those that wait for a time.
//! 2. A run is stored before it is in the queue, and before it begins.
//! 3. A queue without runs leaves the table under its lock; whoever found it before sees that it is closed, and takes the one
//!    that is in the table then.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use graphloom_core_graph::checkpoint::CheckpointRow;
use tokio::sync::{Mutex, OwnedMutexGuard};
use uuid::Uuid;

use crate::log::ThreadLog;
use crate::records::{Multitask, RunRecord};
use crate::refusal::Refusal;
use crate::runs::live::{Cancel, LiveRun};
use crate::runs::{Inner, NewRun, Submitted, now};

/// The runs of one thread.
pub(super) struct RunQueue {
    pub(super) thread: Uuid,
    pub(super) log: Arc<ThreadLog>,
    /// Runs that were accepted and have not ended. One is counted before the thread is recorded as busy with it, so that
    /// whoever records the end of another one after that sees it.
    unended: AtomicUsize,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub(super) struct State {
    current: Option<Arc<LiveRun>>,
    waiting: VecDeque<Job>,
    /// The queue has left the table.
    is_closed: bool,
}

/// A run to execute.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) record: RunRecord,
    pub(super) live: Arc<LiveRun>,
    /// Counts from 1; more after a crash.
    pub(super) attempt: u32,
    /// Whether another process had begun it.
    pub(super) is_taken_up: bool,
    /// Whether the run goes on where its process died.
    pub(super) goes_on: bool,
    /// The checkpoint on which it begins; read when it begins, for a run that waited.
    pub(super) base: Option<CheckpointRow>,
}

/// A queue that is in the table, under its lock.
pub(super) struct Locked {
    pub(super) queue: Arc<RunQueue>,
    state: OwnedMutexGuard<State>,
}

impl RunQueue {
    pub(super) fn new(thread: Uuid, log: Arc<ThreadLog>) -> Self {
        Self { thread, log, unended: AtomicUsize::new(0), state: Arc::default() }
    }

    /// Counts a run that is accepted.
    pub(super) fn begin(&self) {
        self.unended.fetch_add(1, Ordering::AcqRel);
    }

    /// Counts a run that has ended, or was not accepted after all.
    pub(super) fn end(&self) {
        self.unended.fetch_sub(1, Ordering::AcqRel);
    }

    /// How many runs were accepted and have not ended.
    pub(super) fn unended(&self) -> usize {
        self.unended.load(Ordering::Acquire)
    }

    async fn lock(self: Arc<Self>) -> Option<Locked> {
        let state = Arc::clone(&self.state).lock_owned().await;
        (!state.is_closed).then_some(Locked { queue: self, state })
    }
}

impl Inner {
    /// The queue of a thread, made where there is none.
    pub(super) async fn queue(&self, thread: Uuid, is_temporary: bool) -> Result<Locked, Refusal> {
        loop {
            if let Some(locked) = self.queue_in_use(thread).await {
                return Ok(locked);
            }
            let log = if is_temporary { self.logs.fresh(thread, true) } else { self.logs.open(thread).await? };
            self.queues.entry(thread).or_insert_with(|| Arc::new(RunQueue::new(thread, log)));
        }
    }

    /// The queue of a thread that has runs.
    pub(super) async fn queue_in_use(&self, thread: Uuid) -> Option<Locked> {
        let queue = self.queues.get(&thread).map(|queue| Arc::clone(&queue))?;
        queue.lock().await
    }
}

impl Locked {
    /// Accepts a run: stores it, and starts it or puts it into the queue.
    pub(super) async fn accept(mut self, inner: &Arc<Inner>, new: NewRun) -> Result<Submitted, Refusal> {
        if let Err(refusal) = self.make_way(inner, new.multitask).await {
            self.next(inner);
            return Err(refusal);
        }
        let starts = self.state.current.is_none() && new.start_at.is_none_or(|at| at <= now());
        let before = self.queue.log.last();
        self.queue.begin();
        let (record, base) = match inner.store_new(self.queue.thread, new, starts, before).await {
            Ok(stored) => stored,
            Err(refusal) => {
                self.queue.end();
                self.next(inner);
                return Err(refusal);
            }
        };
        let live = LiveRun::new(record.run_id);
        let log = Arc::clone(&self.queue.log);
        self.add(
            inner,
            Job {
                record: record.clone(),
                live: Arc::clone(&live),
                attempt: 1,
                is_taken_up: false,
                goes_on: false,
                base,
            },
        );
        Ok(Submitted { record, live, log, before })
    }

    /// Adds a run that is stored, and starts it if it is next.
    pub(super) fn add(mut self, inner: &Arc<Inner>, job: Job) {
        if let Some(at) = job.record.start_at.filter(|at| *at > now()) {
            let (inner, thread) = (Arc::clone(inner), self.queue.thread);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(at.saturating_sub(now()))).await;
                if let Some(locked) = inner.queue_in_use(thread).await {
                    locked.next(&inner);
                }
            });
        }
        self.state.waiting.push_back(job);
        self.next(inner);
    }

    /// Does with the runs that are there what a new one asks for.
    async fn make_way(&mut self, inner: &Arc<Inner>, multitask: Multitask) -> Result<(), Refusal> {
        let is_busy = self.state.current.is_some() || !self.state.waiting.is_empty();
        match multitask {
            Multitask::Reject if is_busy => {
                return Err(Refusal::Conflict(
                    "Thread is already running a task. Wait for it to finish or choose a different multitask strategy."
                        .to_owned(),
                ));
            }
            Multitask::Reject | Multitask::Enqueue => {}
            Multitask::Interrupt | Multitask::Rollback => {
                let cancel = if multitask == Multitask::Rollback { Cancel::Rollback } else { Cancel::Interrupt };
                while let Some(job) = self.state.waiting.pop_front() {
                    inner.drop_waiting(&self.queue, &job, cancel).await?;
                }
                if let Some(current) = &self.state.current {
                    current.cancel(cancel);
                }
            }
        }
        if self.state.waiting.len() >= inner.limits.queued {
            let queued = inner.limits.queued;
            return Err(Refusal::TooMany(format!(
                "{queued} runs wait on the thread, as many as there may be; try again later"
            )));
        }
        Ok(())
    }

    /// Starts the run that is next, if none is under way; closes the queue where there is none.
    pub(super) fn next(mut self, inner: &Arc<Inner>) {
        if self.state.current.is_some() {
            return;
        }
        let now = now();
        let due = self.state.waiting.iter().position(|job| job.record.start_at.is_none_or(|at| at <= now));
        match due.and_then(|at| self.state.waiting.remove(at)) {
            Some(job) => {
                self.state.current = Some(Arc::clone(&job.live));
                let (inner, queue) = (Arc::clone(inner), Arc::clone(&self.queue));
                tokio::spawn(async move {
                    inner.run(&queue, job).await;
                    if let Some(mut locked) = inner.queue_in_use(queue.thread).await {
                        locked.state.current = None;
                        locked.next(&inner);
                    }
                });
            }
            None if self.state.waiting.is_empty() => self.close(inner),
            None => {}
        }
    }

    fn close(&mut self, inner: &Inner) {
        self.state.is_closed = true;
        inner.queues.remove(&self.queue.thread);
        inner.idle.notify_waiters();
    }

    /// The run of an id.
    pub(super) fn find(&self, run: Uuid) -> Option<Arc<LiveRun>> {
        self.runs().find(|live| live.run == run).map(Arc::clone)
    }

    /// Runs that are under way or wait, in the order in which they are to run.
    pub(super) fn runs(&self) -> impl Iterator<Item = &Arc<LiveRun>> {
        self.state.current.iter().chain(self.state.waiting.iter().map(|job| &job.live))
    }

    /// The run that is under way.
    pub(super) fn current(&self) -> Option<Arc<LiveRun>> {
        self.state.current.clone()
    }

    /// Cancels a run that is under way or waits.
    pub(super) async fn cancel(
        mut self,
        inner: &Arc<Inner>,
        run: Uuid,
        cancel: Cancel,
    ) -> Result<Option<Arc<LiveRun>>, Refusal> {
        if let Some(live) = self.state.current.clone().filter(|live| live.run == run) {
            live.cancel(cancel);
            return Ok(Some(live));
        }
        let Some(at) = self.state.waiting.iter().position(|job| job.live.run == run) else { return Ok(None) };
        let Some(job) = self.state.waiting.remove(at) else { return Ok(None) };
        inner.drop_waiting(&self.queue, &job, cancel).await?;
        self.next(inner);
        Ok(Some(job.live))
    }

    /// Stops the run under way where it can be taken up again, and leaves those that wait in the store.
    pub(super) fn drain(mut self, inner: &Arc<Inner>) {
        for job in self.state.waiting.drain(..) {
            job.live.leave();
        }
        if let Some(current) = &self.state.current {
            current.drain();
        }
        self.next(inner);
    }
}
