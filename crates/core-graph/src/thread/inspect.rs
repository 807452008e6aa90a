//! Reading a thread without writing it.

use std::sync::Arc;

use crate::checkpoint::load_frontier;
use crate::checkpoint::{CheckpointRow, HistoryFilter, ThreadRow, ThreadStatus};
use crate::error::RunError;
use crate::event::Event;
use crate::executor::{Driver, Runtime};
use crate::graph::Compiled;
use crate::limits::{Control, RunPolicy};
use crate::machine::Restored;
use crate::questions::Questions;
use crate::recorder::Session;
use crate::recorder::open_calls;
use crate::recorder::restore;
use crate::state::State;
use crate::thread::Thread;

/// How often a thread is read that other runs begin and end meanwhile.
const MOST_READS: usize = 16;

/// Whether no run began or ended between two readings of a thread's row.
fn is_of_one_moment(before: &ThreadRow, after: &ThreadRow) -> bool {
    (before.status, before.epoch) == (after.status, after.epoch)
}

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
        let store = &self.threads.store;
        let graph = &self.threads.app.graph;
        let mut row = store.thread(&self.id).await?;
        let mut reads = 0;
        let restored = loop {
            let Some(before) = &row else { break None };
            self.check_row(before)?;
            let restored = restore(&**store, &graph.executable.topology, &self.id, "", number, false).await?;
            // The row and the checkpoint are read one after the other; where a run began or ended between them, they are of
            // two moments, and a thread that waits would have no question.
            let after = store.thread(&self.id).await?;
            reads += 1;
            if reads == MOST_READS || after.as_ref().is_some_and(|after| is_of_one_moment(before, after)) {
                break restored;
            }
            row = after;
        };
        if let (None, Some(number)) = (&restored, number) {
            return Err(RunError::UnknownCheckpoint { thread: self.id.to_string(), number });
        }
        self.seen(row, restored)
    }

    /// What can be seen of a thread that was read.
    pub(super) fn seen(
        &self,
        row: Option<ThreadRow>,
        restored: Option<Restored<S>>,
    ) -> Result<ThreadState<S>, RunError> {
        let checkpoint = restored.as_ref().map(|restored| restored.row.clone());
        let answers = restored.as_ref().map(Restored::answers).unwrap_or_default();
        // A driver that is never run: it reads the frontier as a run would.
        let session = Session::new(
            Arc::clone(&self.id),
            None,
            Arc::clone(&self.threads.clock),
            Arc::new(Control::default()),
            RunPolicy::default(),
            None,
            None,
            answers.clone(),
        );
        let driver = Driver::new(
            Runtime::of(&self.threads.app.graph.executable, Arc::clone(&self.threads.app.resources)),
            Arc::new(session),
            "".into(),
            None,
            restored,
        )?;
        let machine = driver.machine();
        let mut questions = driver.questions();
        questions
            .retain(|question| !answers.contains_key(&(question.task.as_str().into(), question.key.as_str().into())));
        Ok(ThreadState {
            state: Arc::clone(&machine.state),
            status: row.as_ref().map_or(ThreadStatus::New, |row| row.status),
            detail: row.map(|row| row.detail).unwrap_or_default(),
            checkpoint,
            next: machine.next_nodes(),
            questions: Questions::new(questions),
        })
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
        let restored = restore(store, &graph.executable.topology, &self.id, ns, number, false).await?;
        Ok(restored.map(|restored| restored.state))
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
