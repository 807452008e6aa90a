//! The runs of one thread: one under way, others waiting.
//!
//! 1. All that changes which run is next happens under the desk's lock, so that runs begin in the order in which they were
//!    accepted, save those that wait for a time.
//! 2. A run is stored before it is in the queue.
//! 3. A desk with no run leaves the table under its lock; whoever found it before sees that it is closed and takes another.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use uuid::Uuid;

use crate::log::ThreadLog;
use crate::records::{Multitask, RunRecord, RunStatus, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::live::{Cancel, Ending, LiveRun};
use crate::runs::{Inner, NewRun, Submitted, now};

/// The runs of one thread.
pub(super) struct Desk {
    pub(super) thread: Uuid,
    pub(super) log: Arc<ThreadLog>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    current: Option<Arc<LiveRun>>,
    waiting: VecDeque<Waiting>,
    /// The desk has left the table.
    is_closed: bool,
}

pub(super) struct Waiting {
    pub(super) record: RunRecord,
    pub(super) live: Arc<LiveRun>,
    /// Counts from 1; more after a crash.
    pub(super) attempt: u32,
    /// Whether the run goes on where its process died.
    pub(super) goes_on: bool,
}

impl Desk {
    pub(super) fn new(thread: Uuid, log: Arc<ThreadLog>) -> Self {
        Self { thread, log, state: Mutex::default() }
    }

    /// Accepts a run: stores it, and starts it or puts it into the queue.
    pub(super) async fn accept(self: Arc<Self>, inner: &Arc<Inner>, new: NewRun) -> Result<Submitted, Refusal> {
        let mut desk = self;
        let mut state = Arc::clone(&desk).open(inner, &mut desk).await?;
        let is_busy = state.current.is_some() || !state.waiting.is_empty();
        if is_busy {
            match new.multitask {
                Multitask::Reject => {
                    return Err(Refusal::Conflict(
                        "Thread is already running a task. Wait for it to finish or choose a different multitask strategy."
                            .to_owned(),
                    ));
                }
                Multitask::Enqueue => {}
                Multitask::Interrupt | Multitask::Rollback => {
                    let cancel =
                        if new.multitask == Multitask::Rollback { Cancel::Rollback } else { Cancel::Interrupt };
                    for waiting in state.waiting.drain(..) {
                        desk.supersede(inner, waiting, cancel).await?;
                    }
                    if let Some(current) = &state.current {
                        current.cancel(cancel);
                    }
                }
            }
            if state.waiting.len() >= inner.limits.queued {
                return Err(Refusal::Unavailable(format!(
                    "{} runs wait on the thread, as many as there may be; try again later",
                    inner.limits.queued
                )));
            }
        }
        let starts = state.current.is_none() && new.start_at.is_none_or(|at| at <= now());
        let record = inner.record(desk.thread, new, starts);
        let live = LiveRun::new(record.run_id);
        let before = desk.log.last();
        inner.store(&record).await?;
        let waiting = Waiting { record: record.clone(), live: Arc::clone(&live), attempt: 1, goes_on: false };
        if starts {
            state.current = Some(Arc::clone(&live));
            drop(state);
            Arc::clone(&desk).spawn(inner, waiting);
        } else {
            if let Some(at) = record.start_at {
                desk.wake_at(inner, at);
            }
            state.waiting.push_back(waiting);
        }
        Ok(Submitted { record, live, log: Arc::clone(&desk.log), before })
    }

    /// The state of a desk that is in the table: this one, or the one that took its place.
    async fn open(self: Arc<Self>, inner: &Arc<Inner>, found: &mut Arc<Self>) -> Result<tokio::sync::OwnedMutexGuard<State>, Refusal> {
        unimplemented!()
    }
}
