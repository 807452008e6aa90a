//! Time travel: older checkpoints, forks, updates from outside.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::{CheckpointError, TaskRecord, TaskRecordKind};
use crate::error::RunError;
use crate::executor::{Driver, Entry, Run};
use crate::limits::Control;
use crate::machine::Fault;
use crate::name::Node;
use crate::recorder::replays::{replayed, taken_over};
use crate::recorder::{Queue, Then};
use crate::state::State;
use crate::thread::at_subgraph::{BranchPoint, place_of};
use crate::thread::open::Opening;
use crate::thread::{Thread, ThreadState};

/// A checkpoint of a thread.
pub struct At<S: State, Cx = ()> {
    pub(super) thread: Thread<S, Cx>,
    pub(super) number: u64,
    reuse_once: bool,
}

impl<S: State, Cx: Send + Sync + 'static> Thread<S, Cx> {
    /// The checkpoint of this number.
    pub fn at(&self, checkpoint: u64) -> At<S, Cx> {
        At { thread: self.clone(), number: checkpoint, reuse_once: false }
    }

    /// Commits an update as if `node` had made it: what follows the node becomes pending, the node's own pending
    /// tasks are dropped, all other pending tasks are planned anew. Go on with [`continue_`](Self::continue_), or do both
    /// with [`update_and_continue`](Self::update_and_continue). To say which nodes run next, and that nothing else does, see
    /// [`update_and_goto`](Self::update_and_goto).
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
        let at = self.find_node(&node, "update as")?;
        let (mut driver, _) = self.open(Opening::Edit, control, queue).await?;
        driver.edit(then, |machine, now| Ok((machine.update_as(at, update, now)?, Vec::new()))).await?;
        Ok(driver)
    }

    /// The index of a node that somebody names to do something.
    pub(super) fn find_node(&self, node: &Node, purpose: &str) -> Result<u32, RunError> {
        let topology = &self.threads.app.graph.executable.topology;
        topology.find(node.as_str()).ok_or_else(|| {
            let known: Vec<_> = topology.nodes.iter().map(|node| format!("`{}`", node.name)).collect();
            self.any().mismatch(format!("it has no node `{node}` to {purpose}; nodes: {}", known.join(", ")))
        })
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
        self.fork_inside(None).await
    }

    /// Commits an update here as if `node` had made it, as [`Thread::update_state`] does at the head. The checkpoint of the
    /// update is a child of this one, and the thread's head; the branch that was the head stays reachable by its numbers. It is
    /// one commit: after a crash the thread is as it was, or it has the update.
    ///
    /// [`reuse_once`](Self::reuse_once) changes nothing: the results of durable steps are not taken over.
    ///
    /// # Errors
    /// As [`fork`](Self::fork); a node that the graph does not have.
    pub async fn update_state(&self, node: Node, update: S::Update) -> Result<(), RunError> {
        let node = self.thread.find_node(&node, "update as")?;
        let (mut driver, _) = self.branch(self.number, Arc::new(Control::default()), None).await?;
        driver.edit(Then::GiveBack, |machine, now| Ok((machine.update_as(node, update, now)?, Vec::new()))).await
    }

    /// Forks at this checkpoint, or at that of its number in the namespace of a subgraph.
    pub(super) async fn fork_inside(&self, ns: Option<Arc<str>>) -> Result<(), RunError> {
        self.forked(ns, Arc::new(Control::default()), None, Then::GiveBack).await.map(drop)
    }

    async fn forked(
        &self,
        ns: Option<Arc<str>>,
        control: Arc<Control>,
        queue: Option<Arc<Queue>>,
        then: Then,
    ) -> Result<Driver<S, Cx>, RunError> {
        let thread = &self.thread;
        let BranchPoint { number, call } = match ns {
            Some(ns) => {
                let place = place_of(&*thread.threads.store, &thread.id, ns, self.number, self.reuse_once).await;
                place.map_err(|error| match error {
                    CheckpointError::UnknownCheckpoint { thread, ns, number } if ns.is_empty() => {
                        RunError::UnknownCheckpoint { thread, number }
                    }
                    other => other.into(),
                })?
            }
            None => BranchPoint { number: self.number, call: None },
        };
        let (mut driver, mut once) = self.branch(number, control, queue).await?;
        once.retain(|record| self.reuse_once && record.kind == TaskRecordKind::Once);
        driver
            .edit(then, |machine, now| {
                let (committed, renamed) = machine.fork(now)?;
                let mut tasks = taken_over(&once, &renamed);
                if let Some((task, point)) = &call {
                    tasks.push(replayed((task, point), &renamed).map_err(Fault::Run)?);
                }
                Ok((committed, tasks))
            })
            .await?;
        Ok(driver)
    }

    /// A driver that stands at a checkpoint, and what its tasks left there: answers and writes belong to the branch that is
    /// left, not to the one that goes on from here.
    async fn branch(
        &self,
        number: u64,
        control: Arc<Control>,
        queue: Option<Arc<Queue>>,
    ) -> Result<(Driver<S, Cx>, Vec<TaskRecord>), RunError> {
        let thread = &self.thread;
        let (attached, _, mut restored) = thread.any().attach(Some(number)).await?;
        let mut left = Vec::new();
        if let Some(restored) = &mut restored {
            left = std::mem::take(&mut restored.records);
            restored.forget_attempts = true;
        }
        let driver = thread.driver(attached, thread.policy.clone(), control, queue, BTreeMap::new(), restored)?;
        Ok((driver, left))
    }

    /// Forks and goes on: everything after this checkpoint runs again. Nobody else writes the thread in between.
    ///
    /// # Errors
    /// As [`fork`](Self::fork), and the run's own.
    pub fn replay(&self) -> Run<S> {
        self.replay_inside(None)
    }

    /// Replays from this checkpoint, or from that of its number in the namespace of a subgraph.
    pub(super) fn replay_inside(&self, ns: Option<Arc<str>>) -> Run<S> {
        let (number, reuse_once) = (self.number, self.reuse_once);
        self.thread.launch_with(move |thread, control, queue| async move {
            let at = Self { thread, number, reuse_once };
            Ok((at.forked(ns, control, queue, Then::GoOn).await?, Entry::Resume("continue")))
        })
    }
}

impl<S: State, Cx> std::fmt::Debug for At<S, Cx> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("At").field("thread", &self.thread).field("number", &self.number).finish_non_exhaustive()
    }
}
