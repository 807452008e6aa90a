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

use graphloom_core_graph::checkpoint::CheckpointRow;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::cluster::Claim;
use crate::log::ThreadLog;
use crate::records::{RecordError, RunRecord};
use crate::runs::Inner;
use crate::runs::live::LiveRun;
use crate::runs::locked::Locked;

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
    pub(super) member: OnceLock<Uuid>,
    /// Another process holds the thread now.
    pub(super) is_lost: AtomicBool,
    /// Runs were left that another process takes up.
    pub(super) has_left: AtomicBool,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) current: Option<Arc<LiveRun>>,
    pub(super) waiting: VecDeque<Job>,
    pub(super) stage: Stage,
    pub(super) claim: Option<Claim>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
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
