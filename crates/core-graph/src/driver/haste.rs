//! Tasks of quick nodes begin in place.
//!
//! Waking a thread takes longer than many nodes do. Tasks of nodes that have been quick are polled by the driver itself,
//! for a short time; hands take what is left. A node that suddenly computes holds up the others by one task, or by a few
//! when its first were quick, and is given hands from then on.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Instant;

use smallvec::SmallVec;

use crate::driver::cell::Home;
use crate::driver::crew::{Begun, Crew};
use crate::driver::drive::Driver;
use crate::driver::settle::Left;
use crate::graph::{HAND_OVER, HASTE};
use crate::machine::{Due, TaskId};
use crate::state::State;

/// A look at the clock takes as long as a twentieth of a task: after so many of one node, only every so many are looked
/// at, all together.
const GLANCE: u32 = 4;

/// What tasks that ended in place lead to.
#[derive(Default)]
pub(super) struct Hastened {
    pub(super) left: Left,
    /// How many of them there are.
    landed: usize,
    /// What is to be committed.
    pub(super) finished: SmallVec<[TaskId; 4]>,
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Whether the nodes of a dispatch, which are mostly one, have been quick.
    pub(super) fn are_quick(&self, tasks: &[Due]) -> bool {
        let fan_outs = tasks.chunk_by(|one, next| one.node == next.node).filter_map(|fan_out| fan_out.first());
        let mut quick = true;
        for first in fan_outs {
            // All are asked: each counts its dispatches.
            quick &= self.runtime.topology.node(first.node).pace.is_quick();
        }
        quick
    }

    /// Starts tasks of one dispatch in place, one after the other: as many as come to their turn in a short time, and more
    /// while it would take longer to hand them over. Takes up those that end at once.
    pub(super) async fn hasten(&mut self, tasks: &mut &[Due], home: &Arc<Home>) -> Hastened {
        let mut hastened = Hastened::default();
        while poll_fn(|waker| Poll::Ready(self.spell(tasks, home, &mut hastened, waker))).await {
            tokio::task::yield_now().await;
        }
        self.flight.land(hastened.landed);
        hastened
    }

    /// Starts tasks for a short time; whether the next are to be started here, too.
    fn spell(
        &mut self,
        tasks: &mut &[Due],
        home: &Arc<Home>,
        hastened: &mut Hastened,
        waker: &mut TaskContext<'_>,
    ) -> bool {
        let begun = Instant::now();
        let until = begun + HASTE;
        let (mut now, mut started) = (begun, 0);
        let mut spare = None;
        while now < until && !self.session.control.is_cancelled() {
            let Some((&Due { id, node }, rest)) = tasks.split_first() else { return false };
            *tasks = rest;
            let Some(task) = self.take_off(id) else {
                hastened.landed += 1;
                continue;
            };
            let crew = Crew { runtime: &self.runtime, home, step: self.machine.step() };
            match crew.begin(task, &mut spare, waker) {
                Begun::Ended(outcome) => {
                    hastened.landed += 1;
                    if self.take_up(id, outcome, &mut hastened.left) {
                        hastened.finished.push(id);
                    }
                }
                Begun::Runs(attempt) => self.flight.follow(id, attempt),
            }
            started += 1;
            if started > GLANCE && started % GLANCE != 0 && rest.first().is_some_and(|next| next.node == node) {
                continue;
            }
            let before = std::mem::replace(&mut now, Instant::now());
            // None was long as long as all together were not.
            if now >= until {
                self.runtime.topology.node(node).pace.note(now - before);
            }
        }
        now - begun < HAND_OVER * started && !self.session.control.is_cancelled()
    }
}
