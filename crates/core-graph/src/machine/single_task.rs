//! The commit of a single task, and the fast path of super-steps that are one task each.
//!
//! [`Topology::commit_single`] is the one implementation of that commit. [`Machine::commit`] calls it for a batch of one
//! task, [`Machine::commit_in_place`] for the fast path, and [`CallState::commit`](crate::machine::CallState::commit) for
//! subgraph calls that run inline.
//!
//! A step on the fast path needs no queues and batches. The fast path takes the task that a plan would dispatch alone, and
//! puts the task that follows in its place; that leaves the same state, versions, counters and tasks as
//! [`Machine::commit`]. A task that is out of the ordinary (a failure, a question, a goto, a fan-out, a join) leaves the
//! fast path as a task in flight.

use std::sync::Arc;

use crate::checkpoint::Commit;
use crate::error::NodeError;
use crate::machine::commit::{Committed, CommittedTask, CommittedTasks, Fault};
use crate::machine::triggers::{RouteFault, Triggered, guarded, guarded_encoding};
use crate::machine::{Machine, MachineCore};
use crate::state::{FieldSet, State};
use crate::step::{Next, Step};
use crate::tasks::{GroupId, Stop, TaskId};
use crate::topology::{Mode, Topology};

/// What a single task leaves to be committed.
pub(super) struct SingleStep<'g, S: State> {
    pub(super) node: u32,
    pub(super) update: Option<S::Update>,
    pub(super) next: Next,
    /// The fan-outs that sends of the task belong to.
    pub(super) groups: &'g [GroupId],
    /// Whether somebody else looks at the state, which is then left as it was when the commit is refused.
    pub(super) is_shared: bool,
}

impl<S: State> Topology<S> {
    /// Commits a single task: folds its update into the state, and adds to `triggered` what follows.
    ///
    /// # Errors
    /// The update, a reducer or a router was refused. Nothing is triggered then.
    #[inline]
    pub(super) fn commit_single(
        &self,
        state: &mut Arc<S>,
        step: SingleStep<'_, S>,
        changed: &mut FieldSet,
        triggered: &mut Triggered,
    ) -> Result<(), Box<RouteFault>> {
        let SingleStep { node, update, next, groups, is_shared } = step;
        let kept = (is_shared && !self.cannot_fail(node, &next, update.as_ref())).then(|| Arc::clone(state));
        let folded = update.map_or(Ok(()), |update| self.fold(state, update, changed));
        let followed =
            folded.map_err(RouteFault::Node).and_then(|()| triggered.follow(self, Some(node), next, &**state, groups));
        followed.map_err(|fault| {
            triggered.clear();
            if let Some(kept) = kept {
                *state = kept;
            }
            Box::new(fault)
        })
    }

    /// Folds an update into the state. A reducer that panics may leave it half folded.
    pub(super) fn fold(&self, state: &mut Arc<S>, update: S::Update, changed: &mut FieldSet) -> Result<(), NodeError> {
        S::check(&self.layout, &update).map_err(NodeError::terminal)?;
        guarded("reducer", || Arc::make_mut(state).apply(&self.layout, update, changed))
    }

    /// Whether a commit cannot be refused any more once its update is checked: it calls no reducer of the program, no
    /// router and no send function, and follows no choice of the node.
    fn cannot_fail(&self, node: u32, next: &Next, update: Option<&S::Update>) -> bool {
        let exits = &self.node(node).exits;
        let folds = |update: &S::Update| {
            let mut written = FieldSet::default();
            S::written(&self.layout, update, &mut written);
            let fields = S::fields(&self.layout);
            written.iter().all(|at| fields[at].sure)
        };
        let is_plain = matches!(next, Next::Edges) && exits.conditionals.is_empty() && exits.sends.is_empty();
        is_plain && (self.sure || update.is_none_or(folds))
    }
}

/// What a committed step leads to.
pub(crate) struct SingleCommit {
    /// The node of the task that follows alone, in flight already.
    pub(crate) next: Option<u32>,
    /// What is to be stored.
    pub(crate) stored: Option<Box<Commit>>,
}

/// A task that is in flight alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SingleTask {
    pub(crate) id: TaskId,
    pub(crate) node: u32,
}

impl SingleTask {
    /// Returns the task of a node that follows a commit alone.
    pub(crate) fn of(number: u64, node: u32) -> Self {
        Self { id: TaskId { number, place: 0 }, node }
    }
}

impl MachineCore {
    /// Dispatches the only task there is, when nothing but its update and its edges can matter.
    #[inline]
    pub(crate) fn take_single_task(&mut self) -> Option<SingleTask> {
        let waits = self.watched || self.halt.is_some() || self.in_flight > 0 || self.outline.has_ephemeral;
        // What is left may still be what a join of what is reached waits for.
        let joins = self.outline.joins_reached && !self.frontier.joins.are_empty();
        if waits || joins || !self.may_step() {
            return None;
        }
        // No class is full when nothing is in flight.
        let breakpoints = &self.breakpoints;
        let (id, task) = self.frontier.take_only(|task| task.passed || !breakpoints.before.contains(&task.node))?;
        task.start_alone(self.number, self.outline.mode == Mode::Barrier);
        let single = SingleTask { id, node: task.node };
        self.in_flight = 1;
        (self.step_open, self.unfinished) = (self.in_barrier(), usize::from(self.in_barrier()));
        self.frontier.touch_if(id, self.persist.is_some());
        Some(single)
    }

    /// Whether the limits of the run leave room for a super-step of one task more.
    #[inline]
    fn may_step(&self) -> bool {
        let has_step = self.limits.max_steps.is_none_or(|most| self.steps_this_run < most);
        self.limits.room != Some(0) && (has_step || !self.in_barrier())
    }
}

impl<S: State> Machine<S> {
    /// Whether [`commit_in_place`](Self::commit_in_place) commits what the task returned.
    #[inline]
    pub(crate) fn commits_in_place(&self, single: SingleTask, step: &Step<S>) -> bool {
        let exits = &self.outline.node(single.node).exits;
        let is_plain = matches!(step.next, Next::Edges) && exits.sends.is_empty() && exits.joins.is_empty();
        is_plain && (self.breakpoints.after.is_empty() || !self.breakpoints.after.contains(&single.node))
    }

    /// Encodes what the task returned for its commit, where there is a store. A task whose update cannot be encoded leaves
    /// the fast path: for it this returns false.
    #[inline]
    pub(crate) fn encode(&mut self, step: &Step<S>) -> bool {
        let Self { core, topology, .. } = self;
        let Some(persist) = &mut core.persist else { return true };
        let Some(update) = &step.update else { return true };
        let encode = || S::add_encoded(&topology.layout, update, &mut persist.changes);
        let is_encoded = guarded_encoding(encode).is_ok();
        if !is_encoded {
            self.forget_changes();
        }
        is_encoded
    }

    /// Commits the update of a task of the fast path, which is encoded, and puts the task that follows alone in its place,
    /// in flight already. `now` is the time of the commit, for the store.
    #[inline]
    pub(crate) fn commit_in_place(
        &mut self,
        single: SingleTask,
        update: Option<S::Update>,
        now: u64,
    ) -> Result<SingleCommit, Box<Fault>> {
        let number = self.newest + 1;
        let mut changed = FieldSet::default();
        let is_shared = self.is_shared(1);
        let Self { core, topology, state } = self;
        let step = SingleStep { node: single.node, update, next: Next::Edges, groups: &[], is_shared };
        if let Err(fault) = topology.commit_single(state, step, &mut changed, &mut core.triggered) {
            self.in_flight = 0;
            return Err(self.refuse(single.id, *fault));
        }
        self.count_commit(1, Some(single.node), &changed);
        let next = self.replace(single, number);
        let stored = if self.persist.is_some() {
            let Self { core, topology, state } = self;
            let save = |at: usize| state.save(&topology.layout, at);
            core.store_step(number, (single.id, single.node), next, &changed, now, &save).map_err(|error| {
                core.in_flight = 0;
                Box::new(Fault::Run(error.into()))
            })?
        } else {
            None
        };
        self.advance(number, &changed);
        if next.is_some() {
            // Not before the commit is stored: the stored form of a task in flight is another one.
            self.frontier.start_only(number);
        }
        if let Some(persist) = &mut self.persist {
            persist.changed = changed;
        }
        Ok(SingleCommit { next, stored })
    }
}

impl MachineCore {
    /// Puts what was triggered in the place of the committed task. Returns the node of the task that follows alone; it is
    /// in flight then.
    #[inline]
    fn replace(&mut self, single: SingleTask, number: u64) -> Option<u32> {
        let durable = self.persist.is_some();
        if let Some(node) = self.triggered.only_node()
            && !self.outline.node(node).deferred
            && self.may_step()
            && (self.breakpoints.before.is_empty() || !self.breakpoints.before.contains(&node))
            && self.frontier.replace_only(single.id, SingleTask::of(number, node).id, node, durable)
        {
            self.triggered.clear_only_node();
            (self.step_open, self.unfinished) = (self.in_barrier(), usize::from(self.in_barrier()));
            return Some(node);
        }
        self.frontier.forget(single.id, durable);
        self.in_flight = 0;
        let mut triggered = std::mem::take(&mut self.triggered);
        // Without sends, none is coalesced.
        self.trigger(number, &mut triggered, &[]);
        self.triggered = triggered;
        None
    }

    /// Returns the task of a node that follows the newest commit alone.
    #[inline]
    pub(crate) fn following(&self, node: u32) -> SingleTask {
        SingleTask::of(self.number, node)
    }

    /// Returns the commit of a single task, the newest one, in the form that the driver publishes.
    pub(crate) fn committed_single(&self, single: SingleTask, stored: Box<Commit>) -> Committed {
        let task = CommittedTask { id: single.id, node: single.node, attempt: 1, update: None };
        Committed {
            number: self.number,
            step: self.step,
            tasks: CommittedTasks::from_iter([task]),
            next: self.next(),
            changed: self.persist.as_ref().map(|persist| persist.changed.clone()).unwrap_or_default(),
            coalesced: Vec::new(),
            stored: Some(stored),
        }
    }

    /// Takes the dispatch of a single task back: the run is asked to stop.
    pub(crate) fn put_single_back(&mut self, single: SingleTask, reason: Stop) {
        self.put_back(single.id, false);
        self.halt(reason);
    }
}
