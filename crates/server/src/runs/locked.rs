//! A queue under its lock: runs are accepted, started one after the other, and cancelled.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use uuid::Uuid;

use crate::records::{Completion, Multitask};
use crate::refusal::Refusal;
use crate::runs::live::{Cancel, LiveRun};
use crate::runs::run_queue::{Job, RunQueue, State};
use crate::runs::{Inner, NewRun, Submitted, now};

/// A queue that is in the table, under its lock.
pub(super) struct Locked {
    pub(super) queue: Arc<RunQueue>,
    pub(super) state: OwnedMutexGuard<State>,
}

impl Inner {
    /// The queue of a thread that has runs here.
    pub(super) async fn queue_in_use(&self, thread: Uuid) -> Option<Locked> {
        let queue = self.queues.get(&thread).map(|queue| Arc::clone(&queue))?;
        queue.lock().await.filter(Locked::is_open)
    }
}

impl Locked {
    /// Accepts a run: stores it, and starts it or puts it into the queue.
    pub(super) async fn accept(mut self, inner: &Arc<Inner>, new: NewRun) -> Result<Submitted, Refusal> {
        let may = async {
            self.queue.check(inner)?;
            if let Some(run) = new.run_id {
                inner.check_new(self.queue.thread, run, new.temporary.is_some()).await?;
            }
            self.make_way(inner, new.multitask).await
        };
        if let Err(refusal) = may.await {
            self.next(inner);
            return Err(refusal);
        }
        let starts = self.state.current.is_none() && new.start_at.is_none_or(|at| at <= now());
        let (before, graph) = (self.queue.log.last(), new.graph.clone());
        let is_of_thread = new.temporary != Some(Completion::Delete);
        self.queue.begin();
        let (record, base) = match inner.store_new(self.queue.thread, new, starts, before).await {
            Ok(stored) => stored,
            Err(refusal) => {
                self.queue.end_unbegun();
                if is_of_thread && let Err(error) = inner.record_rest(&self.queue, &graph).await {
                    tracing::warn!(thread = %self.queue.thread, %error, "it is not recorded how a thread stands");
                }
                self.next(inner);
                return Err(refusal);
            }
        };
        let live = LiveRun::new(record.run_id, before);
        let log = Arc::clone(&self.queue.log);
        let mut job = Job::new(record.clone(), Arc::clone(&live));
        job.base = base;
        self.add(inner, job);
        self.next(inner);
        Ok(Submitted { record, live, log, before })
    }

    /// Adds a run that is stored.
    pub(super) fn add(&mut self, inner: &Arc<Inner>, job: Job) {
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
        self.start_next(inner);
        if self.state.current.is_none() && self.state.waiting.is_empty() {
            self.close(inner);
        }
    }

    /// Starts the run that is next, if none is under way.
    pub(super) fn start_next(&mut self, inner: &Arc<Inner>) {
        if self.state.current.is_some() {
            return;
        }
        let now = now();
        let due = self.state.waiting.iter().position(|job| job.record.start_at.is_none_or(|at| at <= now));
        let Some(job) = due.and_then(|at| self.state.waiting.remove(at)) else { return };
        self.state.current = Some(Arc::clone(&job.live));
        let (inner, queue) = (Arc::clone(inner), Arc::clone(&self.queue));
        tokio::spawn(async move {
            inner.run(&queue, job).await;
            // Where it is closed, the thread was lost, and perhaps another queue is in the table.
            let Some(mut locked) = Arc::clone(&queue).lock().await else { return };
            if queue.is_lost.load(Ordering::Acquire) {
                return locked.lose(&inner);
            }
            locked.state.current = None;
            locked.next(&inner);
        });
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

    /// Cancels a run that is under way or waits; none where no such run is. Of one whose end is being recorded it waits for
    /// that: who is told that a run has ended finds it nowhere.
    pub(super) async fn cancel(
        mut self,
        inner: &Arc<Inner>,
        run: Uuid,
        cancel: Cancel,
    ) -> Result<Option<Arc<LiveRun>>, Refusal> {
        if let Some(live) = self.state.current.clone().filter(|live| live.run == run) {
            if live.cancel(cancel) {
                return Ok(Some(live));
            }
            drop(self);
            return match live.ended().await {
                Some(_) => Ok(None),
                None => Err(Refusal::Unavailable("the run was left for another process; try again".to_owned())),
            };
        }
        let at = self.state.waiting.iter().position(|job| job.live.run == run);
        let Some(job) = at.and_then(|at| self.state.waiting.remove(at)) else {
            self.next(inner);
            return Ok(None);
        };
        inner.drop_waiting(&self.queue, &job, cancel).await?;
        self.next(inner);
        Ok(Some(job.live))
    }

    /// Stops the run under way where it can be taken up again, and leaves those that wait in the store.
    pub(super) fn drain(mut self, inner: &Arc<Inner>) {
        for job in self.state.waiting.drain(..) {
            self.queue.leave_run();
            job.live.leave();
        }
        if let Some(current) = &self.state.current {
            current.drain();
        }
        self.next(inner);
    }
}
