//! Super-steps of one plain task each, without a machine, for calls of subgraphs that nobody stores or reads.
//!
//! What a walk commits leaves the state, the numbers and the tasks that a [`Machine`] leaves. Where a step leads to more
//! than one task, or to what waits for others, a machine takes over that stands where the walk ended.

use std::sync::Arc;

use crate::error::{NodeError, RunError};
use crate::graph::{Exits, Topology};
use crate::machine::lane::is_sure;
use crate::machine::route::{RouteFault, Triggered, guarded};
use crate::machine::task::{GroupId, Pending, Phase, TaskId};
use crate::machine::{Lone, Machine};
use crate::state::{FieldSet, State};
use crate::step::Next;

/// Where a walk stands.
pub(crate) struct Stand<S: State> {
    pub(crate) state: Arc<S>,
    /// The commits so far, the input's included.
    pub(crate) number: u64,
    /// The tasks executed so far, those of subgraphs included.
    pub(crate) executed: u64,
}

/// What follows a commit of a walk.
pub(crate) enum Onward {
    /// One task.
    To(Lone),
    /// Nothing.
    End,
    /// What a machine is to make tasks of.
    Fork(Box<Triggered>),
}

impl<S: State> Topology<S> {
    /// Whether calls of the graph may be walked.
    pub(crate) fn is_walkable(&self) -> bool {
        !self.fades && !self.joins_reached
    }

    /// Whether a walk may run the node: by itself it waits for nothing.
    pub(crate) fn is_step(&self, node: u32) -> bool {
        let info = self.node(node);
        !info.deferred && info.class.is_none()
    }
}

impl<S: State> Stand<S> {
    /// Begins with an input.
    ///
    /// # Errors
    /// The input was refused; the state is the initial one.
    pub(crate) fn enter(topology: &Topology<S>, update: S::Update) -> Result<(Self, Onward), (Arc<S>, RunError)> {
        let mut stand = Self { state: Arc::new(S::initial(&topology.layout)), number: 0, executed: 0 };
        let onward = match S::check(&topology.layout, &update) {
            Ok(()) => stand.commit(topology, None, Some(update)).map_err(|fault| match fault {
                RouteFault::Run(error) => error,
                RouteFault::Node(error) => RunError::TaskFailed {
                    node: "START".to_owned(),
                    task: String::new(),
                    attempts: 1,
                    message: error.to_string(),
                },
            }),
            Err(error) => Err(error.into()),
        };
        match onward {
            Ok(onward) => Ok((stand, onward)),
            Err(error) => Err((stand.state, error)),
        }
    }

    /// Commits the step of a task, inside of which `cost` tasks were executed.
    ///
    /// # Errors
    /// The step was refused; the state is as it was.
    pub(crate) fn step(
        &mut self,
        topology: &Topology<S>,
        lone: Lone,
        update: Option<S::Update>,
        cost: u64,
    ) -> Result<Onward, RouteFault> {
        if let Some(update) = &update {
            S::check(&topology.layout, update).map_err(|error| RouteFault::Node(NodeError::terminal(error)))?;
        }
        let onward = self.commit(topology, Some(lone.node), update)?;
        self.executed += 1 + cost;
        Ok(onward)
    }

    fn commit(
        &mut self,
        topology: &Topology<S>,
        node: Option<u32>,
        update: Option<S::Update>,
    ) -> Result<Onward, RouteFault> {
        let exits = node.map_or(&topology.start, |node| &topology.node(node).exits);
        let kept = (!is_sure(topology, exits, update.as_ref())).then(|| Arc::clone(&self.state));
        let onward = self.fold(topology, update).and_then(|()| self.follow(topology, node, exits));
        match (&onward, kept) {
            (Ok(_), _) => self.number += 1,
            (Err(_), Some(kept)) => self.state = kept,
            (Err(_), None) => {}
        }
        onward
    }

    fn fold(&mut self, topology: &Topology<S>, update: Option<S::Update>) -> Result<(), RouteFault> {
        let Some(update) = update else { return Ok(()) };
        let state = Arc::make_mut(&mut self.state);
        guarded("reducer", || state.apply(&topology.layout, update, &mut FieldSet::default())).map_err(RouteFault::Node)
    }

    fn follow(&self, topology: &Topology<S>, node: Option<u32>, exits: &Exits<S>) -> Result<Onward, RouteFault> {
        let number = self.number + 1;
        let to = |node| Onward::To(Lone { id: TaskId { number, place: 0 }, node });
        if let Some(next) = exits.only_edge() {
            return Ok(next.map_or(Onward::End, to));
        }
        let mut triggered = Triggered::default();
        triggered.follow(topology, node, Next::Edges, &*self.state, &[GroupId { number, place: 0 }])?;
        Ok(match triggered.only_node() {
            Some(node) => to(node),
            None if triggered.is_empty() => Onward::End,
            None => Onward::Fork(Box::new(triggered)),
        })
    }
}

impl<S: State> Machine<S> {
    /// Takes over from a walk.
    pub(crate) fn stand(&mut self, stand: Stand<S>) {
        (self.number, self.newest) = (stand.number, stand.number);
        let steps = stand.number.saturating_sub(1);
        (self.step, self.steps_this_run) = (steps, steps);
        (self.state, self.executed) = (stand.state, stand.executed);
    }

    /// Takes over the task that a walk came to and did not begin.
    pub(crate) fn await_lone(&mut self, lone: Lone) {
        let deferred = self.topology.node(lone.node).deferred;
        let phase = if deferred { Phase::Deferred } else { Phase::Ready };
        self.frontier.push(lone.id, Pending::new(lone.node, phase), false);
    }

    /// Takes over the task that a walk has begun, at a time in milliseconds.
    pub(crate) fn fly_lone(&mut self, lone: Lone, began: u64) {
        let in_barrier = self.in_barrier();
        let mut task = Pending { began, ..Pending::new(lone.node, Phase::InFlight) };
        task.fly_alone(self.number, in_barrier);
        (self.in_flight, self.step_open) = (1, in_barrier);
        self.frontier.push(lone.id, task, false);
    }

    /// Makes tasks of what a walk triggered.
    pub(crate) fn fork_walk(&mut self, mut triggered: Box<Triggered>) {
        // Nobody is told which sends did nothing.
        self.trigger(self.number, &mut triggered, &[]);
    }
}
