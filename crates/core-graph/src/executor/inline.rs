//! Runs steps of single tasks inline: as many as need no wait, in one poll of the run.

use std::sync::Arc;
use std::task::{Context as PollContext, Poll};

use crate::executor::attempt::{Attempt, judge, poll_node};
use crate::executor::run_loop::Driver;
use crate::executor::single_tasks::SingleExit;
use crate::executor::task_context::TaskContext;
use crate::executor::workers::Call;
use crate::handler::NodeFuture;
use crate::machine::{Committed, Fault, SingleTask, Stop, TaskOutcome};
use crate::recorder::compact_step::Written;
use crate::state::{Snapshot, State};

/// Why `run_inline` returned.
pub(crate) enum InlinePause<S: State, Cx> {
    Left(SingleExit<S>),
    /// Others are to have their turn before the task begins.
    Turn,
    /// The run was asked to stop before the task began.
    Stopped(Stop),
    /// The task is to be waited for.
    Waiting(Box<Attempt<S, Call<S, Cx>>>),
    /// The commit of the task is to be written before the next goes on.
    Unwritten {
        committed: Box<Committed<S>>,
        next: Option<SingleTask>,
        now: u64,
    },
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
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
            if let Some(reason) = self.session.control.reason() {
                return InlinePause::Stopped(reason);
            }
            let handler = self.runtime.function(single.node, false);
            let timeout = self.runtime.topology.node(single.node).timeout;
            let services = if handler.wants_context() {
                let began = match self.runtime.topology.node(single.node).retry[..] {
                    [] => 0,
                    _ => self.machine.begin(single.id, self.session.clock.now()),
                };
                Some(self.single_context(*single, began, spare.take()))
            } else {
                None
            };
            let context = services.as_ref().map(|services| self.runtime.context(services));
            let state = Snapshot::new(Arc::clone(&self.machine.state));
            if timeout.is_set() {
                let call = Call { handler: Arc::clone(handler), input: None, state, context };
                return InlinePause::Waiting(Box::new(Attempt::new(call, timeout, services)));
            }
            let mut running: Option<NodeFuture<S>> = None;
            let call = |waker: &mut PollContext<'_>| handler.start_call(None, state, context, waker);
            let Poll::Ready(result) = poll_node(Some(call), &mut running, waker) else {
                return InlinePause::Waiting(Box::new(Attempt::begun(running, services)));
            };
            let plain = services.as_deref().is_none_or(TaskContext::is_silent) && self.durable_steps().is_none();
            let step = match result {
                Ok(step) if plain && self.machine.commits_single(*single, &step) => step,
                result => return InlinePause::Left(SingleExit::Ended(single.id, judge(result, services.as_deref()))),
            };
            spare = services;
            // Room for the task that follows, if one does.
            let has_room = self.take_room();
            let next = if self.machine.is_durable() {
                let Some(changes) = self.machine.encoded(&step) else {
                    if has_room {
                        self.give_room_back();
                    }
                    return InlinePause::Left(SingleExit::Ended(single.id, TaskOutcome::done(step, 0)));
                };
                let now = self.now();
                let committed_single = match self.machine.commit_single_stored(*single, step.update, changes, now) {
                    Ok(committed_single) => committed_single,
                    Err(fault) => return InlinePause::Left(self.refused_inline(has_room, fault)),
                };
                let next = committed_single.next;
                if next.is_none() && has_room {
                    self.give_room_back();
                }
                match self.write_step(*single, committed_single) {
                    Written::Now(Ok(())) => next,
                    Written::Now(Err(error)) => return InlinePause::Left(SingleExit::Unwritten(error)),
                    Written::Later(committed) => return InlinePause::Unwritten { committed, next, now },
                }
            } else {
                let next = match self.machine.commit_single(*single, step.update) {
                    Ok(next) => next,
                    Err(fault) => return InlinePause::Left(self.refused_inline(has_room, fault)),
                };
                if next.is_none() && has_room {
                    self.give_room_back();
                }
                next
            };
            match next {
                Some(next) => *single = next,
                None => return InlinePause::Left(SingleExit::Committed),
            }
        }
        InlinePause::Turn
    }

    /// Returns the exit of a commit that was refused, and gives room in the budget back: no task follows.
    fn refused_inline(&self, has_room: bool, fault: Box<Fault>) -> SingleExit<S> {
        if has_room {
            self.give_room_back();
        }
        SingleExit::Refused(fault)
    }

    /// Returns the services of the task, in the allocation of those of the task before if that is free.
    fn single_context(&self, single: SingleTask, began: u64, before: Option<Arc<TaskContext>>) -> Arc<TaskContext> {
        let info = self.runtime.topology.node(single.node);
        let fresh = TaskContext::new(self.namespace(), single.id, info, None, 1, self.machine.step(), began)
            .of_run(self.machine.is_of_run(single.id));
        let fresh = if info.timeout.idle.is_some() { fresh.watch_idle() } else { fresh };
        fresh.shared(before)
    }
}
