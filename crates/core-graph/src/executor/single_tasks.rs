//! The fast path of single tasks: runs super-steps of one task each, one after the other, in place.

use std::future::poll_fn;
use std::task::Poll;

use crate::error::RunError;
use crate::executor::inline::InlinePause;
use crate::executor::run_loop::Driver;
use crate::machine::{Fault, SingleTask, TaskOutcome};
use crate::state::State;
use crate::tasks::{Stop, TaskId};

/// The driver yields to other tasks of the runtime after this many steps in one poll.
pub(crate) const STEPS_PER_POLL: u32 = 512;

/// How the fast path ends.
pub(crate) enum SingleExit<S: State> {
    /// Every task that it ran is committed.
    Committed,
    /// A task ended out of the ordinary. It is settled as any other.
    Ended(TaskId, TaskOutcome<S>),
    /// The machine refused a commit.
    Refused(Box<Fault>),
    /// A commit could not be written.
    Unwritten(Box<RunError>),
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Returns the task that runs next when the fast path can take it; the task is in flight then.
    pub(crate) fn take_single_task(&mut self) -> Option<SingleTask> {
        let kept = self.durable_steps().is_some() || self.recorder.session.calls.is_used();
        if !self.workers.is_empty() || !self.replay_order.is_over() || kept {
            return None;
        }
        self.recorder.compact_steps(&mut self.machine);
        if !self.take_room() {
            return None;
        }
        let single = self.machine.take_single_task();
        if single.is_none() {
            self.give_room_back();
        }
        single
    }

    /// Takes room in the budget for one task. Returns false when there is none.
    pub(crate) fn take_room(&mut self) -> bool {
        let Some(budget) = self.recorder.session.policy.budget else { return true };
        let taken = !self.machine.is_only_counted() && self.recorder.session.budget.take_one(budget);
        self.machine.allow(taken.into());
        taken
    }

    /// Gives room back that no task took.
    pub(crate) fn give_room_back(&self) {
        if self.recorder.session.policy.budget.is_some() {
            self.recorder.session.budget.give_one_back();
        }
    }

    /// Names the task that room in the budget was taken for: the task leaves the fast path before it is committed.
    fn name_in_budget(&self, single: SingleTask) {
        if self.recorder.session.policy.budget.is_some() {
            self.recorder.session.budget.name(self.machine.task_path(single.id));
        }
    }

    /// Runs the task and what follows it, as long as one task follows another.
    pub(crate) async fn run_single_tasks(&mut self, single: SingleTask) -> Result<(), RunError> {
        match self.drive_single_tasks(single).await {
            SingleExit::Committed => Ok(()),
            SingleExit::Ended(id, outcome) => Box::pin(self.settle_one(id, outcome)).await,
            SingleExit::Refused(fault) => Box::pin(self.refused(*fault)).await,
            SingleExit::Unwritten(error) => Err(*error),
        }
    }

    /// Runs what the fast path can take of a run that nobody stores or reads. Returns `None` when more is left to do.
    pub(crate) async fn run_unobserved(&mut self) -> Result<Option<Stop>, RunError> {
        while let Some(single) = self.take_single_task() {
            self.run_single_tasks(single).await?;
        }
        let done = self.machine.is_idle() && self.workers.is_empty() && self.fault.is_none();
        Ok(done.then_some(Stop::Done))
    }

    async fn drive_single_tasks(&mut self, mut single: SingleTask) -> SingleExit<S> {
        let in_turn = self.recorder.session.schedule.is_some();
        let mut room = STEPS_PER_POLL;
        loop {
            if in_turn {
                Box::pin(self.await_turn(single.id, 1)).await;
                room = 1;
            }
            match poll_fn(|context| Poll::Ready(self.run_inline(&mut single, &mut room, context))).await {
                InlinePause::Left(left) => {
                    if let SingleExit::Ended(..) | SingleExit::Refused(_) = &left {
                        self.name_in_budget(single);
                    }
                    return left;
                }
                InlinePause::Turn => {
                    tokio::task::yield_now().await;
                    room = STEPS_PER_POLL;
                }
                InlinePause::Stopped(reason) => {
                    self.name_in_budget(single);
                    self.machine.put_single_back(single, reason);
                    return SingleExit::Committed;
                }
                InlinePause::Waiting(attempt) => {
                    self.name_in_budget(single);
                    let outcome = Box::pin(attempt.finish_unless_cancelled(&self.recorder.session.control)).await;
                    return SingleExit::Ended(single.id, outcome);
                }
                InlinePause::Unwritten { committed, next, now } => {
                    // On the heap: it is large.
                    if let Err(error) = Box::pin(self.publish(committed, now)).await {
                        return SingleExit::Unwritten(Box::new(error));
                    }
                    match next {
                        Some(next) => single = next,
                        None => return SingleExit::Committed,
                    }
                }
            }
        }
    }
}
