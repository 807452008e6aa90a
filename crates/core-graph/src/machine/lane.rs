//! The lane of one: super-steps of a single task, for runs that nobody stores or reads.
//!
//! Such a step needs no queues, batches or records. The lane takes the task that a plan would dispatch alone, and its
//! commit leaves the same state, versions, counters and tasks as [`Machine::commit`]. Whatever is out of the ordinary
//! (a failure, a question, a goto, a fan-out, a join) leaves the lane as a task in flight.

use std::sync::Arc;

use crate::graph::Mode;
use crate::machine::commit::Fault;
use crate::machine::route::RouteFault;
use crate::machine::task::TaskId;
use crate::machine::{Machine, Stop};
use crate::state::{FieldKind, FieldSet, State};
use crate::step::{Next, Step};

/// A task that is in flight alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lone {
    pub(crate) id: TaskId,
    pub(crate) node: u32,
}

impl<S: State> Machine<S> {
    /// Dispatches the only task there is, when nothing but its update and its edges can matter.
    pub(crate) fn enter_lane(&mut self) -> Option<Lone> {
        let quiet = self.persist.is_none() && !self.observed && self.halt.is_none();
        let plain = self.limits.room.is_none() && self.limits.max_steps.is_none() && self.breaks.is_empty();
        if !quiet || !plain || self.in_flight > 0 || self.topology.fades || self.topology.joins_reached {
            return None;
        }
        let topology = &self.topology;
        let (id, task) = self.frontier.take_only(|task| topology.node(task.node).class.is_none())?;
        task.fly_alone(self.number, topology.mode == Mode::Barrier);
        let lone = Lone { id, node: task.node };
        self.in_flight = 1;
        self.step_open = self.in_barrier();
        Some(lone)
    }

    /// Whether [`stride`](Self::stride) commits what the task returned.
    pub(crate) fn strides(&self, lone: Lone, step: &Step<S>) -> bool {
        let exits = &self.topology.node(lone.node).exits;
        matches!(step.next, Next::Edges) && exits.sends.is_empty() && exits.joins.is_empty()
    }

    /// Commits the step of the task. If one task follows it alone, it is in flight already.
    pub(crate) fn stride(&mut self, lone: Lone, step: Step<S>) -> Result<Option<Lone>, Box<Fault>> {
        let number = self.newest + 1;
        // As in `commit`: a refused step leaves the state as it was where somebody still looks at it.
        let watched = (!self.ns.is_empty() || Arc::strong_count(&self.state) > 1) && !self.is_sure(lone, &step);
        let kept = watched.then(|| Arc::clone(&self.state));
        let mut changed = FieldSet::default();
        let folded = step.update.map_or(Ok(()), |update| self.fold(update, &mut changed).map_err(RouteFault::Node));
        let routed = folded
            .and_then(|()| self.triggered.follow(&self.topology, Some(lone.node), Next::Edges, &*self.state, &[]));
        if let Err(fault) = routed {
            self.triggered.clear();
            if let Some(kept) = kept {
                self.state = kept;
            }
            self.in_flight = 0;
            return Err(self.refuse(lone.id, fault));
        }
        drop(kept);
        self.executed += 1;
        self.count_step();
        let eager = self.topology.mode == Mode::Eager;
        for at in changed.iter() {
            self.versions[at] = number;
            if eager {
                self.writers[at] = Some(lone.node);
            }
        }
        (self.number, self.newest) = (number, number);
        if let Some(node) = self.triggered.only_node()
            && !self.topology.node(node).deferred
            && self.topology.node(node).class.is_none()
        {
            self.triggered.clear();
            let next = Lone { id: TaskId { number, place: 0 }, node };
            if self.frontier.follow_only(lone.id, next.id, node) {
                self.step_open = !eager;
                return Ok(Some(next));
            }
        }
        self.frontier.forget(lone.id, false);
        self.in_flight = 0;
        let mut triggered = std::mem::take(&mut self.triggered);
        self.trigger(number, &mut triggered, &[]);
        self.triggered = triggered;
        Ok(None)
    }

    /// Whether the step cannot be refused any more once its update is checked: it calls no reducer and no router.
    fn is_sure(&self, lone: Lone, step: &Step<S>) -> bool {
        let (layout, exits) = (&self.topology.layout, &self.topology.node(lone.node).exits);
        let fields = S::fields(layout);
        exits.conditionals.is_empty()
            && step.update.as_ref().is_none_or(|update| {
                let mut written = FieldSet::default();
                S::written(layout, update, &mut written);
                written.iter().all(|at| fields[at].kind == FieldKind::Last)
            })
    }

    /// Takes the dispatch of a lone task back: the run is asked to stop.
    pub(crate) fn leave_lane(&mut self, lone: Lone, reason: Stop) {
        self.put_back(lone.id, false);
        self.halt(reason);
    }
}
