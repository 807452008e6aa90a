//! The finished tasks that commit together: in order, checked against each other, and what their routers see.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::{NodeError, RunError};
use crate::event::Payload;
use crate::machine::commit::{CommittedTask, CommittedTasks};
use crate::machine::fan_out::KeyOrder;
use crate::machine::task::{Done, Groups, Pending, Phase};
use crate::machine::triggers::guarded;
use crate::machine::{Machine, MachineCore};
use crate::state::{FieldKind, FieldSet, State, Stored};
use crate::tasks::TaskId;
use crate::topology::{Mode, Topology};

/// A finished task of a commit.
pub(super) struct Batched {
    pub(super) id: TaskId,
    pub(super) node: u32,
    /// The fan-outs that the task belongs to; what any other sends is a fan-out of its own.
    pub(super) groups: Groups,
    pub(super) seen: u64,
    pub(super) attempt: u32,
    pub(super) done: Box<Done>,
}

pub(super) type Batch = SmallVec<[Batched; 1]>;

impl MachineCore {
    pub(super) fn take_batch(&mut self, id: TaskId) -> Batch {
        let eager = self.outline.mode == Mode::Eager;
        let mut batch = Batch::with_capacity(if eager { 1 } else { self.frontier.len() });
        let mut take = |id: TaskId, task: &mut Pending| {
            if !matches!(task.phase, Phase::Finished(_)) {
                return;
            }
            let Phase::Finished(done) = std::mem::replace(&mut task.phase, Phase::InFlight) else { return };
            batch.push(Batched {
                id,
                node: task.node,
                groups: Groups::from_slice(&task.groups),
                seen: task.seen.unwrap_or(0),
                attempt: task.failed + 1,
                done,
            });
        };
        if eager {
            if let Some(task) = self.frontier.get_mut(id) {
                take(id, task);
            }
        } else {
            self.frontier.iter_mut().filter(|(_, task)| task.in_step).for_each(|(id, task)| take(id, task));
        }
        // Deferred and renewed tasks, for instance, may be of several commits.
        let in_order = batch.iter().all(|task| self.in_order == Some(task.id.number));
        if !in_order && !batch.iter().map(|task| self.order_in_step(task)).is_sorted() {
            batch.sort_by_cached_key(|task| self.order_in_step(task));
        }
        batch
    }

    /// The place of a task in its commit: nodes by name, then sends by key.
    fn order_in_step(&self, task: &Batched) -> (Option<KeyOrder<&str>>, u32) {
        let key = self.frontier.get(task.id).and_then(|pending| pending.key.as_deref());
        (key.map(KeyOrder::of), task.node)
    }

    /// Finds two tasks of a batch that may not write as they do. `mark` marks the fields that an update replaces, and those
    /// that it writes.
    pub(super) fn check_conflicts(
        &self,
        batch: &Batch,
        mark: &dyn Fn(&Done, &mut FieldSet, &mut FieldSet),
    ) -> Result<(), (TaskId, RunError)> {
        let eager = self.outline.mode == Mode::Eager;
        if batch.len() < 2 && (!eager || batch.first().is_none_or(|task| task.seen == self.number)) {
            return Ok(());
        }
        let fields = &self.outline.fields;
        let mut writers: Vec<Option<u32>> = vec![None; fields.len()];
        let mut replacers: Vec<Option<u32>> = vec![None; fields.len()];
        let name = |node: u32| self.outline.node(node).name.to_string();
        let (mut replaced, mut written) = (FieldSet::default(), FieldSet::default());
        for task in batch {
            replaced.clear();
            written.clear();
            mark(&task.done, &mut replaced, &mut written);
            for at in replaced.iter() {
                if let Some(first) = replacers[at].replace(task.node) {
                    let field = fields[at].name.to_string();
                    let error = RunError::ReplaceConflict { field, first: name(first), second: name(task.node) };
                    return Err((task.id, error));
                }
            }
            for at in
                written.iter().filter(|at| fields[*at].kind == FieldKind::Last && fields[*at].stored != Stored::Never)
            {
                let field = fields[at].name.to_string();
                if let Some(first) = writers[at].replace(task.node) {
                    let error = RunError::Conflict { field, first: name(first), second: name(task.node) };
                    return Err((task.id, error));
                }
                if eager && self.versions[at] > task.seen {
                    let other =
                        self.writers[at].map_or_else(|| format!("commit {} of the thread", self.versions[at]), name);
                    return Err((task.id, RunError::WriteConflict { field, task: name(task.node), other }));
                }
            }
        }
        Ok(())
    }
}

impl<S: State> Machine<S> {
    /// Marks the fields that the update of a task replaces, and those that it writes.
    pub(super) fn mark(topology: &Topology<S>, done: &Done, replaced: &mut FieldSet, written: &mut FieldSet) {
        if let Some(update) = done.update::<S>() {
            S::replaced(&topology.layout, update, replaced);
            S::written(&topology.layout, update, written);
        }
    }

    /// Barrier mode: a router sees the head with its own task's update, not its siblings'.
    pub(super) fn own_states(&self, batch: &Batch) -> Result<SmallVec<[Option<Arc<S>>; 1]>, (TaskId, NodeError)> {
        let is_routed = |task: &Batched| {
            let exits = &self.topology.node(task.node).exits;
            !(exits.conditionals.is_empty() && exits.sends.is_empty())
        };
        if batch.len() < 2 || !batch.iter().any(is_routed) {
            return Ok(SmallVec::new());
        }
        let mut ignored = FieldSet::default();
        let mut own = |task: &Batched| {
            if !is_routed(task) {
                return Ok(None);
            }
            let own = |ignored: &mut FieldSet| -> Result<_, NodeError> {
                let mut state = guarded("state's `Clone`", || S::clone(&self.state))?;
                if let Some(update) = task.done.update::<S>().cloned() {
                    guarded("reducer", || state.apply(&self.topology.layout, update, ignored))?;
                }
                Ok(Some(Arc::new(state)))
            };
            own(&mut ignored).map_err(|error| (task.id, error))
        };
        batch.iter().map(&mut own).collect()
    }

    /// What stores and readers are told of the tasks of a batch.
    pub(super) fn told(&self, batch: &Batch) -> Option<CommittedTasks> {
        let tell = |task: &Batched| CommittedTask {
            id: task.id,
            node: task.node,
            attempt: task.attempt,
            update: if self.watched { task.done.update::<S>().cloned().map(Payload::new) } else { None },
        };
        self.observed.then(|| batch.iter().map(tell).collect())
    }
}
