//! The finished tasks that commit together: in order, checked against each other, and what their routers see.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::{NodeError, RunError};
use crate::machine::Machine;
use crate::machine::commit::{CommittedTask, CommittedTasks};
use crate::machine::fan_out::KeyOrder;
use crate::machine::task::{Done, Groups, Pending, Phase};
use crate::machine::triggers::guarded;
use crate::state::{FieldKind, FieldSet, State, Stored};
use crate::tasks::TaskId;
use crate::topology::Mode;

/// A finished task of a commit.
pub(super) struct Batched<S: State> {
    pub(super) id: TaskId,
    pub(super) node: u32,
    /// The fan-outs that the task belongs to; what any other sends is a fan-out of its own.
    pub(super) groups: Groups,
    pub(super) seen: u64,
    pub(super) attempt: u32,
    pub(super) done: Box<Done<S>>,
}

pub(super) type Batch<S> = SmallVec<[Batched<S>; 1]>;

impl<S: State> Machine<S> {
    pub(super) fn take_batch(&mut self, id: TaskId) -> Batch<S> {
        let eager = self.topology.mode == Mode::Eager;
        let mut batch = Batch::with_capacity(if eager { 1 } else { self.frontier.len() });
        let mut take = |id: TaskId, task: &mut Pending<S>| {
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
    fn order_in_step(&self, task: &Batched<S>) -> (Option<KeyOrder<&str>>, u32) {
        let key = self.frontier.get(task.id).and_then(|pending| pending.key.as_deref());
        (key.map(KeyOrder::of), task.node)
    }

    pub(super) fn check_conflicts(&self, batch: &Batch<S>) -> Result<(), (TaskId, RunError)> {
        let eager = self.topology.mode == Mode::Eager;
        if batch.len() < 2 && (!eager || batch.first().is_none_or(|task| task.seen == self.number)) {
            return Ok(());
        }
        let fields = S::fields(&self.topology.layout);
        let mut writers: Vec<Option<u32>> = vec![None; fields.len()];
        let mut replacers: Vec<Option<u32>> = vec![None; fields.len()];
        let name = |node: u32| self.topology.node(node).name.to_string();
        let (mut replaced, mut written) = (FieldSet::default(), FieldSet::default());
        for task in batch {
            let Some(update) = &task.done.update else { continue };
            replaced.clear();
            S::replaced(&self.topology.layout, update, &mut replaced);
            for at in replaced.iter() {
                if let Some(first) = replacers[at].replace(task.node) {
                    let field = fields[at].name.to_string();
                    let error = RunError::ReplaceConflict { field, first: name(first), second: name(task.node) };
                    return Err((task.id, error));
                }
            }
            written.clear();
            S::written(&self.topology.layout, update, &mut written);
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

    /// Barrier mode: a router sees the head with its own task's update, not its siblings'.
    pub(super) fn own_states(&self, batch: &Batch<S>) -> Result<SmallVec<[Option<Arc<S>>; 1]>, (TaskId, NodeError)> {
        let is_routed = |task: &Batched<S>| {
            let exits = &self.topology.node(task.node).exits;
            !(exits.conditionals.is_empty() && exits.sends.is_empty())
        };
        if batch.len() < 2 || !batch.iter().any(is_routed) {
            return Ok(SmallVec::new());
        }
        let mut ignored = FieldSet::default();
        let mut own = |task: &Batched<S>| {
            if !is_routed(task) {
                return Ok(None);
            }
            let own = |ignored: &mut FieldSet| -> Result<_, NodeError> {
                let mut state = guarded("state's `Clone`", || S::clone(&self.state))?;
                if let Some(update) = task.done.update.clone() {
                    guarded("reducer", || state.apply(&self.topology.layout, update, ignored))?;
                }
                Ok(Some(Arc::new(state)))
            };
            own(&mut ignored).map_err(|error| (task.id, error))
        };
        batch.iter().map(&mut own).collect()
    }

    /// What stores and readers are told of the tasks of a batch.
    pub(super) fn told(&self, batch: &Batch<S>) -> Option<CommittedTasks<S>> {
        let tell = |task: &Batched<S>| CommittedTask {
            id: task.id,
            node: task.node,
            attempt: task.attempt,
            update: if self.watched { task.done.update.clone().map(Box::new) } else { None },
        };
        self.observed.then(|| batch.iter().map(tell).collect())
    }
}
