//! Reading a thread without writing it.

use std::sync::Arc;

use crate::checkpoint::{CheckpointRow, HistoryFilter, ThreadStatus, load_frontier};
use crate::error::RunError;
use crate::event::Event;
use crate::graph::Compiled;
use crate::questions::Questions;
use crate::recorder::{open_calls, restore};
use crate::state::{AnyState, State};
use crate::tasks::PendingTask;
use crate::thread::Thread;
use crate::thread::any::ThreadView;

/// A thread as it stands, or as it stood at a checkpoint.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ThreadState<S> {
    /// The state.
    pub state: Arc<S>,
    /// What the thread is doing.
    pub status: ThreadStatus,
    /// More about the status.
    pub detail: String,
    /// The checkpoint; `None` for a thread without one.
    pub checkpoint: Option<CheckpointRow>,
    /// The nodes that have unfinished tasks. A task that has finished and waits for the others of its super-step is not
    /// among them, unless it waits for its commit alone.
    pub next: Vec<String>,
    /// The tasks that are not committed, in the order of their ids, each by itself: two of one node are two.
    pub tasks: Vec<PendingTask>,
    /// The open questions.
    pub questions: Questions,
}

impl<S: State, Cx: Send + Sync + 'static> Thread<S, Cx> {
    /// The thread as it stands.
    ///
    /// # Errors
    /// The store's; a thread of another graph.
    pub async fn state(&self) -> Result<ThreadState<S>, RunError> {
        self.state_at(None).await
    }

    pub(super) async fn state_at(&self, number: Option<u64>) -> Result<ThreadState<S>, RunError> {
        let ThreadView { state, status, detail, checkpoint, next, tasks, questions } =
            self.any().state_at(number).await?;
        let state = match state {
            Some(state) => of_type(state)?,
            None => Arc::new(S::initial(&self.threads.app.graph.executable.topology.layout)),
        };
        Ok(ThreadState { state, status, detail, checkpoint, next, tasks, questions })
    }

    /// The state of a subgraph, also while the thread waits; `None` when it has none.
    ///
    /// A subgraph that is [kept per thread](crate::Persistence::PerThread) has the names of the nodes that lead to it as
    /// its namespace, `"outer/inner"`; its state is that of its open call, or where the head of the thread records that it
    /// stands. A call has the id of its task, as events and [`TaskInfo`](crate::TaskInfo) tell it.
    ///
    /// # Errors
    /// The store's; a state of another type.
    pub async fn subgraph_state<C: State, Ccx>(
        &self,
        graph: &Compiled<C, Ccx>,
        ns: &str,
    ) -> Result<Option<Arc<C>>, RunError> {
        let store = &*self.threads.store;
        let Some(head) = store.checkpoint(&self.id, "", None).await? else { return Ok(None) };
        let (frontier, _) = load_frontier(store, &self.id, "", &head).await?;
        let tasks = frontier.tasks.iter().map(|task| (task.id.path("", &task.node), false)).collect();
        let open = open_calls(store, &self.id, tasks, true).await?;
        let is_open = open.iter().any(|call| call.serves(ns));
        let recorded = frontier.children().find(|(child, _)| &***child == ns).map(|(_, number)| number);
        if !is_open && recorded.is_none() && !ns.contains(':') {
            return Ok(None);
        }
        let number = recorded.filter(|_| !is_open);
        let restored = restore(store, &*graph.executable.topology, &self.id, ns, number, false, None).await?;
        restored.map(|restored| of_type(restored.state)).transpose()
    }

    /// The checkpoints of the thread, newest first.
    ///
    /// # Errors
    /// The store's.
    pub async fn history(&self, filter: &HistoryFilter) -> Result<Vec<CheckpointRow>, RunError> {
        Ok(self.threads.store.checkpoints(&self.id, "", filter).await?)
    }

    /// Stored events after a sequence number, oldest first, at most `limit`.
    ///
    /// # Errors
    /// The store's; an event that cannot be read.
    pub async fn journal(&self, after: u64, limit: usize) -> Result<Vec<Event>, RunError> {
        let rows = self.threads.store.journal(&self.id, after, limit).await?;
        let read = |row: crate::checkpoint::JournalRow| {
            row.event.read().map_err(|error| {
                RunError::Internal(format!("event {} of thread `{}` cannot be read: {error}", row.seq, self.id))
            })
        };
        rows.into_iter().map(read).collect()
    }
}

/// A state that was read, by its type.
fn of_type<S: State>(state: AnyState) -> Result<Arc<S>, RunError> {
    state.downcast().map_err(|_| RunError::Internal("a state of another graph was read".to_owned()))
}
