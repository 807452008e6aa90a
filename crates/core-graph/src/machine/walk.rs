//! Super-steps of one plain task each, without a machine, for calls of subgraphs that nobody stores or reads.
//!
//! What a walk commits leaves the state, the numbers and the tasks that a [`Machine`] leaves. Where a step leads to more
//! than one task, or to what waits for others, a machine takes over that stands where the walk ended.

use std::sync::Arc;

use crate::error::{NodeError, RunError};
use crate::graph::{Exits, Topology};
use crate::machine::lane::is_sure;
use crate::machine::route::{RouteFault, Triggered, guarded};
use crate::machine::task::{GroupId, Pending, Phase};
use crate::machine::{Lone, Machine};
use crate::state::{FieldSet, State};
use crate::step::Next;

/// Where a walk stands.
pub(crate) struct Stand<S: State> {
    pub(crate) state: Arc<S>,
    /// The commits so far, the input's included.
    number: u64,
    /// The tasks executed so far, those of subgraphs included.
    pub(crate) executed: u64,
}

/// What follows a commit of a walk.
pub(crate) enum Onward {
    /// A task of this node.
    To(u32),
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
    pub(crate) fn enter(topology: &Topology<S>, update: S::Update) -> Result<(Self, Onward), (Arc<S>, Box<RunError>)> {
        // Nobody looks at the state before it is committed, so that it needs no copy to go back to.
        let enter = || {
            S::check(&topology.layout, &update).map_err(RunError::from)?;
            let mut state = S::initial(&topology.layout);
            fold(topology, &mut state, update)
                .and_then(|()| follow(topology, None, &topology.start, &state, 1))
                .map(|onward| (state, onward))
                .map_err(|fault| match *fault {
                    RouteFault::Run(error) => error,
                    RouteFault::Node(error) => RunError::TaskFailed {
                        node: "START".to_owned(),
                        task: String::new(),
                        attempts: 1,
                        message: error.to_string(),
                    },
                })
        };
        match enter() {
            Ok((state, onward)) => Ok((Self { state: Arc::new(state), number: 1, executed: 0 }, onward)),
            Err(error) => Err((Arc::new(S::initial(&topology.layout)), Box::new(error))),
        }
    }

    /// The task of the node that the newest commit led to.
    pub(crate) fn task(&self, node: u32) -> Lone {
        Lone::of(self.number, node)
    }

    /// The super-steps so far.
    pub(crate) fn steps(&self) -> u64 {
        self.number.saturating_sub(1)
    }

    /// Commits the step of a task of `node`, inside of which `cost` tasks were executed.
    ///
    /// # Errors
    /// The step was refused; the state is as it was.
    pub(crate) fn step(
        &mut self,
        topology: &Topology<S>,
        node: u32,
        update: Option<S::Update>,
        cost: u64,
    ) -> Result<Onward, Box<RouteFault>> {
        if let Some(update) = &update {
            S::check(&topology.layout, update).map_err(|error| RouteFault::Node(NodeError::terminal(error)))?;
        }
        let exits = &topology.node(node).exits;
        let kept = (!is_sure(topology, exits, update.as_ref())).then(|| Arc::clone(&self.state));
        let folded = update.map_or(Ok(()), |update| fold(topology, Arc::make_mut(&mut self.state), update));
        let onward = folded.and_then(|()| follow(topology, Some(node), exits, &*self.state, self.number + 1));
        match onward {
            Ok(onward) => {
                self.number += 1;
                self.executed += 1 + cost;
                Ok(onward)
            }
            Err(fault) => {
                if let Some(kept) = kept {
                    self.state = kept;
                }
                Err(fault)
            }
        }
    }
}

fn fold<S: State>(topology: &Topology<S>, state: &mut S, update: S::Update) -> Result<(), Box<RouteFault>> {
    guarded("reducer", || state.apply(&topology.layout, update, &mut FieldSet::default()))
        .map_err(|error| Box::new(RouteFault::Node(error)))
}

/// What follows commit `number`, which `node` made, or the input.
fn follow<S: State>(
    topology: &Topology<S>,
    node: Option<u32>,
    exits: &Exits<S>,
    state: &S,
    number: u64,
) -> Result<Onward, Box<RouteFault>> {
    if let Some(next) = exits.only_edge() {
        return Ok(next.map_or(Onward::End, Onward::To));
    }
    let mut triggered = Triggered::default();
    triggered.follow(topology, node, Next::Edges, state, &[GroupId { number, place: 0 }]).map_err(Box::new)?;
    Ok(match triggered.only_node() {
        Some(node) => Onward::To(node),
        None if triggered.is_empty() => Onward::End,
        None => Onward::Fork(Box::new(triggered)),
    })
}

impl<S: State> Machine<S> {
    /// Takes over from a walk.
    pub(crate) fn stand(&mut self, stand: Stand<S>) {
        let steps = stand.steps();
        (self.number, self.newest) = (stand.number, stand.number);
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
        (self.in_flight, self.step_open, self.unfinished) = (1, in_barrier, usize::from(in_barrier));
        self.frontier.push(lone.id, task, false);
    }

    /// Makes tasks of what a walk triggered.
    pub(crate) fn fork_walk(&mut self, mut triggered: Box<Triggered>) {
        // Nobody is told which sends did nothing.
        self.trigger(self.number, &mut triggered, &[]);
    }
}
