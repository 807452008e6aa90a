//! Steps of the lane that nothing has to wait for, in one poll of the run.

use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use crate::driver::attempt::{Attempt, NodeFuture, judge, poll_node};
use crate::driver::cell::TaskCell;
use crate::driver::drive::Driver;
use crate::driver::flight::Call;
use crate::driver::lane::Left;
use crate::driver::plain::Written;
use crate::machine::{Committed, Fault, Lone, Stop, TaskOutcome};
use crate::state::{Snapshot, State};

/// Why a sprint ended. `lone` is the task that it ended at.
pub(super) enum Pause<S: State, Cx> {
    Left(Left<S>),
    /// Others are to have their turn before the task begins.
    Turn,
    /// The run was asked to stop before the task began.
    Stopped(Stop),
    /// The task is to be waited for.
    Waiting(Box<Attempt<S, Call<S, Cx>>>),
    /// The commit of the task is to be written before the next goes on.
    Unwritten {
        committed: Box<Committed<S>>,
        next: Option<Lone>,
        now: u64,
    },
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Runs steps from the task `lone` on, as many as there is room for.
    pub(super) fn sprint(&mut self, lone: &mut Lone, room: &mut u32, waker: &mut TaskContext<'_>) -> Pause<S, Cx> {
        let mut spare: Option<Arc<TaskCell>> = None;
        while *room > 0 {
            *room -= 1;
            if let Some(reason) = self.session.control.reason() {
                return Pause::Stopped(reason);
            }
            let handler = self.runtime.function(lone.node, false);
            let timeout = self.runtime.topology.node(lone.node).timeout;
            let cell = if handler.wants_context() {
                let began = match self.runtime.topology.node(lone.node).retry[..] {
                    [] => 0,
                    _ => self.machine.begin(lone.id, self.session.clock.now()),
                };
                Some(self.lone_cell(*lone, began, spare.take()))
            } else {
                None
            };
            let context = cell.as_ref().map(|cell| self.runtime.context(cell));
            let state = Snapshot::new(Arc::clone(&self.machine.state));
            if timeout.is_set() {
                let call = Call { handler: Arc::clone(handler), input: None, state, context };
                return Pause::Waiting(Box::new(Attempt::new(call, timeout, cell)));
            }
            let mut running: Option<NodeFuture<S>> = None;
            let call = |waker: &mut TaskContext<'_>| handler.set_out(None, state, context, waker);
            let Poll::Ready(result) = poll_node(Some(call), &mut running, waker) else {
                return Pause::Waiting(Box::new(Attempt::begun(running, cell)));
            };
            let plain = cell.as_deref().is_none_or(TaskCell::is_silent) && self.onces().is_none();
            let step = match result {
                Ok(step) if plain && self.machine.strides(*lone, &step) => step,
                result => return Pause::Left(Left::With(lone.id, judge(result, cell.as_deref()))),
            };
            spare = cell;
            // Room for the task that follows, if one does.
            let has_room = self.take_room();
            let next = if self.machine.is_durable() {
                let Some(changes) = self.machine.encoded(&step) else {
                    if has_room {
                        self.give_room_back();
                    }
                    return Pause::Left(Left::With(lone.id, TaskOutcome::done(step, 0)));
                };
                let now = self.now();
                let strode = match self.machine.stride_stored(*lone, step.update, changes, now) {
                    Ok(strode) => strode,
                    Err(fault) => return Pause::Left(self.refused_in_lane(has_room, fault)),
                };
                let next = strode.next;
                if next.is_none() && has_room {
                    self.give_room_back();
                }
                match self.write_step(*lone, strode) {
                    Written::Now(Ok(())) => next,
                    Written::Now(Err(error)) => return Pause::Left(Left::Unwritten(error)),
                    Written::Later(committed) => return Pause::Unwritten { committed, next, now },
                }
            } else {
                let next = match self.machine.stride(*lone, step.update) {
                    Ok(next) => next,
                    Err(fault) => return Pause::Left(self.refused_in_lane(has_room, fault)),
                };
                if next.is_none() && has_room {
                    self.give_room_back();
                }
                next
            };
            match next {
                Some(next) => *lone = next,
                None => return Pause::Left(Left::Behind),
            }
        }
        Pause::Turn
    }

    /// What a refused commit leaves: no task follows.
    fn refused_in_lane(&self, has_room: bool, fault: Box<Fault>) -> Left<S> {
        if has_room {
            self.give_room_back();
        }
        Left::Refused(fault)
    }

    /// The services of the task, in the place of those of the task before, unless its node still holds them.
    fn lone_cell(&self, lone: Lone, began: u64, before: Option<Arc<TaskCell>>) -> Arc<TaskCell> {
        let info = self.runtime.topology.node(lone.node);
        let fresh = TaskCell::new(self.home(), lone.id, info, None, 1, self.machine.step(), began)
            .of_run(self.machine.is_of_run(lone.id));
        let fresh = if info.timeout.idle.is_some() { fresh.watch_idle() } else { fresh };
        fresh.shared(before)
    }
}
