//! The lane of one: runs steps of a single task, one after the other, in place.

use std::future::poll_fn;
use std::task::Poll;

use crate::driver::drive::Driver;
use crate::driver::sprint::Pause;
use crate::error::RunError;
use crate::machine::{Fault, Lone, Stop, TaskId, TaskOutcome};
use crate::state::State;

/// A node that is always ready gives way to others after this many steps.
pub(super) const STEPS_A_TURN: u32 = 512;

/// How the lane is left.
pub(super) enum Left<S: State> {
    /// Nothing is in flight.
    Behind,
    /// With a task that ended out of the ordinary, to be settled as any.
    With(TaskId, TaskOutcome<S>),
    /// With a commit that the machine refused.
    Refused(Box<Fault>),
    /// With a commit that could not be written.
    Unwritten(Box<RunError>),
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// The task that runs next, when the machine's lane of one can take it.
    pub(super) fn enter_lane(&mut self) -> Option<Lone> {
        let kept = self.onces().is_some() || self.session.calls.is_used();
        if !self.flight.is_empty() || !self.turns.is_over() || kept {
            return None;
        }
        self.shorten_steps();
        if !self.take_room() {
            return None;
        }
        let lone = self.machine.enter_lane();
        if lone.is_none() {
            self.give_room_back();
        }
        lone
    }

    /// Takes room in the budget for a task that the lane is about to dispatch; false when there is none.
    pub(super) fn take_room(&mut self) -> bool {
        let Some(budget) = self.session.policy.budget else { return true };
        let taken = !self.machine.is_only_counted() && self.session.budget.take_one(budget);
        self.machine.allow(taken.into());
        taken
    }

    /// Gives room back that no task took.
    pub(super) fn give_room_back(&self) {
        if self.session.policy.budget.is_some() {
            self.session.budget.give_one_back();
        }
    }

    /// Names the task that room in the budget was taken for: it leaves the lane before it is committed.
    fn name_in_budget(&self, lone: Lone) {
        if self.session.policy.budget.is_some() {
            self.session.budget.name(self.machine.task_path(lone.id));
        }
    }

    /// Runs the task and what follows it, as long as one task follows another.
    pub(super) async fn take_lane(&mut self, lone: Lone) -> Result<(), RunError> {
        match self.run_lane(lone).await {
            Left::Behind => Ok(()),
            Left::With(id, outcome) => Box::pin(self.settle_one(id, outcome)).await,
            Left::Refused(fault) => Box::pin(self.refused(*fault)).await,
            Left::Unwritten(error) => Err(*error),
        }
    }

    /// Runs what the lane can take of a run that nobody stores or reads. `None` when that is not all.
    pub(super) async fn glide(&mut self) -> Result<Option<Stop>, RunError> {
        while let Some(lone) = self.enter_lane() {
            self.take_lane(lone).await?;
        }
        let done = self.machine.is_idle() && self.flight.is_empty() && self.fault.is_none();
        Ok(done.then_some(Stop::Done))
    }

    async fn run_lane(&mut self, mut lone: Lone) -> Left<S> {
        let in_turn = self.session.schedule.is_some();
        let mut room = STEPS_A_TURN;
        loop {
            if in_turn {
                Box::pin(self.await_turn(lone.id, 1)).await;
                room = 1;
            }
            match poll_fn(|context| Poll::Ready(self.sprint(&mut lone, &mut room, context))).await {
                Pause::Left(left) => {
                    if let Left::With(..) | Left::Refused(_) = &left {
                        self.name_in_budget(lone);
                    }
                    return left;
                }
                Pause::Turn => {
                    tokio::task::yield_now().await;
                    room = STEPS_A_TURN;
                }
                Pause::Stopped(reason) => {
                    self.name_in_budget(lone);
                    self.machine.leave_lane(lone, reason);
                    return Left::Behind;
                }
                Pause::Waiting(attempt) => {
                    self.name_in_budget(lone);
                    let outcome = Box::pin(attempt.finish_unless_cancelled(&self.session.control)).await;
                    return Left::With(lone.id, outcome);
                }
                Pause::Unwritten { committed, next, now } => {
                    // On the heap: it is large.
                    if let Err(error) = Box::pin(self.publish(committed, now)).await {
                        return Left::Unwritten(Box::new(error));
                    }
                    match next {
                        Some(next) => lone = next,
                        None => return Left::Behind,
                    }
                }
            }
        }
    }
}
