//! Opening a thread for writing: lease, status, answers, and the driver that goes on.

use std::sync::Arc;

use crate::checkpoint::{Commit, TaskRecord, TaskRecordKind, ThreadRow, ThreadStatus};
use crate::error::RunError;
use crate::executor::{Driver, Entry, Runtime};
use crate::limits::{Control, RunPolicy};
use crate::machine::{AnswerMap, Restored};
use crate::questions::{Answers, Questions};
use crate::recorder::{CommitLog, Queue, Session, restore};
use crate::state::State;
use crate::thread::Thread;

/// What a call wants of a thread.
pub(crate) enum Opening<S: State> {
    Run {
        input: S::Update,
        abandon: bool,
    },
    Resume(Answers),
    /// Answers, with an update that counts only together with them.
    Amend {
        update: S::Update,
        answers: Answers,
    },
    Continue,
    /// A history from elsewhere, of which this is the input.
    Import(S::Update),
    /// A commit outside a run.
    Edit,
}

impl<S: State, Cx: Send + Sync + 'static> Thread<S, Cx> {
    pub(crate) async fn open(
        &self,
        opening: Opening<S>,
        control: Arc<Control>,
        queue: Option<Arc<Queue>>,
    ) -> Result<(Driver<S, Cx>, Entry<S>), RunError> {
        let (attached, status, restored) = self.attach(None).await?;
        // Without a checkpoint there is nothing to go on with, whatever a run before came to.
        let status = if restored.is_none() { ThreadStatus::New } else { status };
        self.allow(&opening, status)?;
        let mut answers = restored.as_ref().map(Restored::answers).unwrap_or_default();
        let mut abandoned = Vec::new();
        let (restored, entry) = match opening {
            Opening::Run { input, abandon } => {
                let restored = restored.map(|mut restored| {
                    if abandon {
                        abandoned = restored.drop_unfinished(&"".into());
                    }
                    restored
                });
                (restored, Entry::Input(Some(input)))
            }
            Opening::Import(input) => (restored, Entry::Input(Some(input))),
            Opening::Resume(given) => {
                let records = self.answered(&attached, restored.as_ref(), &given, &mut answers)?;
                let thread = ThreadRow { status: ThreadStatus::Running, detail: String::new(), ..attached.row.clone() };
                let commit = Commit { tasks: records, thread: Some(thread), ..Commit::default() };
                attached.store.commit(&attached.lease, commit).await?;
                (restored, Entry::Resume("resume"))
            }
            Opening::Amend { update, answers: given } => {
                let records = self.answered(&attached, restored.as_ref(), &given, &mut answers)?;
                (restored, Entry::Amended { update, answers: records })
            }
            Opening::Continue | Opening::Edit => (restored, Entry::Resume("continue")),
        };
        let restored =
            restored.map(|restored| Restored { forget_attempts: status == ThreadStatus::Failed, ..restored });
        let mut driver = self.driver(attached, self.policy.clone(), control, queue, answers, restored)?;
        driver.recorder.abandoned = abandoned;
        Ok((driver, entry))
    }

    pub(super) fn driver(
        &self,
        attached: CommitLog,
        policy: RunPolicy,
        control: Arc<Control>,
        queue: Option<Arc<Queue>>,
        answers: AnswerMap,
        restored: Option<Restored<S>>,
    ) -> Result<Driver<S, Cx>, RunError> {
        let threads = &self.threads;
        let mut session = Session::new(
            Arc::clone(&self.id),
            Some(attached),
            Arc::clone(&threads.clock),
            control,
            policy,
            threads.memory.clone(),
            queue,
            answers,
        );
        session.forget_attempts = restored.as_ref().is_some_and(|restored| restored.forget_attempts);
        session.schedule = threads.schedule.clone();
        Driver::new(
            Runtime::of(&threads.app.graph.executable, Arc::clone(&threads.app.resources)),
            Arc::new(session),
            "".into(),
            None,
            restored,
        )
    }

    /// Takes the lease and reads the thread under it, at a checkpoint or at its head.
    pub(super) async fn attach(
        &self,
        number: Option<u64>,
    ) -> Result<(CommitLog, ThreadStatus, Option<Restored<S>>), RunError> {
        let store = Arc::clone(&self.threads.store);
        let lease = store.acquire(&self.id).await?;
        let topology = &self.threads.app.graph.executable.topology;
        let now = self.threads.clock.now();
        let fresh = ThreadRow {
            thread: Arc::clone(&self.id),
            graph: topology.name.clone(),
            graph_version: topology.version,
            status: ThreadStatus::New,
            detail: String::new(),
            created: now,
            updated: now,
            epoch: 0,
            owner: String::new(),
        };
        // From here on the lease is given back by `CommitLog`, also when something below fails.
        let mut attached = CommitLog::new(Arc::clone(&store), lease, fresh, 0);
        let Some(row) = store.thread(&self.id).await? else {
            return match number {
                Some(number) => Err(RunError::UnknownCheckpoint { thread: self.id.to_string(), number }),
                None => Ok((attached, ThreadStatus::New, None)),
            };
        };
        self.check_row(&row)?;
        let status = row.status;
        attached.resume_journal(store.last_seq(&self.id).await?);
        attached.row = ThreadRow { graph_version: topology.version, ..row };
        let restored = restore(&*store, topology, &self.id, "", number, false).await?;
        Ok((attached, status, restored))
    }

    pub(super) fn check_row(&self, row: &ThreadRow) -> Result<(), RunError> {
        let topology = &self.threads.app.graph.executable.topology;
        if row.graph != topology.name {
            return Err(self.mismatch(format!(
                "it belongs to the graph `{}`; open it with that graph, or choose another id",
                row.graph
            )));
        }
        if row.graph_version > topology.version {
            return Err(self.mismatch(format!(
                "it was written by version {} of the graph, this program has version {}; update the program",
                row.graph_version, topology.version
            )));
        }
        Ok(())
    }

    fn allow(&self, opening: &Opening<S>, status: ThreadStatus) -> Result<(), RunError> {
        use ThreadStatus::{Done, New, Waiting};
        let refuse = |remedy: &str| {
            Err(RunError::WrongStatus { thread: self.id.to_string(), status, remedy: remedy.to_owned() })
        };
        match (opening, status) {
            (Opening::Edit, _) | (Opening::Run { .. }, New | Done) | (Opening::Run { abandon: true, .. }, _) => Ok(()),
            (Opening::Import(_), New) => Ok(()),
            (Opening::Import(_), _) => refuse("an import makes a new thread; give it another id"),
            (Opening::Run { .. }, Waiting) => {
                refuse("answer its questions with `resume`, or drop them with `abandon().run(…)`")
            }
            (Opening::Run { .. }, _) => {
                refuse("go on with `continue_()`, or drop its unfinished tasks with `abandon().run(…)`")
            }
            (Opening::Resume(_) | Opening::Amend { .. }, Waiting) => Ok(()),
            (Opening::Resume(_) | Opening::Amend { .. }, _) => {
                refuse("no question is open; `questions()` lists open ones")
            }
            (Opening::Continue, New | Done) => refuse("there is nothing to go on with; `run` it"),
            (Opening::Continue, Waiting) => refuse("answer its questions with `resume`"),
            (Opening::Continue, _) => Ok(()),
        }
    }

    /// Checks answers, adds them to those that were given before, and returns their records.
    fn answered(
        &self,
        attached: &CommitLog,
        restored: Option<&Restored<S>>,
        given: &Answers,
        answers: &mut AnswerMap,
    ) -> Result<Vec<TaskRecord>, RunError> {
        let questions = self.seen(Some(attached.row.clone()), restored.cloned())?.questions;
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

    /// The open questions.
    ///
    /// # Errors
    /// The store's.
    pub async fn questions(&self) -> Result<Questions, RunError> {
        Ok(self.state().await?.questions)
    }
}
