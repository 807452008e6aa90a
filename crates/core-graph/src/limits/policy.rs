//! Limits and habits of one run.

use std::time::Duration;

use crate::name::{Name, Targets};

/// How a run is limited, and when it is durable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunPolicy {
    /// The most tasks to execute, subgraphs' included; retries are free. The run then ends as
    /// [`Outcome::BudgetSpent`](crate::Outcome::BudgetSpent), and can be continued with a larger budget: it counts from
    /// the run's input on, over all resumes. A barrier step is executed whole or not at all.
    pub budget: Option<u64>,
    /// Barrier mode: the most super-steps of this call.
    pub max_steps: Option<u64>,
    /// Barrier mode: how long a super-step of the root graph may take, with all its tasks; in the place of what the graph
    /// [states](crate::StateGraph::step_timeout). One that takes longer is an error,
    /// [`RunError::StepTimeout`](crate::RunError::StepTimeout), and tasks that had finished are not run again when the run
    /// is continued.
    pub step_timeout: Option<Duration>,
    /// The most tasks of one graph in flight at the same time; as many as there are unless stated.
    pub max_concurrency: Option<usize>,
    /// When commits are durable.
    pub durability: Durability,
    /// In which order finished tasks commit.
    pub order: Order,
    /// Nodes of the root graph before which the run stops, as if it were asked to drain: before a super-step that they
    /// are part of. The thread is left [`Drained`](crate::checkpoint::ThreadStatus::Drained); to continue it passes
    /// the nodes that it stopped at, once.
    pub break_before: Vec<Name>,
    /// Nodes of the root graph after whose commit the run stops in the same way.
    pub break_after: Vec<Name>,
    /// Fast paths that the run does not take.
    avoided: Vec<FastPath>,
}

/// A short cut of the runtime, which gives the same as the general way. Tests and measurements switch it off.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastPath {
    /// Steps of single tasks, one after the other in place.
    SingleTasks,
    /// Subgraph calls that nobody stores or reads, without a machine.
    InlineCalls,
    /// Steps of one task in compact form, for the stores that take them so.
    CompactSteps,
    /// Tasks beside each other in place, until they take long.
    InlineDispatches,
    /// A thread is read by what has changed since it was last read.
    KnownStates,
}

impl FastPath {
    pub(crate) const ALL: [Self; 5] =
        [Self::SingleTasks, Self::InlineCalls, Self::CompactSteps, Self::InlineDispatches, Self::KnownStates];
}

/// When commits are durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Before anything builds on them.
    #[default]
    Sync,
    /// In order, while the run goes on; all before it ends.
    Async,
    /// Once, when the run ends, and in between whenever some megabytes have come together. Durable steps are durable at
    /// once all the same.
    Exit,
}

/// In which order finished tasks commit in eager mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As they finish.
    #[default]
    AsFinished,
    /// As recorded: the task ids of [`EventKind::Committed`](crate::EventKind::Committed) events of the root graph,
    /// in order. A finished task waits for its turn, so that every state and all that is made from it is the same again.
    /// Tasks that are not in the list commit as they finish, after it.
    Recorded(Vec<String>),
}

impl RunPolicy {
    /// The same policy with a budget of tasks.
    #[must_use]
    pub fn budget(mut self, tasks: u64) -> Self {
        self.budget = Some(tasks);
        self
    }

    /// The same policy with a limit of super-steps.
    #[must_use]
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = Some(steps);
        self
    }

    /// The same policy with a time limit of super-steps.
    #[must_use]
    pub fn step_timeout(mut self, limit: Duration) -> Self {
        self.step_timeout = Some(limit);
        self
    }

    /// The same policy with a limit of tasks in flight.
    #[must_use]
    pub fn max_concurrency(mut self, tasks: usize) -> Self {
        self.max_concurrency = Some(tasks);
        self
    }

    /// The same policy with another durability.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// The same policy, stopping before `nodes`.
    #[must_use]
    pub fn break_before(mut self, nodes: impl Targets) -> Self {
        self.break_before.extend(nodes.names());
        self
    }

    /// The same policy, stopping after `nodes`.
    #[must_use]
    pub fn break_after(mut self, nodes: impl Targets) -> Self {
        self.break_after.extend(nodes.names());
        self
    }

    /// The same policy without a fast path.
    #[doc(hidden)]
    #[must_use]
    pub fn without(mut self, path: FastPath) -> Self {
        self.avoided.push(path);
        self
    }

    /// Whether a run may take a fast path.
    pub(crate) fn takes(&self, path: FastPath) -> bool {
        !self.avoided.contains(&path)
    }

    /// The same policy with another order of commits.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }
}
