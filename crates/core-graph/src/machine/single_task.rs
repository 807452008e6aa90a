//! The fast path of single tasks: super-steps of one task each, for runs whose steps nobody reads.
//!
//! Such a step needs no queues and batches. The fast path takes the task that a plan would dispatch alone, and its commit
//! leaves the same state, versions, counters and tasks as [`Machine::commit`]. A task that is out of the ordinary (a
//! failure, a question, a goto, a fan-out, a join) leaves the fast path as a task in flight.

use std::sync::Arc;

use crate::graph::{Exits, Mode, Topology};
use crate::machine::commit::{Committed, CommittedTask, CommittedTasks, Fault, Folded};
use crate::machine::task::TaskId;
use crate::machine::triggers::{RouteFault, guarded_encoding};
use crate::machine::{Machine, Stop, StoredCommit};
use crate::state::{FieldChange, FieldSet, State};
use crate::step::{Next, Step};

/// What a committed step leads to.
pub(crate) struct SingleCommit {
    /// The task that follows alone, in flight already.
    pub(crate) next: Option<SingleTask>,
    /// What is to be stored.
    pub(crate) stored: Option<StoredCommit>,
    pub(crate) changed: FieldSet,
}

/// A task that is in flight alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SingleTask {
    pub(crate) id: TaskId,
    pub(crate) node: u32,
}

impl SingleTask {
    /// The task of a node that follows a commit alone.
    pub(crate) fn of(number: u64, node: u32) -> Self {
        Self { id: TaskId { number, place: 0 }, node }
    }
}

impl<S: State> Machine<S> {
    /// Dispatches the only task there is, when nothing but its update and its edges can matter.
    pub(crate) fn take_single_task(&mut self) -> Option<SingleTask> {
        let waits = self.watched || self.halt.is_some() || self.in_flight > 0 || self.topology.has_ephemeral;
        // What is left may still be what a join of what is reached waits for.
        let joins = self.topology.joins_reached && !self.frontier.joins.are_empty();
        if waits || joins || !self.may_step() {
            return None;
        }
        // No class is full when nothing is in flight.
        let breakpoints = &self.breakpoints;
        let (id, task) = self.frontier.take_only(|task| task.passed || !breakpoints.before.contains(&task.node))?;
        task.start_alone(self.number, self.topology.mode == Mode::Barrier);
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
        self.limits.room != Some(0) && (has_step || self.topology.mode == Mode::Eager)
    }

    /// Whether [`commit_single`](Self::commit_single) commits what the task returned.
    #[inline]
    pub(crate) fn commits_single(&self, single: SingleTask, step: &Step<S>) -> bool {
        let exits = &self.topology.node(single.node).exits;
        let is_plain = matches!(step.next, Next::Edges) && exits.sends.is_empty() && exits.joins.is_empty();
        is_plain && (self.breakpoints.after.is_empty() || !self.breakpoints.after.contains(&single.node))
    }

    /// Whether commits are stored.
    pub(crate) fn is_durable(&self) -> bool {
        self.persist.is_some()
    }

    /// Returns the stored form of what the task returned, if it has one: what cannot be encoded leaves the fast path.
    pub(crate) fn encoded(&mut self, step: &Step<S>) -> Option<Vec<FieldChange>> {
        let mut changes = self.persist.as_mut().map_or_else(Vec::new, |persist| persist.take_changes());
        match &step.update {
            Some(update) => {
                let encode = || S::add_encoded(&self.topology.layout, update, &mut changes);
                guarded_encoding(encode).is_ok().then_some(changes)
            }
            None => Some(changes),
        }
    }

    /// Commits the update of the task where nothing is stored; the task that follows alone, in flight already.
    #[inline]
    pub(crate) fn commit_single(
        &mut self,
        single: SingleTask,
        update: Option<S::Update>,
    ) -> Result<Option<SingleTask>, Box<Fault>> {
        let number = self.newest + 1;
        let mut changed = FieldSet::default();
        let next = self.pass(single, number, update, &mut changed)?;
        self.advance(number, &changed);
        if next.is_some() {
            self.frontier.start_only(number);
        }
        Ok(next.map(|node| SingleTask::of(number, node)))
    }

    /// The same where commits are stored, with the update in stored form.
    pub(crate) fn commit_single_stored(
        &mut self,
        single: SingleTask,
        update: Option<S::Update>,
        changes: Vec<FieldChange>,
        now: u64,
    ) -> Result<SingleCommit, Box<Fault>> {
        let number = self.newest + 1;
        let mut folded = Folded { changes, ..Folded::default() };
        let next = self.pass(single, number, update, &mut folded.changed)?;
        let stored = self.store_step(number, (single.id, single.node), next, &folded, now).map_err(|error| {
            self.in_flight = 0;
            Box::new(Fault::Run(error.into()))
        })?;
        self.advance(number, &folded.changed);
        if next.is_some() {
            self.frontier.start_only(number);
        }
        if let Some(persist) = &mut self.persist {
            persist.reuse_changes(folded.changes);
        }
        let next = next.map(|node| SingleTask::of(number, node));
        Ok(SingleCommit { next, stored, changed: folded.changed })
    }

    /// Folds the update of the task, and puts what follows in its place; the node of the one task that follows.
    #[inline]
    fn pass(
        &mut self,
        single: SingleTask,
        number: u64,
        update: Option<S::Update>,
        changed: &mut FieldSet,
    ) -> Result<Option<u32>, Box<Fault>> {
        // As in `commit`: a refused step leaves the state as it was where somebody still looks at it.
        let exits = &self.topology.node(single.node).exits;
        let watched = (!self.ns.is_empty() || Arc::strong_count(&self.state) > 1)
            && !cannot_fail(&self.topology, exits, update.as_ref());
        let kept = watched.then(|| Arc::clone(&self.state));
        let folded = update.map_or(Ok(()), |update| self.fold(update, changed));
        let routed = folded.map_err(RouteFault::Node).and_then(|()| {
            let exits = &self.topology.node(single.node).exits;
            self.triggered.edges(&self.topology, Some(single.node), exits, &*self.state, &[])
        });
        if let Err(fault) = routed {
            self.triggered.clear();
            if let Some(kept) = kept {
                self.state = kept;
            }
            self.in_flight = 0;
            return Err(self.refuse(single.id, fault));
        }
        drop(kept);
        self.executed += 1;
        self.count_step();
        let eager = self.topology.mode == Mode::Eager;
        if eager {
            changed.iter().for_each(|at| self.writers[at] = Some(single.node));
        }
        let durable = self.persist.is_some();
        if let Some(node) = self.triggered.only_node()
            && !self.topology.node(node).deferred
            && self.may_step()
            && (self.breakpoints.before.is_empty() || !self.breakpoints.before.contains(&node))
            && self.frontier.replace_only(single.id, SingleTask::of(number, node).id, node, durable)
        {
            self.triggered.forget_only();
            (self.step_open, self.unfinished) = (!eager, usize::from(!eager));
            return Ok(Some(node));
        }
        self.frontier.forget(single.id, durable);
        self.in_flight = 0;
        let mut triggered = std::mem::take(&mut self.triggered);
        // Without sends, none is coalesced.
        self.trigger(number, &mut triggered, &[]);
        self.triggered = triggered;
        Ok(None)
    }

    /// Returns the commit of a single task, the newest one, in the form that the driver publishes.
    pub(crate) fn committed_single(&self, single: SingleTask, strode: SingleCommit) -> Committed<S> {
        let task = CommittedTask { id: single.id, node: single.node, attempt: 1, update: None };
        Committed {
            number: self.number,
            step: self.step,
            tasks: CommittedTasks::from_iter([task]),
            next: self.next(),
            changed: strode.changed,
            coalesced: Vec::new(),
            stored: match strode.stored {
                Some(StoredCommit::Commit(commit)) => Some(commit),
                Some(StoredCommit::Step) | None => None,
            },
        }
    }

    /// Takes the dispatch of a single task back: the run is asked to stop.
    pub(crate) fn put_single_back(&mut self, single: SingleTask, reason: Stop) {
        self.put_back(single.id, false);
        self.halt(reason);
    }
}

/// Whether a commit cannot be refused any more once its update is checked: it calls no reducer of the program, no router
/// and no send function.
pub(super) fn cannot_fail<S: State>(topology: &Topology<S>, exits: &Exits<S>, update: Option<&S::Update>) -> bool {
    let folds = |update: &S::Update| {
        let mut written = FieldSet::default();
        S::written(&topology.layout, update, &mut written);
        let fields = S::fields(&topology.layout);
        written.iter().all(|at| fields[at].sure)
    };
    exits.conditionals.is_empty() && exits.sends.is_empty() && (topology.sure || update.is_none_or(folds))
}
