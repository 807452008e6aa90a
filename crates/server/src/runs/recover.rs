//! What a process that died left: queued runs begin, and runs under way go on.
//!
//! A run whose own thread or log cannot be read ends as failed, and says why: it keeps no other run waiting, and its thread
//! stays as it is. A store that fails is another matter: the server does not start then.

use std::sync::Arc;

use graphloom_core_graph::RunError;
use graphloom_core_graph::checkpoint::{CheckpointError, ThreadStatus as Standing};
use graphloom_core_graph::store::StoreError;
use uuid::Uuid;

use crate::cluster::Holder;
use crate::graph::{Graph, View};
use crate::log::{LogEvent, TailError, ThreadLog};
use crate::records::{RecordError, RunFailure, RunRecord, RunStatus, ThreadRecord, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::execute::{Executed, interrupts, standing};
use crate::runs::finish::stand;
use crate::runs::follow::Progress;
use crate::runs::live::{Ending, LiveRun};
use crate::runs::locked::Locked;
use crate::runs::missing::{LoggedEnd, task_failure, tell_missing, tell_start, told};
use crate::runs::order::Order;
use crate::runs::place::{Opening, Place};
use crate::runs::plan::branch_answers;
use crate::runs::run_queue::Job;
use crate::runs::{Inner, RunManager};

/// How far a run had come when its process died.
enum CrashPoint {
    /// It had committed nothing.
    Nothing,
    /// It was in the middle.
    Middle,
    /// It had ended, and neither its log nor its record said so.
    Ended(Ending),
    /// It had ended, and only its record did not say so.
    Told(Ending),
}

/// Why a run is not taken up.
pub(super) enum NotTakenUp {
    /// What is stored of its own thread cannot be read.
    Unreadable(String),
    /// The store fails.
    Store(Refusal),
}

impl From<RunError> for NotTakenUp {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Checkpoint(error) => error.into(),
            RunError::GraphMismatch { .. } | RunError::Migration { .. } | RunError::State(_) => {
                Self::Unreadable(error.to_string())
            }
            other => Self::Store(other.into()),
        }
    }
}

impl From<CheckpointError> for NotTakenUp {
    fn from(error: CheckpointError) -> Self {
        match error {
            CheckpointError::Corrupt { .. } => Self::Unreadable(error.to_string()),
            other => Self::Store(other.into()),
        }
    }
}

impl From<TailError> for NotTakenUp {
    fn from(error: TailError) -> Self {
        match error {
            TailError::Gone { .. } | TailError::Store(StoreError::Corrupt { .. }) => {
                Self::Unreadable(error.to_string())
            }
            TailError::Unstored(_) | TailError::Store(_) => Self::Store(Refusal::Failed(error.to_string())),
        }
    }
}

impl RunManager {
    /// Takes up every run that is not recorded as ended, in the order in which they were accepted; where several processes share
    /// the store, those that no other one has.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn recover(&self) -> Result<(), Refusal> {
        let inner = &self.inner;
        self.delete_abandoned().await?;
        let left = inner.records.runs.left().await?;
        let ids: Vec<_> = left.iter().filter(|run| !run.status.is_final()).map(|run| run.run_id).collect();
        if let Some(member) = &inner.member {
            inner.webhooks.take_up(member, &ids).await?;
            inner.take_up_left(member).await?;
        } else {
            let (over, unfinished): (Vec<_>, Vec<_>) = left.into_iter().partition(|run| run.status.is_final());
            for record in over {
                let log = inner.logs.open_again(record.thread_id, record.goes_with_its_thread()).await?;
                inner.end_again(&record, &log).await?;
            }
            inner.webhooks.recover(&ids).await?;
            for record in unfinished {
                if let Place::Here(mut locked) = inner.place(record.thread_id, Opening::again(&record)).await? {
                    inner.take_up(&mut locked, record).await?;
                    locked.next(inner);
                }
            }
        }
        // A thread that is busy with no run: the process died after the record of its run, and before its own.
        for record in inner.records.threads.busy().await?.into_iter().filter(|record| record.hidden.is_none()) {
            let thread = record.thread_id;
            match &inner.member {
                Some(member) if member.holder(thread).await? == Holder::Nobody => {
                    if let Place::Here(locked) = inner.place(thread, Opening::taking_up()).await? {
                        locked.next(inner);
                    }
                }
                None if !self.is_busy(thread).await? => inner.settle(record).await?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl RunManager {
    /// Records how a thread stands that no run is under way on.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn settle(&self, record: ThreadRecord) -> Result<(), Refusal> {
        self.inner.settle(record).await
    }
}

impl Inner {
    /// Takes up a run of a thread whose queue this is.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn take_up(self: &Arc<Self>, locked: &mut Locked, record: RunRecord) -> Result<(), Refusal> {
        locked.queue.begin();
        let live = LiveRun::new(record.run_id, record.before);
        let mut job = Job::new(record, live);
        if job.record.status == RunStatus::Running {
            (job.attempt, job.is_taken_up) = (2, true);
            let ended = match self.left(&job, &locked.queue.log).await {
                Ok(CrashPoint::Nothing) => None,
                Ok(CrashPoint::Middle) => {
                    job.goes_on = true;
                    None
                }
                Ok(CrashPoint::Ended(ending)) => Some(Executed::Ended(Box::new(ending), Progress::default())),
                Ok(CrashPoint::Told(ending)) => Some(Executed::Told(Box::new(ending), Progress::default())),
                Err(NotTakenUp::Unreadable(reason)) => {
                    tracing::error!(run = %job.record.run_id, thread = %job.record.thread_id, reason, "a run cannot go on");
                    Some(Executed::failed(format!("the run cannot go on after its process died: {reason}")))
                }
                Err(NotTakenUp::Store(refusal)) => return Err(refusal),
            };
            if let Some(mut executed) = ended {
                let head = self.head(job.record.thread_id).await?.map(|row| row.number);
                executed.after(job.record.base, head);
                self.count_steps(job.record.thread_id, &mut executed).await;
                self.finish(&locked.queue, job, executed).await;
                return Ok(());
            }
        }
        tracing::info!(run = %job.record.run_id, thread = %job.record.thread_id, goes_on = job.goes_on, "a run is taken up");
        locked.add(self, job);
        Ok(())
    }

    /// Does what is left of the end of a run that is recorded as ended: its log may not tell it yet.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn end_again(&self, record: &RunRecord, log: &Arc<ThreadLog>) -> Result<(), Refusal> {
        match self.tell_end_again(record, log).await {
            Ok(()) => {}
            Err(NotTakenUp::Store(refusal)) => return Err(refusal),
            Err(NotTakenUp::Unreadable(reason)) => {
                tracing::error!(run = %record.run_id, thread = %record.thread_id, reason, "the end of a run cannot be told");
            }
        }
        log.flushed(log.last()).await.map_err(Refusal::Failed)?;
        self.done_with(record).await;
        Ok(())
    }

    async fn tell_end_again(&self, record: &RunRecord, log: &Arc<ThreadLog>) -> Result<(), NotTakenUp> {
        let mut told = told(record, log).await?;
        if told.end.is_some() {
            return Ok(());
        }
        tell_start(record, &mut told, log);
        let (thread, mut open) = (record.thread_id.to_string(), Vec::new());
        if let (Some(graph), Some((_, last))) = (self.graphs.get(&record.graph), record.checkpoints) {
            tell_missing(&**graph, &*self.stores.checkpoints, record, &mut told, log, Some(last)).await?;
            let view = graph.view(&thread, None).await?;
            // What came after the run has questions of its own.
            if view.checkpoint.as_ref().is_some_and(|row| row.number == last) {
                open = interrupts(&thread, &view);
            }
        }
        let (status, failure) = (record.status.as_str().to_owned(), record.error.clone());
        log.append(record.run_id, "".into(), 0, LogEvent::RunEnded { status, failure, interrupts: open });
        Ok(())
    }

    /// Records how a thread stands that is recorded as busy, and is not any more.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn settle_if_busy(&self, thread: Uuid) -> Result<(), Refusal> {
        match self.records.threads.get(thread).await {
            Ok(record) if record.status == ThreadStatus::Busy => self.settle(record).await,
            Ok(_) | Err(RecordError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Records how a thread stands that is not busy any more.
    async fn settle(&self, record: ThreadRecord) -> Result<(), Refusal> {
        let thread = record.thread_id;
        let graph = record.graph.as_ref().and_then(|graph| self.graphs.get(graph));
        let view = match graph {
            Some(graph) => match graph.view(&thread.to_string(), None).await.map_err(NotTakenUp::from) {
                Ok(view) => Some(view),
                Err(NotTakenUp::Unreadable(reason)) => {
                    tracing::error!(%thread, reason, "it is not known how a thread stands");
                    None
                }
                Err(NotTakenUp::Store(refusal)) => return Err(refusal),
            },
            None => None,
        };
        let ending = view.map(|view| {
            let failure = RunFailure { error: "RunError".to_owned(), message: view.detail.clone() };
            Ending {
                status: RunStatus::Interrupted,
                stands: standing(&view),
                interrupts: interrupts(&thread.to_string(), &view),
                values: view.checkpoint.is_some().then_some(view.values),
                failure: Some(failure),
                is_unread: false,
            }
        });
        let change = |record: &mut ThreadRecord| {
            match &ending {
                Some(ending) => stand(record, ending),
                None if record.interrupts.is_empty() => record.status = ThreadStatus::Idle,
                None => record.status = ThreadStatus::Interrupted,
            }
            Ok(())
        };
        self.records.threads.update(thread, change).await?;
        Ok(())
    }

    /// How far a run had come. What it did and its log does not tell is told.
    async fn left(&self, job: &Job, log: &Arc<ThreadLog>) -> Result<CrashPoint, NotTakenUp> {
        let record = &job.record;
        // Without its graph the run fails when it begins, and says so.
        let Some(graph) = self.graphs.get(&record.graph) else { return Ok(CrashPoint::Nothing) };
        let mut told = told(record, log).await?;
        job.live.go_on_from(std::mem::take(&mut told.usage));
        if told.end.is_none() {
            tell_missing(&**graph, &*self.stores.checkpoints, record, &mut told, log, None).await?;
        }
        let thread = record.thread_id.to_string();
        let view = graph.view(&thread, None).await?;
        let head = view.checkpoint.as_ref().map(|row| row.number);
        let ending = |status, stands, failure| {
            let values = view.checkpoint.is_some().then(|| view.values.clone());
            Ending { status, stands, values, interrupts: interrupts(&thread, &view), failure, is_unread: false }
        };
        if let Some(LoggedEnd { status, failure }) = told.end {
            let status = serde_json::from_value(status.into()).unwrap_or(RunStatus::Error);
            let is_failed = matches!(status, RunStatus::Error | RunStatus::Timeout);
            // As a run ends that failed: only an open question says more of the thread.
            let stands = if is_failed && view.questions.is_empty() { ThreadStatus::Error } else { standing(&view) };
            return Ok(CrashPoint::Told(ending(status, stands, failure)));
        }
        let stopped = |status, stands, failure| CrashPoint::Ended(ending(status, stands, failure));
        let failed = match task_failure(&*self.stores.checkpoints, &thread).await? {
            Some(message) => RunFailure { error: "NodeError".to_owned(), message },
            None => RunFailure { error: "RunError".to_owned(), message: view.detail.clone() },
        };
        let is_asked_again = view.status == Standing::Waiting && self.is_asked_again(&**graph, record, &view).await?;
        Ok(match view.status {
            _ if head == record.base && view.status != Standing::Running => CrashPoint::Nothing,
            Standing::Done => stopped(RunStatus::Success, ThreadStatus::Idle, None),
            Standing::Waiting if is_asked_again => CrashPoint::Middle,
            Standing::Waiting => stopped(RunStatus::Success, ThreadStatus::Interrupted, None),
            Standing::Failed | Standing::BudgetSpent => stopped(RunStatus::Error, ThreadStatus::Error, Some(failed)),
            Standing::Cancelled => stopped(RunStatus::Interrupted, ThreadStatus::Interrupted, None),
            Standing::Drained if may_stop(record) => stopped(RunStatus::Success, ThreadStatus::Interrupted, None),
            _ => CrashPoint::Middle,
        })
    }
}

impl Inner {
    /// Whether a thread waits on the branch that a run made of an older checkpoint, for an answer that the run brings.
    async fn is_asked_again(&self, graph: &dyn Graph, record: &RunRecord, view: &View) -> Result<bool, NotTakenUp> {
        // An order that cannot be read fails its run when that begins.
        let Ok(order) = serde_json::from_value::<Order>(record.kwargs.clone()) else { return Ok(false) };
        let (thread, checkpoints) = (record.thread_id.to_string(), &*self.stores.checkpoints);
        let Ok(Some(answers)) = branch_answers(graph, checkpoints, &thread, &order).await else { return Ok(false) };
        let branch = answers.branch(checkpoints, &thread).await?.filter(|branch| Some(*branch) > record.base);
        Ok(branch.is_some_and(|branch| !answers.find(&thread, view, branch).answers.is_empty()))
    }
}

/// Whether a run was to stop at some nodes.
fn may_stop(record: &RunRecord) -> bool {
    ["interrupt_before", "interrupt_after"]
        .iter()
        .any(|key| record.kwargs.get(key).is_some_and(|nodes| !nodes.is_null()))
}
