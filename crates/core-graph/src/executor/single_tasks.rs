//! The fast path of single tasks: runs super-steps of one task each, one after the other, in place.
//!
//! Each step is started by [`start_node`](TaskStart::start_node) and committed by
//! [`commit_in_place`](crate::machine::Machine::commit_in_place), as many in one poll of the run as need no wait. A task
//! that waits, a commit that is to be waited for, and whatever is out of the ordinary leave the poll, and the last of them
//! the fast path.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context as PollContext, Poll};

use crate::error::RunError;
use crate::executor::attempt::{Attempt, judge};
use crate::executor::run_loop::Driver;
use crate::executor::spans::SpanName;
use crate::executor::task_context::{TaskContext, TaskIdentity};
use crate::executor::task_start::{Call, TaskStart};
use crate::limits::FastPath;
use crate::machine::{Committed, Fault, SingleTask, TaskOutcome};
use crate::recorder::single_commit::Written;
use crate::state::State;
use crate::tasks::{Stop, TaskId};

/// The driver yields to other tasks of the runtime after this many steps in one poll.
pub(crate) const STEPS_PER_POLL: u32 = 512;

/// How the fast path ends.
pub(crate) enum SingleExit {
    /// Every task that it ran is committed.
    Committed,
    /// A task ended out of the ordinary. It is settled as any other.
    Ended(TaskId, TaskOutcome),
    /// The machine refused a commit.
    Refused(Box<Fault>),
    /// A commit could not be written.
    Unwritten(Box<RunError>),
}

/// Why `run_inline` returned.
pub(crate) enum InlinePause<S: State, Cx> {
    Left(SingleExit),
    /// Others are to have their turn before the task begins.
    Turn,
    /// The run was asked to stop before the task began.
    Stopped(Stop),
    /// The task is to be waited for.
    Waiting(Box<Attempt<S, Call<S, Cx>>>),
    /// The commit of the task is to be written before the next goes on.
    Unwritten {
        committed: Box<Committed>,
        next: Option<SingleTask>,
        now: u64,
    },
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Returns the task that runs next when the fast path can take it; the task is in flight then.
    pub(crate) fn enter_fast_path(&mut self) -> Option<SingleTask> {
        let kept = self.durable_steps().is_some() || self.recorder.session.calls.is_used();
        let avoided = !self.recorder.session.policy.takes(FastPath::SingleTasks);
        if !self.workers.is_empty() || !self.replay_order.is_over() || kept || avoided {
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
        self.machine.set_room(taken.into());
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
            SingleExit::Ended(id, outcome) => self.settle_one(id, outcome).await,
            SingleExit::Refused(fault) => self.refused(*fault).await,
            SingleExit::Unwritten(error) => Err(*error),
        }
    }

    /// Runs what the fast path can take of a run that nobody stores or reads. Returns `None` when more is left to do.
    pub(crate) async fn run_unobserved(&mut self) -> Result<Option<Stop>, RunError> {
        while let Some(single) = self.enter_fast_path() {
            self.run_single_tasks(single).await?;
        }
        let done = self.machine.is_idle() && self.workers.is_empty() && self.fault.is_none();
        Ok(done.then_some(Stop::Done))
    }

    async fn drive_single_tasks(&mut self, mut single: SingleTask) -> SingleExit {
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
                    let end = self.step_clock.end(self.machine.step());
                    let outcome = Box::pin(attempt.finish_unless_stopped(&self.recorder.session.control, end)).await;
                    return SingleExit::Ended(single.id, outcome);
                }
                InlinePause::Unwritten { committed, next, now } => {
                    if let Err(error) = self.record_commit(committed, now).await {
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

    /// Runs steps from the task `single` on, at most `room` of them. Leaves in `single` the task that it ended at.
    pub(crate) fn run_inline(
        &mut self,
        single: &mut SingleTask,
        room: &mut u32,
        waker: &mut PollContext<'_>,
    ) -> InlinePause<S, Cx> {
        let mut spare: Option<Arc<TaskContext>> = None;
        while *room > 0 {
            *room -= 1;
            if let Some(reason) = self.recorder.session.control.reason() {
                return InlinePause::Stopped(reason);
            }
            let mut task = self.start_single(*single, &mut spare);
            let Poll::Ready(mut result) = task.start_node(waker) else {
                return InlinePause::Waiting(Box::new(task.attempt()));
            };
            let services = task.services;
            let plain = services.as_deref().is_none_or(TaskContext::is_silent) && self.durable_steps().is_none();
            let update = match &mut result {
                Ok(step) if plain && self.machine.commits_in_place(*single, step) && self.machine.encode(step) => {
                    step.update.take()
                }
                _ => return InlinePause::Left(SingleExit::Ended(single.id, judge(result, services.as_deref()))),
            };
            spare = services;
            // Room for the task that follows, if one does.
            let has_room = self.take_room();
            let now = self.now();
            let committed = self.machine.commit_in_place(*single, update, now);
            let next = committed.as_ref().ok().and_then(|committed| committed.next);
            if next.is_none() && has_room {
                self.give_room_back();
            }
            let stored = match committed {
                Ok(committed) => committed.stored,
                Err(fault) => return InlinePause::Left(SingleExit::Refused(fault)),
            };
            if let Some(stored) = stored {
                match self.recorder.write_single(&mut self.machine, *single, stored) {
                    Written::Now(Ok(())) => {}
                    Written::Now(Err(error)) => return InlinePause::Left(SingleExit::Unwritten(error)),
                    Written::Later(committed) => {
                        let next = next.map(|node| self.machine.following(node));
                        return InlinePause::Unwritten { committed, next, now };
                    }
                }
            }
            match next {
                Some(node) => *single = self.machine.following(node),
                None => return InlinePause::Left(SingleExit::Committed),
            }
        }
        InlinePause::Turn
    }

    /// Prepares a single task. Its services take the allocation of those in `spare`, if that is free.
    #[inline]
    fn start_single(&mut self, single: SingleTask, spare: &mut Option<Arc<TaskContext>>) -> TaskStart<'_, S, Cx> {
        self.step_clock.start(self.machine.step());
        let node = self.runtime.topology.node(single.node);
        // A node that may be tried again wants to know when it first began.
        let began =
            if node.retry.is_empty() { 0 } else { self.machine.begin(single.id, self.recorder.session.clock.now()) };
        let function = self.runtime.function(single.node, false);
        let (graph, step) = (&self.runtime.topology.outline.name, self.machine.step());
        let span = self.spans.open(|| SpanName { graph, node: node.name.as_str(), attempt: 1, step });
        TaskStart::new(function, node, Arc::clone(&self.machine.state), span, || {
            let is_of_run = self.machine.is_of_run(single.id);
            let task = TaskIdentity { id: single.id, key: None, attempt: 1, is_of_run, step, began };
            TaskContext::new(self.namespace(), node, task, node.timeout).shared(spare.take())
        })
    }
}
