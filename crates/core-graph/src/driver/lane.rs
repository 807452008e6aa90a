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
        let session = &self.session;
        let plain = session.policy.budget.is_none() && self.flight.is_empty();
        let kept = self.onces().is_some() || session.calls.is_used();
        if !plain || !self.turns.is_over() || kept {
            return None;
        }
        self.shorten_steps();
        self.machine.enter_lane()
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
                Pause::Left(left) => return left,
                Pause::Turn => {
                    tokio::task::yield_now().await;
                    room = STEPS_A_TURN;
                }
                Pause::Stopped(reason) => {
                    self.machine.leave_lane(lone, reason);
                    return Left::Behind;
                }
                Pause::Waiting(attempt) => {
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
