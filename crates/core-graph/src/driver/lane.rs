//! The lane of one: runs steps of a single task, one after the other, in place.

use std::sync::Arc;

use crate::context::{Context, TaskServices};
use crate::driver::attempt::Attempt;
use crate::driver::cell::TaskCell;
use crate::driver::drive::Driver;
use crate::error::RunError;
use crate::machine::{Lone, Strode, TaskOutcome};
use crate::state::{Snapshot, State};

/// A node that is always ready gives way to others after this many steps.
const STEPS_A_TURN: u64 = 512;

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// The task that runs next, when the machine's lane of one can take it.
    pub(super) fn enter_lane(&mut self) -> Option<Lone> {
        let session = &self.session;
        let plain = session.schedule.is_none() && session.policy.budget.is_none() && self.flight.is_empty();
        let kept = self.home.onces.is_used() || session.calls.is_used();
        if plain && self.turns.is_over() && !kept { self.machine.enter_lane() } else { None }
    }

    /// Runs the task and what follows it, as long as one task follows another. What is out of the ordinary is settled
    /// as for any task.
    pub(super) async fn stride(&mut self, mut lone: Lone) -> Result<(), RunError> {
        let mut spare: Option<Arc<TaskCell>> = None;
        loop {
            if self.machine.step().is_multiple_of(STEPS_A_TURN) {
                tokio::task::yield_now().await;
            }
            if let Some(reason) = self.session.control.reason() {
                self.machine.leave_lane(lone, reason);
                return Ok(());
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
                Ok(step) if !self.home.onces.is_used() => match self.machine.strides(lone, &step) {
                    Some(changes) => {
                        let now = self.now();
                        let Strode { next, committed } = match self.machine.stride(lone, step, changes, now) {
                            Ok(strode) => strode,
                            Err(fault) => return self.refused(*fault).await,
                        };
                        if let Some(committed) = committed {
                            self.publish(committed, now).await?;
                        }
                        match next {
                            Some(next) => lone = next,
                            None => return Ok(()),
                        }
                        continue;
                    }
                    None => TaskOutcome::done(step, 0),
                },
                Ok(step) => TaskOutcome::done(step, 0),
                Err(outcome) => outcome,
            };
            return self.settle_one(lone.id, outcome).await;
        }
    }

    /// The services of the task, in the place of those of the task before, unless its node still holds them.
    fn lone_cell(&self, lone: Lone, began: u64, before: Option<Arc<TaskCell>>) -> Arc<TaskCell> {
        let info = self.runtime.topology.node(lone.node);
        let fresh = TaskCell::new(&self.home, lone.id, &info.name, None, 1, self.machine.step(), began);
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
