//! Reading a thread without writing it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::{CheckpointRow, HistoryFilter, TaskRecordKind, ThreadStatus};
use crate::driver::{Control, Driver, RunPolicy, Runtime, Session, restore};
use crate::error::RunError;
use crate::event::Event;
use crate::questions::Questions;
use crate::state::State;
use crate::thread::Thread;

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
    /// The nodes that have unfinished tasks.
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
        let row = store.thread(&self.id).await?;
        if let Some(row) = &row {
            self.check_row(row)?;
        }
        let restored = match &row {
            Some(_) => restore(&**store, &graph.topology, &self.id, "", number, false).await?,
            None => None,
        };
        if let (None, Some(number)) = (&restored, number) {
            return Err(RunError::UnknownCheckpoint { thread: self.id.to_string(), number });
        }
        let checkpoint = restored.as_ref().map(|restored| restored.row.clone());
        let answers: BTreeMap<_, _> = restored
            .iter()
            .flat_map(|restored| &restored.records)
            .filter(|record| record.kind == TaskRecordKind::Answer)
            .map(|record| ((Arc::clone(&record.task), Arc::clone(&record.key)), Arc::clone(&record.payload)))
            .collect();
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
        let driver = Driver::new(Runtime::new(&self.threads.app), Arc::new(session), "".into(), None, restored)?;
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
