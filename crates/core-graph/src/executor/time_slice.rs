//! The time slice in which the driver polls tasks of a dispatch itself.
//!
//! Waking a thread takes longer than many nodes do. The driver itself polls tasks of nodes that have been short so far, for
//! one time slice; workers take what is left. A node that suddenly computes holds up the others by one task, or by a few
//! when its first were short, and goes to workers from then on.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context as PollContext, Poll};
use std::time::Instant;

use smallvec::SmallVec;

use crate::executor::run_loop::Driver;
use crate::executor::settle::Unrecorded;
use crate::executor::task_context::NamespaceContext;
use crate::executor::task_start::{FirstPoll, TaskStart};
use crate::graph::{SPAWN_COST, TIME_SLICE};
use crate::machine::{Due, TaskId};
use crate::state::State;

/// Reading the clock takes a twentieth of a short task: after so many tasks of one node it is read once in so many tasks.
const CLOCK_EVERY: u32 = 4;

/// What the tasks that ended in place lead to.
#[derive(Default)]
pub(crate) struct StartedInline {
    pub(crate) left: Unrecorded,
    /// How many tasks ended in place.
    ended: usize,
    /// The tasks that are to be committed.
    pub(crate) finished: SmallVec<[TaskId; 4]>,
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Whether all nodes of a dispatch have been short so far. Mostly it has one node.
    pub(crate) fn are_short(&self, tasks: &[Due]) -> bool {
        let fan_outs = tasks.chunk_by(|one, next| one.node == next.node).filter_map(|fan_out| fan_out.first());
        let mut quick = true;
        for first in fan_outs {
            // All are asked: each counts its dispatches.
            quick &= self.runtime.topology.node(first.node).pace.is_short();
        }
        quick
    }

    /// Starts tasks of one dispatch in place, one after the other: as many as fit into a time slice, and more while spawning
    /// workers would take longer. Completes those that end at once.
    pub(crate) async fn start_inline(
        &mut self,
        tasks: &mut &[Due],
        namespace: &Arc<NamespaceContext>,
    ) -> StartedInline {
        let mut inline = StartedInline::default();
        while poll_fn(|waker| Poll::Ready(self.run_slice(tasks, namespace, &mut inline, waker))).await {
            tokio::task::yield_now().await;
        }
        self.workers.ended(inline.ended);
        inline
    }

    /// Starts tasks for one time slice. Returns whether the next slice is to be spent here, too.
    fn run_slice(
        &mut self,
        tasks: &mut &[Due],
        namespace: &Arc<NamespaceContext>,
        inline: &mut StartedInline,
        waker: &mut PollContext<'_>,
    ) -> bool {
        let begun = Instant::now();
        let until = begun + TIME_SLICE;
        let (mut now, mut started) = (begun, 0);
        let mut spare = None;
        while now < until && !self.session.control.is_cancelled() {
            let Some((&Due { id, node }, rest)) = tasks.split_first() else { return false };
            *tasks = rest;
            let Some(task) = self.start_task(id) else {
                inline.ended += 1;
                continue;
            };
            let start = TaskStart { runtime: &self.runtime, namespace, step: self.machine.step() };
            match start.begin(task, &mut spare, waker) {
                FirstPoll::Ended(outcome) => {
                    inline.ended += 1;
                    if self.take_up(id, outcome, &mut inline.left) {
                        inline.finished.push(id);
                    }
                }
                FirstPoll::Runs(attempt) => self.workers.follow(id, attempt),
            }
            started += 1;
            if started > CLOCK_EVERY && started % CLOCK_EVERY != 0 && rest.first().is_some_and(|next| next.node == node)
            {
                continue;
            }
            let before = std::mem::replace(&mut now, Instant::now());
            // None was long as long as all together were not.
            if now >= until {
                self.runtime.topology.node(node).pace.note(now - before);
            }
        }
        now - begun < SPAWN_COST * started && !self.session.control.is_cancelled()
    }
}
