//! Time travel: older checkpoints, forks, updates from outside.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::{TaskRecord, TaskRecordKind};
use crate::error::RunError;
use crate::executor::{Driver, Entry, Run};
use crate::limits::Control;
use crate::name::Node;
use crate::recorder::{Queue, Then};
use crate::state::State;
use crate::thread::open::Opening;
use crate::thread::{Thread, ThreadState};

/// A checkpoint of a thread.
pub struct At<S: State, Cx = ()> {
    thread: Thread<S, Cx>,
    number: u64,
    reuse_once: bool,
}

impl<S: State, Cx: Send + Sync + 'static> Thread<S, Cx> {
    /// The checkpoint of this number.
    pub fn at(&self, checkpoint: u64) -> At<S, Cx> {
        At { thread: self.clone(), number: checkpoint, reuse_once: false }
    }

    /// Commits an update as if `node` had made it: what follows the node becomes pending, the node's own pending
    /// tasks are dropped, all other pending tasks are planned anew. Go on with [`continue_`](Self::continue_), or do both
    /// with [`update_and_continue`](Self::update_and_continue).
    ///
    /// # Errors
    /// The store's; a node that the graph does not have.
    pub async fn update_state(&self, node: Node, update: S::Update) -> Result<(), RunError> {
        self.updated(node, update, Arc::new(Control::default()), None, Then::GiveBack).await.map(drop)
    }

    /// Commits an update as [`update_state`](Self::update_state) does, and goes on as [`continue_`](Self::continue_) does.
    /// Nobody else writes the thread in between.
    ///
    /// # Errors
    /// As [`update_state`](Self::update_state), and the run's own.
    pub fn update_and_continue(&self, node: Node, update: S::Update) -> Run<S> {
        self.launch_with(move |thread, control, queue| async move {
            Ok((thread.updated(node, update, control, queue, Then::GoOn).await?, Entry::Resume("continue")))
        })
    }

    async fn updated(
        &self,
        node: Node,
        update: S::Update,
        control: Arc<Control>,
        queue: Option<Arc<Queue>>,
        then: Then,
    ) -> Result<Driver<S, Cx>, RunError> {
        let topology = Arc::clone(&self.threads.app.graph.executable.topology);
        let at = topology.find(node.as_str()).ok_or_else(|| {
            let known: Vec<_> = topology.nodes.iter().map(|node| format!("`{}`", node.name)).collect();
            self.mismatch(format!("it has no node `{node}` to update as; nodes: {}", known.join(", ")))
        })?;
        let (mut driver, _) = self.open(Opening::Edit, control, queue).await?;
        driver.edit(then, |machine, now| Ok((machine.update_as(at, update, now)?, Vec::new()))).await?;
        Ok(driver)
    }

    /// Copies the thread with its whole history to a new id.
    ///
    /// # Errors
    /// The store's: the new id exists, the thread is being written, the store cannot copy.
    pub async fn copy_to(&self, id: &str) -> Result<Self, RunError> {
        self.threads.store.copy_thread(&self.id, id).await?;
        Ok(Self { id: id.into(), ..self.clone() })
    }
}

impl<S: State, Cx: Send + Sync + 'static> At<S, Cx> {
    /// The same checkpoint, whose fork takes over the results of durable steps instead of running them again.
    #[must_use]
    pub fn reuse_once(mut self) -> Self {
        self.reuse_once = true;
        self
    }

    /// The thread as it stood there.
    ///
    /// # Errors
    /// The store's; no such checkpoint.
    pub async fn state(&self) -> Result<ThreadState<S>, RunError> {
        self.thread.state_at(Some(self.number)).await
    }

    /// Makes a child of this checkpoint the thread's head, with its pending tasks as new ones. The branch that was the
    /// head stays reachable by its numbers. Subgraphs that are kept per thread stand where they stood there. Go on with [`Thread::continue_`].
    ///
    /// # Errors
    /// The store's; no such checkpoint.
    pub async fn fork(&self) -> Result<(), RunError> {
        self.forked(Arc::new(Control::default()), None, Then::GiveBack).await.map(drop)
    }

    async fn forked(
        &self,
        control: Arc<Control>,
        queue: Option<Arc<Queue>>,
        then: Then,
    ) -> Result<Driver<S, Cx>, RunError> {
        let thread = &self.thread;
        let (attached, _, restored) = thread.attach(Some(self.number)).await?;
        let mut records = Vec::new();
        let restored = restored.map(|mut restored| {
            // Answers and writes belong to the branch that goes on from here, not to the one that is left; results of
            // durable steps are taken over if that is wanted.
            records = std::mem::take(&mut restored.records);
            restored.forget_attempts = true;
            restored
        });
        if !self.reuse_once {
            records.clear();
        }
        let mut driver = thread.driver(attached, thread.policy.clone(), control, queue, BTreeMap::new(), restored)?;
        driver
            .edit(then, |machine, now| {
                let (committed, renamed) = machine.fork(now)?;
                Ok((committed, taken_over(&records, &renamed)))
            })
            .await?;
        Ok(driver)
    }

    /// Forks and goes on: everything after this checkpoint runs again. Nobody else writes the thread in between.
    ///
    /// # Errors
    /// As [`fork`](Self::fork), and the run's own.
    pub fn replay(&self) -> Run<S> {
        let (number, reuse_once) = (self.number, self.reuse_once);
        self.thread.launch_with(move |thread, control, queue| async move {
            let at = Self { thread, number, reuse_once };
            Ok((at.forked(control, queue, Then::GoOn).await?, Entry::Resume("continue")))
        })
    }
}

/// The results of durable steps under the ids of the tasks that take them over.
fn taken_over(records: &[TaskRecord], renamed: &[(Arc<str>, Arc<str>)]) -> Vec<TaskRecord> {
    let renamed = |task: &str| renamed.iter().find(|(old, _)| **old == *task).map(|(_, new)| Arc::clone(new));
    let onces = records.iter().filter(|record| record.kind == TaskRecordKind::Once);
    onces.filter_map(|record| Some(TaskRecord { task: renamed(&record.task)?, ..record.clone() })).collect()
}

impl<S: State, Cx> std::fmt::Debug for At<S, Cx> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("At").field("thread", &self.thread).field("number", &self.number).finish_non_exhaustive()
    }
}
