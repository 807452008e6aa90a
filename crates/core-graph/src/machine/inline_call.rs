//! Super-steps of one plain task each, without a machine, for calls of subgraphs that nobody stores or reads.
//!
//! The commits of an inline call leave the state, the numbers and the tasks that those of a [`Machine`] leave. Where a step
//! leads to more than one task, or to what waits for others, a machine takes over where the inline call ended.

use std::sync::Arc;

use crate::error::{NodeError, RunError};
use crate::graph::{Exits, Topology};
use crate::machine::single_task::cannot_fail;
use crate::machine::task::{GroupId, Pending, Phase};
use crate::machine::triggers::{RouteFault, Triggered, guarded};
use crate::machine::{Machine, SingleTask};
use crate::state::{FieldSet, State};
use crate::step::Next;

/// The head of an inline call.
pub(crate) struct CallState<S: State> {
    pub(crate) state: Arc<S>,
    /// The commits so far, the input's included.
    number: u64,
    /// The tasks executed so far, those of subgraphs included.
    pub(crate) executed: u64,
}

/// What follows a commit of an inline call.
pub(crate) enum Following {
    /// A task of this node.
    To(u32),
    /// Nothing.
    End,
    /// What a machine is to make tasks of.
    Fork(Box<Triggered>),
}

impl<S: State> Topology<S> {
    /// Whether calls of the graph may run inline.
    pub(crate) fn runs_inline(&self) -> bool {
        !self.has_ephemeral && !self.joins_reached
    }

    /// Whether an inline call may run the node: the node waits for nothing else.
    pub(crate) fn runs_alone(&self, node: u32) -> bool {
        let info = self.node(node);
        !info.deferred && info.class.is_none()
    }
}

impl<S: State> CallState<S> {
    /// Begins with an input.
    ///
    /// # Errors
    /// The input was refused; the state is the initial one.
    pub(crate) fn enter(
        topology: &Topology<S>,
        update: S::Update,
    ) -> Result<(Self, Following), (Arc<S>, Box<RunError>)> {
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
    pub(crate) fn task(&self, node: u32) -> SingleTask {
        SingleTask::of(self.number, node)
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
    ) -> Result<Following, Box<RouteFault>> {
        if let Some(update) = &update {
            S::check(&topology.layout, update).map_err(|error| RouteFault::Node(NodeError::terminal(error)))?;
        }
        let exits = &topology.node(node).exits;
        let kept = (!cannot_fail(topology, exits, update.as_ref())).then(|| Arc::clone(&self.state));
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
) -> Result<Following, Box<RouteFault>> {
    if let Some(next) = exits.only_edge() {
        return Ok(next.map_or(Following::End, Following::To));
    }
    let mut triggered = Triggered::default();
    triggered.follow(topology, node, Next::Edges, state, &[GroupId { number, place: 0 }]).map_err(Box::new)?;
    Ok(match triggered.only_node() {
        Some(node) => Following::To(node),
        None if triggered.is_empty() => Following::End,
        None => Following::Fork(Box::new(triggered)),
    })
}

impl<S: State> Machine<S> {
    /// Takes over the head of an inline call.
    pub(crate) fn take_over(&mut self, state: CallState<S>) {
        let steps = state.steps();
        (self.number, self.newest) = (state.number, state.number);
        (self.step, self.steps_this_run) = (steps, steps);
        (self.state, self.executed) = (state.state, state.executed);
    }

    /// Takes over the task that an inline call came to and did not begin.
    pub(crate) fn await_single(&mut self, single: SingleTask) {
        let deferred = self.topology.node(single.node).deferred;
        let phase = if deferred { Phase::Deferred } else { Phase::Ready };
        self.frontier.push(single.id, Pending::new(single.node, phase), false);
    }

    /// Takes over the task that an inline call began at `began`, in milliseconds.
    pub(crate) fn start_single(&mut self, single: SingleTask, began: u64) {
        let in_barrier = self.in_barrier();
        let mut task = Pending { began, ..Pending::new(single.node, Phase::InFlight) };
        task.start_alone(self.number, in_barrier);
        (self.in_flight, self.step_open, self.unfinished) = (1, in_barrier, usize::from(in_barrier));
        self.frontier.push(single.id, task, false);
    }

    /// Makes tasks of what an inline call triggered.
    pub(crate) fn take_over_triggers(&mut self, mut triggered: Box<Triggered>) {
        // Nobody reads which sends did nothing.
        self.trigger(self.number, &mut triggered, &[]);
    }
}
