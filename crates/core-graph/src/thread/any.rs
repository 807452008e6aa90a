//! A thread over a state of any type: all of reading and opening it that needs no more, compiled once.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::checkpoint::{
    CheckpointError, CheckpointRow, Checkpointer, Commit, Lease, TaskRecord, TaskRecordKind, ThreadRow, ThreadStatus,
    newest_number,
};
use crate::clock::Clock;
use crate::error::RunError;
use crate::executor::Beginning;
use crate::limits::{Control, RunPolicy};
use crate::machine::{AnswerMap, ReadGraph, Restored};
use crate::questions::{Answers, Questions};
use crate::recorder::{CommitLog, Session, restore};
use crate::state::AnyState;
use crate::tasks::PendingTask;
use crate::thread::known_states::KnownStates;
use crate::thread::open::Opening;
use crate::topology::Outline;

/// How often a thread is read that other runs begin and end meanwhile.
const MOST_READS: usize = 16;

/// Whether no run began or ended between two readings of a thread's row.
fn is_of_one_moment(before: &ThreadRow, after: &ThreadRow) -> bool {
    (before.status, before.epoch) == (after.status, after.epoch)
}

/// Of two processes that ask for a thread at the same time both may be given a lease, and the first to write has the thread.
/// The other one is told so at once: what it would read is in the middle of a run that is not its own.
fn check_lease(lease: &Lease, row: &ThreadRow) -> Result<(), CheckpointError> {
    if row.epoch < lease.epoch || row.owner == *lease.owner {
        return Ok(());
    }
    let thread = lease.thread.to_string();
    if row.owner.is_empty() {
        let detail = format!("the thread is at epoch {}", row.epoch);
        return Err(CheckpointError::StaleHead { thread, ns: String::new(), epoch: lease.epoch, detail });
    }
    Err(CheckpointError::ThreadBusy { thread, owner: row.owner.clone() })
}

/// A thread over a state of any type.
#[derive(Clone, Copy)]
pub(super) struct AnyThread<'t> {
    pub(super) id: &'t Arc<str>,
    pub(super) store: &'t Arc<dyn Checkpointer>,
    pub(super) clock: &'t Arc<dyn Clock>,
    pub(super) outline: &'t Arc<Outline>,
    pub(super) graph: &'t dyn ReadGraph,
    /// States that threads had when they were last read.
    pub(super) known: Option<&'t KnownStates>,
}

/// A thread under its lease: its status, and what was read of it.
type Attached = (CommitLog, ThreadStatus, Option<Restored>);

/// A thread that is open for writing.
pub(super) struct Opened {
    pub(super) attached: CommitLog,
    pub(super) restored: Option<Restored>,
    pub(super) answers: AnswerMap,
    /// Answers that are to be stored with an update.
    pub(super) records: Vec<TaskRecord>,
    /// Tasks that the run drops.
    pub(super) abandoned: Vec<Arc<str>>,
}

/// A thread as it stands, or as it stood at a checkpoint.
pub(super) struct ThreadView {
    /// `None` for a thread without a checkpoint, whose state is the initial one.
    pub(super) state: Option<AnyState>,
    pub(super) status: ThreadStatus,
    pub(super) detail: String,
    pub(super) checkpoint: Option<CheckpointRow>,
    pub(super) next: Vec<String>,
    pub(super) tasks: Vec<PendingTask>,
    pub(super) questions: Questions,
}

impl<'t> AnyThread<'t> {
    // Futures that typed code polls are boxed here: a future is compiled where it is made a `dyn`, or else where it is
    // polled, which would be in every program.

    /// Opens the thread for writing, as its status allows.
    pub(super) fn open(self, opening: Opening<()>) -> BoxFuture<'t, Result<Opened, RunError>> {
        Box::pin(self.opened(opening))
    }

    /// Takes the lease and reads the thread under it, at a checkpoint or at its head.
    pub(super) fn attach(self, number: Option<u64>) -> BoxFuture<'t, Result<Attached, RunError>> {
        Box::pin(self.attached(number))
    }

    /// Takes the lease of a thread that is to begin from nothing again. Returns its newest checkpoint and its head, if it
    /// has any.
    pub(super) fn attach_anew(self) -> BoxFuture<'t, Result<(CommitLog, Option<(u64, u64)>), RunError>> {
        Box::pin(self.attached_anew())
    }

    /// Reads the thread at a checkpoint, or as it stands.
    pub(super) fn state_at(self, number: Option<u64>) -> BoxFuture<'t, Result<ThreadView, RunError>> {
        Box::pin(self.seen_at(number))
    }

    async fn opened(self, opening: Opening<()>) -> Result<Opened, RunError> {
        let (attached, status, restored) = self.attached(None).await?;
        // Without a checkpoint there is nothing to go on with, whatever a run before came to.
        let status = if restored.is_none() { ThreadStatus::New } else { status };
        self.allow(&opening, status, restored.as_ref())?;
        let mut answers = restored.as_ref().map(Restored::answers).unwrap_or_default();
        let (mut records, mut abandoned) = (Vec::new(), Vec::new());
        let mut restored = restored;
        match opening {
            Opening::Run { abandon: true, .. } => {
                abandoned = restored.as_mut().map(|restored| restored.drop_unfinished(&"".into())).unwrap_or_default();
            }
            Opening::Resume(given) => {
                let tasks = self.answered(restored.as_ref(), &given, &mut answers)?;
                let thread = ThreadRow { status: ThreadStatus::Running, detail: String::new(), ..attached.row.clone() };
                let commit = Commit { tasks, thread: Some(thread), ..Commit::default() };
                attached.store.commit(&attached.lease, commit).await?;
            }
            Opening::Amend { answers: given, .. } => {
                records = self.answered(restored.as_ref(), &given, &mut answers)?;
            }
            Opening::Run { .. } | Opening::Import(()) | Opening::Continue | Opening::Edit => {}
        }
        if let Some(restored) = &mut restored {
            restored.forget_attempts = status == ThreadStatus::Failed;
        }
        Ok(Opened { attached, restored, answers, records, abandoned })
    }

    async fn attached(self, number: Option<u64>) -> Result<Attached, RunError> {
        let (attached, status) = self.leased().await?;
        let restored = match status {
            Some(_) => self.restored(number).await?,
            None => None,
        };
        match (number, restored) {
            (Some(number), None) => Err(RunError::UnknownCheckpoint { thread: self.id.to_string(), number }),
            (_, restored) => Ok((attached, status.unwrap_or(ThreadStatus::New), restored)),
        }
    }

    async fn attached_anew(self) -> Result<(CommitLog, Option<(u64, u64)>), RunError> {
        let (attached, status) = self.leased().await?;
        let head = match status {
            Some(_) => self.store.checkpoint(self.id, "", None).await?,
            None => None,
        };
        let Some(CheckpointRow { number: head, .. }) = head else { return Ok((attached, None)) };
        let newest = newest_number(&**self.store, self.id, "", head).await?;
        Ok((attached, Some((newest, head))))
    }

    /// Takes the lease. The status is none for a thread that does not exist.
    async fn leased(&self) -> Result<(CommitLog, Option<ThreadStatus>), RunError> {
        let Self { id, store, outline, .. } = self;
        let lease = store.acquire(id).await?;
        let now = self.clock.now();
        let fresh = ThreadRow {
            thread: Arc::clone(id),
            graph: outline.name.clone(),
            graph_version: outline.version,
            status: ThreadStatus::New,
            detail: String::new(),
            created: now,
            updated: now,
            epoch: 0,
            owner: String::new(),
        };
        // From here on the lease is given back by `CommitLog`, also when something below fails.
        let mut attached = CommitLog::new(Arc::clone(store), lease, fresh, 0);
        let Some(row) = store.thread(id).await? else { return Ok((attached, None)) };
        self.check_row(&row)?;
        check_lease(&attached.lease, &row)?;
        let status = row.status;
        attached.resume_journal(store.last_seq(id).await?);
        attached.row = ThreadRow { graph_version: outline.version, ..row };
        Ok((attached, Some(status)))
    }

    /// Reads the thread at a checkpoint or at its head, from its state as it was read before.
    async fn restored(self, number: Option<u64>) -> Result<Option<Restored>, RunError> {
        let known = self.known.filter(|_| number.is_none()).and_then(|states| states.take(self.id));
        let restored = restore(&**self.store, self.graph, self.id, "", number, false, known).await?;
        if let (Some(states), Some(restored), None) = (self.known, &restored, number) {
            states.keep(self.id, restored);
        }
        Ok(restored)
    }

    fn check_row(&self, row: &ThreadRow) -> Result<(), RunError> {
        if row.graph != self.outline.name {
            return Err(self.mismatch(format!(
                "it belongs to the graph `{}`; open it with that graph, or choose another id",
                row.graph
            )));
        }
        if row.graph_version > self.outline.version {
            return Err(self.mismatch(format!(
                "it was written by version {} of the graph, this program has version {}; update the program",
                row.graph_version, self.outline.version
            )));
        }
        Ok(())
    }

    pub(super) fn mismatch(&self, message: String) -> RunError {
        RunError::GraphMismatch { thread: self.id.to_string(), graph: self.outline.name.clone(), message }
    }

    fn allow(&self, opening: &Opening<()>, status: ThreadStatus, restored: Option<&Restored>) -> Result<(), RunError> {
        use ThreadStatus::{Done, New, Waiting};
        let refuse = |remedy: &str| {
            Err(RunError::WrongStatus { thread: self.id.to_string(), status, remedy: remedy.to_owned() })
        };
        match (opening, status) {
            (Opening::Edit, _) | (Opening::Run { .. }, New | Done) | (Opening::Run { abandon: true, .. }, _) => Ok(()),
            (Opening::Import(()), New) => Ok(()),
            (Opening::Import(()), _) => refuse("an import makes a new thread; give it another id"),
            (Opening::Run { .. }, Waiting) => {
                refuse("answer its questions with `resume`, or drop them with `abandon().run(…)`")
            }
            (Opening::Run { .. }, _) => {
                refuse("go on with `continue_()`, or drop its unfinished tasks with `abandon().run(…)`")
            }
            (Opening::Resume(_) | Opening::Amend { .. }, Waiting) => Ok(()),
            (Opening::Resume(_) | Opening::Amend { .. }, New | Done) => {
                refuse("no question is open; `questions()` lists open ones")
            }
            (Opening::Resume(_) | Opening::Amend { .. }, _) => {
                let (_, questions) = self.begun(restored.cloned())?;
                if questions.is_empty() {
                    return refuse("no question is open; go on with `continue_()`");
                }
                let stopped = if status == ThreadStatus::Failed { "failed" } else { "stopped" };
                refuse(&format!(
                    "its run {stopped} beside the question {}; go on with `continue_()`, which asks it again, and answer it then",
                    questions.keys()
                ))
            }
            (Opening::Continue, New | Done) => refuse("there is nothing to go on with; `run` it"),
            (Opening::Continue, Waiting) => refuse("answer its questions with `resume`"),
            (Opening::Continue, _) => Ok(()),
        }
    }

    /// Checks answers, adds them to those that were given before, and returns their records.
    fn answered(
        &self,
        restored: Option<&Restored>,
        given: &Answers,
        answers: &mut AnswerMap,
    ) -> Result<Vec<TaskRecord>, RunError> {
        let (_, questions) = self.begun(restored.cloned())?;
        let mut records = Vec::new();
        for (question, answer) in questions.resolve(given)? {
            let payload: Arc<[u8]> =
                serde_json::to_vec(answer).map_err(|error| RunError::Internal(error.to_string()))?.into();
            let (task, key): (Arc<str>, Arc<str>) = (question.task.as_str().into(), question.key.as_str().into());
            answers.insert((Arc::clone(&task), Arc::clone(&key)), Arc::clone(&payload));
            records.push(TaskRecord { task, kind: TaskRecordKind::Answer, key, payload });
        }
        Ok(records)
    }

    async fn seen_at(self, number: Option<u64>) -> Result<ThreadView, RunError> {
        let mut row = self.store.thread(self.id).await?;
        let mut reads = 0;
        let restored = loop {
            let Some(before) = &row else { break None };
            self.check_row(before)?;
            let restored = self.restored(number).await?;
            // The row and the checkpoint are read one after the other; where a run began or ended between them, they are of
            // two moments, and a thread that waits would have no question.
            let after = self.store.thread(self.id).await?;
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
    fn seen(&self, row: Option<ThreadRow>, restored: Option<Restored>) -> Result<ThreadView, RunError> {
        let checkpoint = restored.as_ref().map(|restored| restored.row.clone());
        let (begun, questions) = self.begun(restored)?;
        Ok(ThreadView {
            state: begun.state,
            status: row.as_ref().map_or(ThreadStatus::New, |row| row.status),
            detail: row.map(|row| row.detail).unwrap_or_default(),
            checkpoint,
            next: begun.core.next_nodes(),
            tasks: begun.core.pending_tasks(),
            questions,
        })
    }

    /// What was read of a thread as a run would read it, and its open questions.
    fn begun(&self, restored: Option<Restored>) -> Result<(Beginning, Questions), RunError> {
        let answers = restored.as_ref().map(Restored::answers).unwrap_or_default();
        let session = Session::new(
            Arc::clone(self.id),
            None,
            Arc::clone(self.clock),
            Arc::new(Control::default()),
            RunPolicy::default(),
            None,
            None,
            answers.clone(),
        );
        let begun = Beginning::new(self.outline, self.graph, Arc::new(session), "".into(), None, restored)?;
        let mut questions = begun.core.checked_questions();
        questions
            .retain(|question| !answers.contains_key(&(question.task.as_str().into(), question.key.as_str().into())));
        Ok((begun, Questions::new(questions)))
    }
}
