//! Super-steps of one task each, without a machine, for calls of subgraphs that nobody stores or reads.
//!
//! The commits of an inline call leave the state, the numbers and the tasks that those of a [`Machine`] leave. Where a step
//! leads to more than one task, or to what waits for others, a machine takes over where the inline call ended.

use std::sync::Arc;

use crate::error::RunError;
use crate::machine::single_task::SingleStep;
use crate::machine::task::{Pending, Phase};
use crate::machine::triggers::{RouteFault, Triggered};
use crate::machine::{Machine, MachineCore, SingleTask};
use crate::state::{FieldSet, State};
use crate::step::Next;
use crate::tasks::GroupId;
use crate::topology::{Outline, Topology};

/// The head of an inline call.
pub(crate) struct CallState<S: State> {
    pub(crate) state: Arc<S>,
    /// The commits so far, the input's included.
    number: u64,
    /// The tasks executed so far, those of subgraphs included.
    pub(crate) executed: u64,
    /// Empty between commits; kept for its room.
    triggered: Triggered,
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

impl Outline {
    /// Whether calls of the graph may run inline.
    #[inline]
    pub(crate) fn runs_inline(&self) -> bool {
        !self.has_ephemeral && !self.joins_reached && self.step_timeout.is_none()
    }

    /// Whether an inline call may run the node: the node waits for nothing else.
    #[inline]
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
        let initial = || Arc::new(S::initial(&topology.layout));
        if let Err(error) = S::check(&topology.layout, &update) {
            return Err((initial(), Box::new(error.into())));
        }
        // Nobody looks at the state before it is committed, so that it needs no copy to go back to.
        let mut call = Self { state: initial(), number: 1, executed: 0, triggered: Triggered::default() };
        let folded = topology.fold(&mut call.state, update, &mut FieldSet::default()).map_err(RouteFault::Node);
        let followed = folded.and_then(|()| {
            let group = [GroupId { number: call.number, place: 0 }];
            call.triggered.follow(topology, None, Next::Edges, &*call.state, &group)
        });
        match followed {
            Ok(()) => {
                let following = call.take_following();
                Ok((call, following))
            }
            Err(RouteFault::Run(error)) => Err((initial(), Box::new(error))),
            Err(RouteFault::Node(error)) => {
                let (node, task, message) = ("START".to_owned(), String::new(), error.to_string());
                Err((initial(), Box::new(RunError::TaskFailed { node, task, attempts: 1, message })))
            }
        }
    }

    /// Returns the task of the node that the newest commit led to.
    pub(crate) fn task(&self, node: u32) -> SingleTask {
        SingleTask::of(self.number, node)
    }

    /// Returns the number of super-steps so far.
    pub(crate) fn steps(&self) -> u64 {
        self.number.saturating_sub(1)
    }

    /// Commits a task of `node`, inside of which `cost` tasks were executed.
    ///
    /// # Errors
    /// The step was refused; the state is as it was.
    pub(crate) fn commit(
        &mut self,
        topology: &Topology<S>,
        node: u32,
        update: Option<S::Update>,
        cost: u64,
    ) -> Result<Following, Box<RouteFault>> {
        let number = self.number + 1;
        let group = [GroupId { number, place: 0 }];
        let step = SingleStep { node, update, next: Next::Edges, groups: &group, is_shared: true };
        topology.commit_single(&mut self.state, step, &mut FieldSet::default(), &mut self.triggered)?;
        self.number = number;
        self.executed += 1 + cost;
        Ok(self.take_following())
    }

    fn take_following(&mut self) -> Following {
        match self.triggered.only_node() {
            Some(node) => {
                self.triggered.clear();
                Following::To(node)
            }
            None if self.triggered.is_empty() => Following::End,
            None => Following::Fork(Box::new(std::mem::take(&mut self.triggered))),
        }
    }
}

impl<S: State> Machine<S> {
    /// Takes over the head of an inline call.
    pub(crate) fn take_over(&mut self, state: CallState<S>) {
        let steps = state.steps();
        (self.number, self.newest) = (state.number, state.number);
        (self.step, self.steps_this_run) = (steps, steps);
        (self.state, self.core.executed) = (state.state, state.executed);
    }
}

impl MachineCore {
    /// Takes over the task that an inline call came to and did not begin.
    pub(crate) fn await_single(&mut self, single: SingleTask) {
        let deferred = self.outline.node(single.node).deferred;
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
