//! The lane of one: runs steps of a single task, one after the other, in place.

use std::sync::Arc;

use crate::context::{Context, TaskServices};
use crate::driver::attempt::Attempt;
use crate::driver::cell::TaskCell;
use crate::driver::drive::Driver;
use crate::driver::plain::Written;
use crate::error::RunError;
use crate::machine::{Fault, Lone, Stop, TaskId, TaskOutcome};
use crate::state::{Snapshot, State};

/// A node that is always ready gives way to others after this many steps.
const STEPS_A_TURN: u32 = 512;

/// How the lane is left.
enum Left<S: State> {
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
        match self.stride(lone).await {
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

    async fn stride(&mut self, mut lone: Lone) -> Left<S> {
        let mut spare: Option<Arc<TaskCell>> = None;
        let mut steps = 0;
        loop {
            if steps == STEPS_A_TURN {
                steps = 0;
                tokio::task::yield_now().await;
            }
            steps += 1;
            if self.session.schedule.is_some() {
                Box::pin(self.await_turn(lone.id, 1)).await;
            }
            if let Some(reason) = self.session.control.reason() {
                self.machine.leave_lane(lone, reason);
                return Left::Behind;
            }
            let info = self.runtime.topology.node(lone.node);
            let handler = self.runtime.function(lone.node, false);
            let cell = if handler.wants_context() {
                let began = match info.retry {
                    Some(_) => self.machine.begin(lone.id, self.session.clock.now()),
                    None => 0,
                };
                Some(self.lone_cell(lone, began, spare.take()))
            } else {
                None
            };
            let context = cell.as_ref().map(|cell| {
                let services: Arc<dyn TaskServices> = Arc::clone(cell) as Arc<dyn TaskServices>;
                Context::new(services, self.runtime.shared_resources())
            });
            let state = Snapshot::new(Arc::clone(&self.machine.state));
            let attempt = Attempt::new(|| handler.call(None, state, context), info.timeout, cell.clone());
            spare = cell.or(spare);
            let outcome = match attempt.step_unless_cancelled(&self.session.control).await {
                Ok(step) if self.onces().is_none() => match self.machine.strides(lone, &step) {
                    Some(changes) => {
                        let now = self.now();
                        let strode = match self.machine.stride(lone, step, changes, now) {
                            Ok(strode) => strode,
                            Err(fault) => return Left::Refused(fault),
                        };
                        let next = strode.next;
                        if strode.stored.is_some() {
                            match self.write_step(lone, strode, now) {
                                Written::Now(Ok(())) => {}
                                Written::Now(Err(error)) => return Left::Unwritten(error),
                                Written::Later(written) => {
                                    if let Err(error) = written.await {
                                        return Left::Unwritten(Box::new(error));
                                    }
                                }
                            }
                        }
                        match next {
                            Some(next) => lone = next,
                            None => return Left::Behind,
                        }
                        continue;
                    }
                    None => TaskOutcome::done(step, 0),
                },
                Ok(step) => TaskOutcome::done(step, 0),
                Err(outcome) => outcome,
            };
            return Left::With(lone.id, outcome);
        }
    }

    /// The services of the task, in the place of those of the task before, unless its node still holds them.
    fn lone_cell(&self, lone: Lone, began: u64, before: Option<Arc<TaskCell>>) -> Arc<TaskCell> {
        let info = self.runtime.topology.node(lone.node);
        let fresh = TaskCell::new(self.home(), lone.id, &info.name, None, 1, self.machine.step(), began);
        let fresh = if info.timeout.idle.is_some() { fresh.watch_idle() } else { fresh };
        match before {
            Some(mut before) => match Arc::get_mut(&mut before) {
                Some(place) => {
                    *place = fresh;
                    before
                }
                None => Arc::new(fresh),
            },
            None => Arc::new(fresh),
        }
    }
}
