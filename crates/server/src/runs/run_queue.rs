//! The runs of one thread: one under way, others waiting.
//!
//! 1. All that changes which run is next happens under the queue's lock, so that runs begin in the order in which they were
//!    accepted, save those that wait for a time.
//! 2. A run is stored before it is in the queue, and before it begins.
//! 3. A queue without runs leaves the table under its lock; whoever found it before sees that it is closed, and takes the one
//!    that is in the table then.
//! 4. Where several processes share the store, a queue is open in the one that holds its thread: the thread is claimed before
//!    the queue opens, and given back before it is closed.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use graphloom_core_graph::checkpoint::CheckpointRow;
use tokio::sync::{Mutex, OwnedMutexGuard};
use uuid::Uuid;

use crate::cluster::{Claim, News};
use crate::log::ThreadLog;
use crate::records::{Completion, Multitask, RecordError, RunRecord};
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
    /// A run never began that the thread may be recorded as busy with.
    has_unbegun: AtomicBool,
    /// As which member this process holds the thread.
    member: OnceLock<Uuid>,
    /// Another process holds the thread now.
    is_lost: AtomicBool,
    /// Runs were left that another process takes up.
    has_left: AtomicBool,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub(super) struct State {
    current: Option<Arc<LiveRun>>,
    waiting: VecDeque<Job>,
    stage: Stage,
    claim: Option<Claim>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// It is not known yet whether this process holds the thread.
    #[default]
    Opening,
    Open,
    /// The queue has left the table.
    Closed,
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

impl Job {
    /// A run that begins for the first time.
    pub(super) fn new(record: RunRecord, live: Arc<LiveRun>) -> Self {
        Self { record, live, attempt: 1, is_taken_up: false, goes_on: false, base: None }
    }
}

/// A queue that is in the table, under its lock.
pub(super) struct Locked {
    pub(super) queue: Arc<RunQueue>,
    state: OwnedMutexGuard<State>,
}

impl RunQueue {
    pub(super) fn new(thread: Uuid, log: Arc<ThreadLog>, is_shared: bool) -> Self {
        let stage = if is_shared { Stage::Opening } else { Stage::Open };
        Self {
            thread,
            log,
            unended: AtomicUsize::new(0),
            has_unbegun: AtomicBool::new(false),
            member: OnceLock::new(),
            is_lost: AtomicBool::new(false),
            has_left: AtomicBool::new(false),
            state: Arc::new(Mutex::new(State { stage, ..State::default() })),
        }
    }

    /// Counts a run that is accepted.
    pub(super) fn begin(&self) {
        self.unended.fetch_add(1, Ordering::AcqRel);
    }

    /// Counts a run that has ended.
    pub(super) fn end(&self) {
        self.unended.fetch_sub(1, Ordering::AcqRel);
    }

    /// Counts a run that never began, or was not accepted after all: who recorded the end of another one meanwhile recorded the
    /// thread as busy with it.
    pub(super) fn end_unbegun(&self) {
        self.has_unbegun.store(true, Ordering::Release);
        self.end();
    }

    /// Whether it is to be recorded how the thread stands: all runs have ended, and one never began. The first one that asks
    /// does it.
    pub(super) fn is_to_be_settled(&self) -> bool {
        self.unended() == 0 && self.has_unbegun.swap(false, Ordering::AcqRel)
    }

    /// How many runs were accepted and have not ended.
    pub(super) fn unended(&self) -> usize {
        self.unended.load(Ordering::Acquire)
    }

    /// Says that a run was left which another process takes up.
    pub(super) fn leave_run(&self) {
        self.has_left.store(true, Ordering::Release);
    }

    /// Whether this process is sure to hold the thread. Whoever changes a record of it asks here, between reading the record and
    /// putting it: one that took the thread over has put each of its records anew.
    ///
    /// # Errors
    /// [`RecordError::Conflict`] where it is not.
    pub(super) fn check(&self, inner: &Inner) -> Result<(), RecordError> {
        let is_sure = match (&inner.member, self.member.get()) {
            (Some(member), Some(id)) => !self.is_lost.load(Ordering::Acquire) && member.is_sure(*id),
            _ => true,
        };
        if is_sure {
            return Ok(());
        }
        Err(RecordError::Conflict("another process has taken the thread over; ask again".to_owned()))
    }

    /// Whether this process still holds the thread. Waits until that is known.
    pub(super) async fn is_held(&self, inner: &Inner) -> bool {
        let (Some(member), Some(id)) = (&inner.member, self.member.get()) else { return true };
        if !member.is_still(*id).await {
            self.is_lost.store(true, Ordering::Release);
        }
        !self.is_lost.load(Ordering::Acquire)
    }

    /// The queue under its lock, while it is not closed.
    pub(super) async fn lock(self: Arc<Self>) -> Option<Locked> {
        let state = Arc::clone(&self.state).lock_owned().await;
        (state.stage != Stage::Closed).then_some(Locked { queue: self, state })
    }
}

impl Inner {
    /// The queue of a thread that has runs here.
    pub(super) async fn queue_in_use(&self, thread: Uuid) -> Option<Locked> {
        let queue = self.queues.get(&thread).map(|queue| Arc::clone(&queue))?;
        queue.lock().await.filter(Locked::is_open)
    }
}

impl Locked {
    /// Whether this process holds the thread.
    pub(super) fn is_open(&self) -> bool {
        self.state.stage == Stage::Open
    }

    /// Opens the queue: this process holds the thread.
    pub(super) fn open(&mut self, claim: Claim) {
        self.queue.member.get_or_init(|| claim.member);
        self.state.claim = Some(claim);
        self.state.stage = Stage::Open;
    }

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

    /// Closes the queue, after its thread was given back.
    fn close(mut self, inner: &Arc<Inner>) {
        let (Some(claim), Some(member)) = (self.state.claim.take(), inner.member.clone()) else {
            return self.vanish(inner);
        };
        let inner = Arc::clone(inner);
        tokio::spawn(async move {
            let queue = Arc::clone(&self.queue);
            queue.log.settled().await;
            queue.log.follow();
            let has_left = queue.has_left.load(Ordering::Acquire);
            let given = if has_left { member.give_up(&claim).await } else { member.release(&claim).await };
            if let Err(error) = given {
                tracing::warn!(thread = %queue.thread, %error, "a thread could not be given back; it is held until it is used again");
            }
            self.vanish(&inner);
            if has_left {
                member.tell(News::Left);
            }
        });
    }

    /// Closes a queue that could not be opened: its thread is left to whoever takes it up.
    pub(super) async fn fail(mut self, inner: &Inner) {
        self.queue.log.follow();
        if let (Some(claim), Some(member)) = (self.state.claim.take(), &inner.member)
            && let Err(error) = member.give_up(&claim).await
        {
            tracing::warn!(thread = %self.queue.thread, %error, "a thread could not be given back; it is held until it is used again");
        }
        self.vanish(inner);
    }

    /// Takes the queue from the table.
    pub(super) fn vanish(mut self, inner: &Inner) {
        self.state.stage = Stage::Closed;
        inner.queues.remove_if(&self.queue.thread, |_, queue| Arc::ptr_eq(queue, &self.queue));
        inner.idle.notify_waiters();
    }

    /// Gives up the runs of a thread that another process holds now. They end here when they end there.
    pub(super) fn lose(mut self, inner: &Arc<Inner>) {
        tracing::warn!(thread = %self.queue.thread, "another process has taken a thread over");
        self.queue.is_lost.store(true, Ordering::Release);
        self.queue.log.follow();
        if let Some(current) = &self.state.current {
            // What it does from now on counts for nothing.
            current.drain();
        }
        for live in self.runs().filter(|live| live.is_live()) {
            inner.watch(self.queue.thread, live);
        }
        self.state.claim = None;
        self.vanish(inner);
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
