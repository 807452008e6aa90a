//! The lane of one: super-steps of a single task, for runs that nobody reads.
//!
//! Such a step needs no queues and batches. The lane takes the task that a plan would dispatch alone, and its
//! commit leaves the same state, versions, counters and tasks as [`Machine::commit`]. Whatever is out of the ordinary
//! (a failure, a question, a goto, a fan-out, a join) leaves the lane as a task in flight.

use std::sync::Arc;

use crate::checkpoint::Source;
use crate::graph::Mode;
use crate::machine::commit::{Committed, CommittedTask, CommittedTasks, Fault, Folded};
use crate::machine::route::RouteFault;
use crate::machine::task::TaskId;
use crate::machine::{Machine, Stop, Stored};
use crate::state::{FieldChange, FieldKind, FieldSet, State, StateError};
use crate::step::{Next, Step};

/// What a committed step leads to.
pub(crate) struct Strode {
    /// The task that follows alone, in flight already.
    pub(crate) next: Option<Lone>,
    /// What is to be stored.
    pub(crate) stored: Option<Stored>,
    pub(crate) changed: FieldSet,
}

/// A task that is in flight alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lone {
    pub(crate) id: TaskId,
    pub(crate) node: u32,
}

impl<S: State> Machine<S> {
    /// Dispatches the only task there is, when nothing but its update and its edges can matter.
    pub(crate) fn enter_lane(&mut self) -> Option<Lone> {
        // Without a store, only a budget makes a run observed that is not watched.
        let quiet = !self.watched && self.persist.is_some() == self.observed && self.halt.is_none();
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
        self.frontier.touch_if(id, self.persist.is_some());
        Some(lone)
    }

    /// The stored form of what the task returned, when [`stride`](Self::stride) commits that: an update that cannot be
    /// encoded is not for the lane.
    #[inline]
    pub(crate) fn strides(&self, lone: Lone, step: &Step<S>) -> Option<Vec<FieldChange>> {
        let exits = &self.topology.node(lone.node).exits;
        if !matches!(step.next, Next::Edges) || !exits.sends.is_empty() || !exits.joins.is_empty() {
            return None;
        }
        match &step.update {
            Some(update) if self.persist.is_some() => S::encode_update(&self.topology.layout, update).ok(),
            _ => Some(Vec::new()),
        }
    }

    /// Commits the step of the task, whose update has this stored form.
    pub(crate) fn stride(
        &mut self,
        lone: Lone,
        step: Step<S>,
        changes: Vec<FieldChange>,
        now: u64,
    ) -> Result<Strode, Box<Fault>> {
        let number = self.newest + 1;
        // As in `commit`: a refused step leaves the state as it was where somebody still looks at it.
        let watched = (!self.ns.is_empty() || Arc::strong_count(&self.state) > 1) && !self.is_sure(lone, &step);
        let kept = watched.then(|| Arc::clone(&self.state));
        let mut folded = Folded { changes, ..Folded::default() };
        let update = step.update.map_or(Ok(()), |update| self.fold(update, &mut folded.changed));
        let routed = update
            .map_err(RouteFault::Node)
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
        if eager {
            folded.changed.iter().for_each(|at| self.writers[at] = Some(lone.node));
        }
        let durable = self.persist.is_some();
        if let Some(node) = self.triggered.only_node()
            && !self.topology.node(node).deferred
            && self.topology.node(node).class.is_none()
        {
            self.triggered.clear();
            let next = Lone { id: TaskId { number, place: 0 }, node };
            if self.frontier.follow_only(lone.id, next.id, node, durable) {
                self.step_open = !eager;
                let stored = self.store_step(number, (lone.id, lone.node), node, &folded, now);
                let stored = self.settle_lone(number, &folded, stored)?;
                self.frontier.fly_only(number);
                return Ok(Strode { next: Some(next), stored, changed: folded.changed });
            }
        }
        self.frontier.forget(lone.id, durable);
        self.in_flight = 0;
        let mut triggered = std::mem::take(&mut self.triggered);
        // Without sends, none is coalesced.
        self.trigger(number, &mut triggered, &[]);
        self.triggered = triggered;
        let stored = self.store(number, Source::Step, &folded, now).map(|commit| commit.map(Stored::Commit));
        let stored = self.settle_lone(number, &folded, stored)?;
        Ok(Strode { next: None, stored, changed: folded.changed })
    }

    /// Makes the commit of a lone task the head.
    #[inline]
    fn settle_lone(
        &mut self,
        number: u64,
        folded: &Folded,
        stored: Result<Option<Stored>, StateError>,
    ) -> Result<Option<Stored>, Box<Fault>> {
        let stored = stored.map_err(|error| {
            self.in_flight = 0;
            Box::new(Fault::Run(error.into()))
        })?;
        self.advance(number, folded);
        Ok(stored)
    }

    /// The commit of a lone task, which was the last, as any commit is told.
    pub(crate) fn committed_lone(&self, lone: Lone, strode: Strode) -> Committed<S> {
        let task = CommittedTask { id: lone.id, node: lone.node, attempt: 1, update: None };
        Committed {
            number: self.number,
            step: self.step,
            tasks: CommittedTasks::from_iter([task]),
            next: self.next(),
            changed: strode.changed,
            coalesced: Vec::new(),
            stored: match strode.stored {
                Some(Stored::Commit(commit)) => Some(commit),
                Some(Stored::Step) | None => None,
            },
        }
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
