//! `commit`: finished tasks become the next checkpoint.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::checkpoint::{Commit, Source};
use crate::error::{NodeError, RunError};
use crate::event::Payload;
use crate::machine::batch::{Batch, Batched};
use crate::machine::fan_out::{Coalesced, Finished, counted};
use crate::machine::single_task::SingleStep;
use crate::machine::task::{Done, Phase};
use crate::machine::triggers::{RouteFault, Triggered, guarded};
use crate::machine::{Machine, MachineCore, Nodes};
use crate::state::{FieldSet, State, StateError};
use crate::step::Next;
use crate::tasks::{GroupId, TaskId};
use crate::topology::Mode;

/// One commit: what the driver stores and tells.
pub(crate) struct Committed {
    pub(crate) number: u64,
    pub(crate) step: u64,
    /// The committed tasks; empty when nobody reads events.
    pub(crate) tasks: CommittedTasks,
    /// The nodes that have tasks now, sorted; empty when nobody reads events.
    pub(crate) next: Nodes,
    pub(crate) changed: FieldSet,
    pub(crate) coalesced: Vec<Coalesced>,
    /// The part that goes to the store.
    pub(crate) stored: Option<Box<Commit>>,
}

pub(crate) type CommittedTasks = SmallVec<[CommittedTask; 1]>;

pub(crate) struct CommittedTask {
    pub(crate) id: TaskId,
    pub(crate) node: u32,
    pub(crate) attempt: u32,
    /// When somebody reads the run's events.
    pub(crate) update: Option<Payload>,
}

/// A task that cannot be committed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The run fails with this error.
    Run(RunError),
    /// The task failed; see [`Machine::failure`].
    Task,
}

impl Fault {
    /// The error of a change that no task made, such as an input.
    pub(crate) fn of_change(self, change: &str) -> RunError {
        match self {
            Self::Run(error) => error,
            Self::Task => RunError::Internal(format!("{change} failed a task")),
        }
    }
}

/// The old and the new id of each task that became a new one.
pub(crate) type Renamed = Vec<(Arc<str>, Arc<str>)>;

impl<S: State> Machine<S> {
    /// Commits a finished task (eager mode), or all tasks of the finished step (barrier mode). Returns nothing when nobody
    /// stores or reads commits.
    pub(crate) fn commit(&mut self, id: TaskId, now: u64) -> Result<Option<Box<Committed>>, Box<Fault>> {
        let mut batch = self.take_batch(id);
        let topology = &self.topology;
        let mark = |done: &Done, replaced: &mut FieldSet, written: &mut FieldSet| {
            Self::mark(topology, done, replaced, written);
        };
        if let Err((id, error)) = self.core.check_conflicts(&batch, &mark) {
            return Err(self.refuse(id, RouteFault::Run(error)));
        }
        let number = self.newest + 1;
        let own = self.own_states(&batch).map_err(|(id, error)| self.refuse(id, RouteFault::Node(error)))?;
        let mut folded = Folded::default();
        let told = self.told(&batch);
        // A refused commit leaves the state as it was where somebody still looks at it.
        let (is_shared, is_single) = (self.is_shared(0), batch.len() == 1);
        let kept = (is_shared && (!is_single || self.topology.has_ephemeral)).then(|| Arc::clone(&self.state));
        self.reset_ephemeral(batch.iter().filter_map(|task| task.done.update::<S>()), &mut folded);
        let mut triggered = std::mem::take(&mut self.triggered);
        let committed = match &mut batch[..] {
            [task] => {
                self.keep_changes(&mut task.done.encoded);
                let (update, next) = (task.done.take_update::<S>(), std::mem::take(&mut task.done.next));
                let begun = [GroupId { number, place: 0 }];
                let groups = if task.groups.is_empty() { &begun[..] } else { &task.groups[..] };
                let step = SingleStep { node: task.node, update, next, groups, is_shared: is_shared && kept.is_none() };
                let Self { topology, state, .. } = self;
                let committed = topology.commit_single(state, step, &mut folded.changed, &mut triggered);
                committed.map_err(|fault| (task.id, *fault))
            }
            tasks => self.commit_batch(tasks, &own, number, &mut folded, &mut triggered),
        };
        if let (Err(_), Some(kept)) = (&committed, kept) {
            self.state = kept;
        }
        if let Err((id, fault)) = committed {
            triggered.clear();
            self.triggered = triggered;
            return Err(self.refuse(id, fault));
        }
        let coalesced = self.settle_batch(&batch, number, triggered, &folded.changed);
        let Some(tasks) = told else {
            self.advance(number, &folded.changed);
            return Ok(None);
        };
        let committed = self.seal(number, Source::Step, folded, tasks, coalesced, now)?;
        Ok(Some(Box::new(committed)))
    }

    /// Folds the updates of several tasks into the state, in order, and follows what each leads to.
    ///
    /// # Errors
    /// The task that was refused. The caller goes back to the state as it was.
    fn commit_batch(
        &mut self,
        batch: &mut [Batched],
        own: &[Option<Arc<S>>],
        number: u64,
        folded: &mut Folded,
        triggered: &mut Triggered,
    ) -> Result<(), (TaskId, RouteFault)> {
        for task in &mut *batch {
            if let Some(update) = task.done.take_update::<S>() {
                let update = self.topology.fold(&mut self.state, update, &mut folded.changed);
                update.map_err(|error| (task.id, RouteFault::Node(error)))?;
            }
            self.keep_changes(&mut task.done.encoded);
        }
        for (at, task) in batch.iter_mut().enumerate() {
            let state = own.get(at).and_then(Option::as_ref).unwrap_or(&self.state);
            let next = std::mem::take(&mut task.done.next);
            let begun = [GroupId { number, place: u32::try_from(at).unwrap_or(u32::MAX) }];
            let groups = if task.groups.is_empty() { &begun[..] } else { &task.groups[..] };
            let followed = triggered.follow(&self.topology, Some(task.node), next, state, groups);
            followed.map_err(|fault| (task.id, fault))?;
        }
        Ok(())
    }

    /// Whether somebody looks at the state beside the commit that is being made: tasks in flight but for `own` of them, a
    /// parent, a reader.
    pub(super) fn is_shared(&self, own: usize) -> bool {
        self.in_flight > own || !self.ns.is_empty() || Arc::strong_count(&self.state) > 1
    }

    /// Folds the input of a run and triggers what follows START.
    pub(crate) fn input(&mut self, update: Option<S::Update>, now: u64) -> Result<Committed, Fault> {
        self.enter(None, update, Source::Input, now)
    }

    /// Folds an update as if `node` had made it, and triggers what follows the node. Its own pending tasks are
    /// dropped, all others become new tasks.
    pub(crate) fn update_as(&mut self, node: u32, update: S::Update, now: u64) -> Result<Committed, Fault> {
        self.enter(Some(node), Some(update), Source::Update, now)
    }

    /// Makes a new checkpoint like the head, with new tasks.
    pub(crate) fn fork(&mut self, now: u64) -> Result<(Committed, Renamed), Fault> {
        let number = self.newest + 1;
        let (renamed, _) = self.renew_tasks(number, None);
        let mut folded = Folded::default();
        self.keep_ephemeral(&mut folded);
        let committed = self.seal(number, Source::Fork, folded, SmallVec::new(), Vec::new(), now)?;
        Ok((committed, renamed))
    }

    fn enter(
        &mut self,
        node: Option<u32>,
        update: Option<S::Update>,
        source: Source,
        now: u64,
    ) -> Result<Committed, Fault> {
        let number = self.newest + 1;
        let mut folded = Folded::default();
        self.reset_ephemeral(update.iter(), &mut folded);
        if let Some(update) = update {
            self.fold_change(update, &mut folded).map_err(|fault| self.core.refuse_change(node, fault))?;
        }
        let finished = self.begin_change(number, node, source);
        let mut triggered = Triggered::default();
        let group = [GroupId { number, place: self.frontier.next_place(number) }];
        if let Err(fault) = triggered.follow(&self.topology, node, Next::Edges, &self.state, &group) {
            return Err(self.refuse_change(node, fault));
        }
        let coalesced = self.trigger(number, &mut triggered, &finished);
        self.seal(number, source, folded, SmallVec::new(), coalesced, now)
    }

    /// Checks an update that no task made, and folds it into the state.
    ///
    /// # Errors
    /// The state cannot take the update.
    pub(super) fn fold_change(&mut self, update: S::Update, folded: &mut Folded) -> Result<(), RouteFault> {
        let run = |error: StateError| RouteFault::Run(error.into());
        S::check(&self.topology.layout, &update).map_err(run)?;
        if self.persist.is_some() {
            let encoded = guarded("serialization", || S::encode_update(&self.topology.layout, &update));
            self.keep_changes(&mut encoded.map_err(RouteFault::Node)?.map_err(run)?);
        }
        let fold = self.topology.fold(&mut self.state, update, &mut folded.changed);
        fold.map_err(|error| {
            self.forget_changes();
            RouteFault::Node(error)
        })
    }

    /// Resets ephemeral fields that were written by the step before, and notes those that `updates` write.
    pub(super) fn reset_ephemeral<'a>(&mut self, updates: impl Iterator<Item = &'a S::Update>, folded: &mut Folded) {
        if !self.topology.has_ephemeral {
            return;
        }
        let topology = Arc::clone(&self.topology);
        for at in std::mem::take(&mut self.ephemeral).iter() {
            Arc::make_mut(&mut self.state).reset(&topology.layout, at);
            folded.changed.insert(at);
            folded.reset.insert(at);
        }
        for update in updates {
            let mut written = FieldSet::default();
            S::written(&topology.layout, update, &mut written);
            self.ephemeral.extend(written.iter().filter(|at| topology.fields[*at].ephemeral));
        }
    }

    /// Gives ephemeral fields that are set the version of a commit which does not end their step: they are known by it when
    /// they are read back.
    pub(super) fn keep_ephemeral(&self, folded: &mut Folded) {
        for at in self.ephemeral.iter() {
            folded.changed.insert(at);
            folded.reset.insert(at);
        }
    }

    pub(super) fn seal(
        &mut self,
        number: u64,
        source: Source,
        folded: Folded,
        tasks: CommittedTasks,
        coalesced: Vec<Coalesced>,
        now: u64,
    ) -> Result<Committed, Fault> {
        let Self { core, topology, state } = self;
        let save = |at: usize| state.save(&topology.layout, at);
        let stored = core.store(number, source, &folded, now, &save).map_err(|error| Fault::Run(error.into()))?;
        Ok(core.committed(number, folded.changed, tasks, coalesced, stored))
    }
}

impl MachineCore {
    /// Forgets the tasks of a commit, counts it, and makes tasks of what was triggered. Returns sends that did nothing.
    fn settle_batch(
        &mut self,
        batch: &Batch,
        number: u64,
        mut triggered: Triggered,
        changed: &FieldSet,
    ) -> Vec<Coalesced> {
        let finished = counted(batch.iter().flat_map(|task| task.groups.iter().copied()));
        let executed = batch.iter().map(|task| 1 + task.done.cost).sum();
        batch.iter().for_each(|task| self.frontier.record_heads(&task.done.heads));
        self.frontier.forget_all(batch.iter().map(|task| task.id), self.persist.is_some());
        if !self.breakpoints.after.is_empty() {
            self.stop_after(batch.iter().map(|task| task.node));
        }
        self.count_commit(executed, batch.first().map(|task| task.node), changed);
        let coalesced = self.trigger(number, &mut triggered, &finished);
        self.triggered = triggered;
        coalesced
    }

    /// Counts a commit of tasks: `executed` of them, those inside of subgraphs included. `writer` is the node that wrote.
    #[inline]
    pub(super) fn count_commit(&mut self, executed: u64, writer: Option<u32>, changed: &FieldSet) {
        self.executed += executed;
        if self.outline.mode == Mode::Eager {
            changed.iter().for_each(|at| self.writers[at] = writer);
        }
        self.count_step();
    }

    /// The error of a change that no task made. `node` is the one that it is made for, none for START.
    fn refuse_change(&self, node: Option<u32>, fault: RouteFault) -> Fault {
        let error = match fault {
            RouteFault::Run(error) => return Fault::Run(error),
            RouteFault::Node(error) => error,
        };
        let node = node.map_or_else(|| "START".to_owned(), |node| self.outline.node(node).name.to_string());
        Fault::Run(RunError::TaskFailed { node, task: String::new(), attempts: 1, message: error.to_string() })
    }

    /// Prepares the tasks for a change that no task made. Returns the fan-outs of tasks that it drops.
    fn begin_change(&mut self, number: u64, node: Option<u32>, source: Source) -> SmallVec<[Finished; 1]> {
        let mut finished = Vec::new();
        if source == Source::Update {
            (_, finished) = self.renew_tasks(number, node);
        } else {
            // A join that starved in the run before does not fill in this one.
            self.frontier.clear_joins();
        }
        counted(finished.into_iter())
    }

    /// Gives pending tasks new ids, as tasks of commit `number`; drops those of `dropped`. Old and new id of each, and
    /// the fan-outs of the dropped ones.
    fn renew_tasks(&mut self, number: u64, dropped: Option<u32>) -> (Renamed, Vec<GroupId>) {
        let durable = self.persist.is_some();
        (self.in_order, self.step_open, self.unfinished) = (None, false, 0);
        let ids: Vec<_> = self.frontier.iter().map(|(id, _)| id).collect();
        let (mut renamed, mut left) = (Vec::new(), Vec::new());
        let mut place = 0;
        for id in ids {
            let old = self.task_path(id);
            let Some(mut task) = self.frontier.remove(id, durable) else { continue };
            if Some(task.node) == dropped {
                left.extend(task.groups);
                continue;
            }
            let new = TaskId { number, place };
            place += 1;
            let deferred = self.outline.node(task.node).deferred && task.key.is_none();
            task.phase = if deferred { Phase::Deferred } else { Phase::Ready };
            (task.seen, task.state, task.failed, task.in_step, task.counted) = (None, None, 0, false, false);
            task.began = 0;
            self.frontier.push(new, task, durable);
            renamed.push((old, self.task_path(new)));
        }
        (renamed, left)
    }

    pub(super) fn refuse(&mut self, id: TaskId, fault: RouteFault) -> Box<Fault> {
        self.forget_changes();
        Box::new(match fault {
            RouteFault::Run(error) => {
                self.fail(id, NodeError::terminal(error.to_string()));
                Fault::Run(error)
            }
            RouteFault::Node(error) => {
                self.fail(id, error);
                Fault::Task
            }
        })
    }

    /// The commit is the head now.
    #[inline]
    pub(super) fn advance(&mut self, number: u64, changed: &FieldSet) {
        for at in changed.iter() {
            self.versions[at] = number;
        }
        (self.number, self.newest) = (number, number);
    }

    /// Makes a commit the head. Returns what the driver stores and tells of it.
    fn committed(
        &mut self,
        number: u64,
        changed: FieldSet,
        tasks: CommittedTasks,
        coalesced: Vec<Coalesced>,
        stored: Option<Box<Commit>>,
    ) -> Committed {
        self.advance(number, &changed);
        let next = if self.observed { self.next() } else { Nodes::new() };
        Committed { number, step: self.step, tasks, next, changed, coalesced, stored }
    }
}

/// What a commit changes in the state.
#[derive(Debug, Default)]
pub(super) struct Folded {
    pub(super) changed: FieldSet,
    /// Fields that were set to their initial value.
    pub(super) reset: FieldSet,
}
