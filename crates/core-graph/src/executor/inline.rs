//! Runs steps of single tasks inline: as many as need no wait, in one poll of the run.

use std::sync::Arc;
use std::task::Context as PollContext;

use crate::executor::attempt::{Attempt, judge};
use crate::executor::run_loop::Driver;
use crate::executor::single_tasks::SingleExit;
use crate::executor::task_context::{TaskContext, TaskIdentity};
use crate::executor::task_start::{Call, FirstPoll, TaskStart};
use crate::machine::{Committed, SingleTask, TaskOutcome};
use crate::recorder::single_commit::Written;
use crate::state::State;
use crate::tasks::Stop;

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
            if let Some(reason) = self.recorder.session.control.reason() {
                return InlinePause::Stopped(reason);
            }
            let (result, services) = match self.start_single(*single, &mut spare).poll_first(waker) {
                FirstPoll::Ended(result, services) => (result, services),
                FirstPoll::Runs(attempt) => return InlinePause::Waiting(Box::new(attempt)),
            };
            let plain = services.as_deref().is_none_or(TaskContext::is_silent) && self.durable_steps().is_none();
            let step = match result {
                Ok(step) if plain && self.machine.commits_in_place(*single, &step) => step,
                result => return InlinePause::Left(SingleExit::Ended(single.id, judge(result, services.as_deref()))),
            };
            spare = services;
            let Some(changes) = self.machine.encoded(&step) else {
                return InlinePause::Left(SingleExit::Ended(single.id, TaskOutcome::done(step, 0)));
            };
            // Room for the task that follows, if one does.
            let has_room = self.take_room();
            let now = self.now();
            let committed = self.machine.commit_in_place(*single, step.update, changes, now);
            let next = committed.as_ref().ok().and_then(|committed| committed.next);
            if next.is_none() && has_room {
                self.give_room_back();
            }
            match committed.map(|committed| self.recorder.write_single(&mut self.machine, *single, committed)) {
                Ok(Written::Now(Ok(()))) => {}
                Ok(Written::Now(Err(error))) => return InlinePause::Left(SingleExit::Unwritten(error)),
                Ok(Written::Later(committed)) => return InlinePause::Unwritten { committed, next, now },
                Err(fault) => return InlinePause::Left(SingleExit::Refused(fault)),
            }
            match next {
                Some(next) => *single = next,
                None => return InlinePause::Left(SingleExit::Committed),
            }
        }
        InlinePause::Turn
    }

    /// Prepares a single task. Its services take the allocation of those in `spare`, if that is free.
    #[inline]
    fn start_single(&mut self, single: SingleTask, spare: &mut Option<Arc<TaskContext>>) -> TaskStart<'_, S, Cx> {
        let node = self.runtime.topology.node(single.node);
        // A node that may be tried again wants to know when it first began.
        let began =
            if node.retry.is_empty() { 0 } else { self.machine.begin(single.id, self.recorder.session.clock.now()) };
        let function = self.runtime.function(single.node, false);
        TaskStart::new(function, node, Arc::clone(&self.machine.state), || {
            let (is_of_run, step) = (self.machine.is_of_run(single.id), self.machine.step());
            let task = TaskIdentity { id: single.id, key: None, attempt: 1, is_of_run, step, began };
            TaskContext::new(self.namespace(), node, task, node.timeout).shared(spare.take())
        })
    }
}
