//! What a process that died left: queued runs begin, and runs under way go on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use graphloom_core_graph::checkpoint::{CheckpointError, Commit, ThreadStatus as Standing};
use uuid::Uuid;

use crate::cluster::{Holder, Member};
use crate::log::{Interrupt, LogEvent};
use crate::records::{RecordError, RunFailure, RunRecord, RunStatus, ThreadRecord, ThreadSearch, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::execute::{Executed, interrupts, standing};
use crate::runs::finish::stand;
use crate::runs::follow::Progress;
use crate::runs::live::{Ending, LiveRun};
use crate::runs::missing::tell_missing;
use crate::runs::place::{Opening, Place};
use crate::runs::run_queue::{Job, Locked, RunQueue};
use crate::runs::{Inner, RunManager};

/// The longest that a checkpointer leaves a thread to a process that is silent.
const LONGEST_LEASE: Duration = Duration::from_secs(120);

/// Threads that are taken up at a time.
const AT_ONCE: usize = 16;

/// Before a thread is asked for again that the checkpointer leaves to another process.
const AGAIN: Duration = Duration::from_millis(50);

/// How far a run had come when its process died.
enum CrashPoint {
    /// It had committed nothing.
    Nothing,
    /// It was in the middle.
    Middle,
    /// It had ended, and only its record did not say so.
    Ended(Ending),
}

impl RunManager {
    /// Takes up every run that is not recorded as ended, in the order in which they were accepted; where several processes share
    /// the store, those that no other one has.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn recover(&self) -> Result<(), Refusal> {
        let inner = &self.inner;
        let unfinished = inner.records.runs.unfinished().await?;
        let ids: Vec<_> = unfinished.iter().map(|run| run.run_id).collect();
        if let Some(member) = &inner.member {
            inner.webhooks.take_up(member, &ids).await?;
            inner.take_up_left(member).await?;
        } else {
            inner.webhooks.recover(&ids).await?;
            for record in unfinished {
                if let Place::Here(mut locked) = inner.place(record.thread_id, Opening::default()).await? {
                    inner.take_up(&mut locked, record).await?;
                    locked.next(inner);
                }
            }
        }
        // A thread that is busy with no run: the process died after the record of its run, and before its own.
        let busy = ThreadSearch { status: Some(ThreadStatus::Busy), ..ThreadSearch::default() };
        for thread in inner.records.threads.ids(&busy).await? {
            match &inner.member {
                Some(member) if member.holder(thread).await? == Holder::Nobody => {
                    if let Place::Here(locked) = inner.place(thread, Opening::taking_up()).await? {
                        locked.next(inner);
                    }
                }
                None if !self.is_busy(thread).await? => inner.settle(thread).await?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl Inner {
    /// Takes up what processes left that are gone, or stopped.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn take_up_left(self: &Arc<Self>, member: &Member) -> Result<(), Refusal> {
        // A thread is claimed before it gets a run, and given back after the end of its last one.
        let mut threads = self.records.runs.unfinished_threads().await?;
        for (thread, holder) in member.claims().await? {
            match holder {
                Holder::Left => drop(threads.insert(thread)),
                Holder::Member(_) => drop(threads.remove(&thread)),
                Holder::Nobody => {}
            }
        }
        let take_up = async |thread| {
            if self.is_closing() {
                return;
            }
            // One that fails is found again; it must not hold the others up.
            match self.place(thread, Opening::taking_up()).await {
                Ok(Place::Here(locked)) => locked.next(self),
                Ok(Place::There(_)) => {}
                Err(error) => tracing::error!(%thread, %error, "a thread cannot be taken up"),
            }
        };
        futures::stream::iter(threads).for_each_concurrent(AT_ONCE, take_up).await;
        Ok(())
    }

    /// Takes up the runs of a thread that another process left, which this one holds now.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn take_up_thread(
        self: &Arc<Self>,
        locked: &mut Locked,
        left: Vec<RunRecord>,
    ) -> Result<(), Refusal> {
        let thread = locked.queue.thread;
        self.tell_untold_end(&locked.queue).await?;
        if left.is_empty() {
            return self.settle_if_busy(thread).await;
        }
        self.shut_out(thread).await?;
        for record in left {
            // Whoever read a record before and would put it now finds that it was put anew.
            let queue = Arc::clone(&locked.queue);
            let again = |_: &mut RunRecord| queue.check(self);
            let record = self.records.runs.update(thread, record.run_id, again).await?;
            self.take_up(locked, record).await?;
        }
        Ok(())
    }

    /// Makes sure that a process which had a thread before commits no more to it.
    async fn shut_out(&self, thread: Uuid) -> Result<(), Refusal> {
        let (checkpoints, id, began) = (&self.stores.checkpoints, thread.to_string(), Instant::now());
        if checkpoints.thread(&id).await?.is_none() {
            return Ok(());
        }
        loop {
            match checkpoints.acquire(&id).await {
                Ok(lease) => {
                    // A commit of nothing raises the epoch.
                    let shut = checkpoints.commit(&lease, Commit { release: true, ..Commit::default() }).await;
                    checkpoints.release(&lease);
                    return Ok(shut?);
                }
                // The checkpointer leaves it to the other one for a while yet.
                Err(CheckpointError::ThreadBusy { .. }) if began.elapsed() < LONGEST_LEASE => {
                    tokio::time::sleep(AGAIN).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Tells the end of the run that told last, where it is recorded and was not told: the process died between the two.
    async fn tell_untold_end(&self, queue: &RunQueue) -> Result<(), Refusal> {
        let Some(last) = queue.log.last().checked_sub(1) else { return Ok(()) };
        let entry = queue.log.after(last).ready().await.map_err(|error| Refusal::Failed(error.to_string()))?;
        let Some(entry) = entry.filter(|entry| !matches!(entry.event, LogEvent::RunEnded { .. })) else {
            return Ok(());
        };
        let record = self.records.runs.find_of_thread(queue.thread, entry.run).await?;
        let (status, failure) = match record {
            Some(record) if !record.status.is_final() => return Ok(()),
            Some(record) => (record.status, record.error),
            None => (RunStatus::Interrupted, None),
        };
        let interrupts = match self.records.threads.get(queue.thread).await {
            Ok(thread) => self.open_questions(&thread).await?,
            Err(RecordError::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        queue.log.append(
            entry.run,
            "".into(),
            0,
            LogEvent::RunEnded { status: status.as_str().to_owned(), failure, interrupts },
        );
        Ok(())
    }

    async fn open_questions(&self, thread: &ThreadRecord) -> Result<Vec<Interrupt>, Refusal> {
        let Some(graph) = thread.graph.as_ref().and_then(|graph| self.graphs.get(graph)) else {
            return Ok(Vec::new());
        };
        let id = thread.thread_id.to_string();
        Ok(interrupts(&id, &graph.view(&id, None).await?))
    }

    async fn settle_if_busy(&self, thread: Uuid) -> Result<(), Refusal> {
        match self.records.threads.get(thread).await {
            Ok(record) if record.status == ThreadStatus::Busy => self.settle(thread).await,
            Ok(_) | Err(RecordError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn take_up(self: &Arc<Self>, locked: &mut Locked, record: RunRecord) -> Result<(), Refusal> {
        locked.queue.begin();
        let live = LiveRun::new(record.run_id, record.before);
        let mut job = Job::new(record, live);
        if job.record.status == RunStatus::Running {
            (job.attempt, job.is_taken_up) = (2, true);
            if let Some(graph) = self.graphs.get(&job.record.graph) {
                tell_missing(&**graph, &*self.stores.checkpoints, &job.record, &locked.queue.log).await?;
            }
            match self.left(&job.record).await? {
                CrashPoint::Nothing => {}
                CrashPoint::Middle => job.goes_on = true,
                CrashPoint::Ended(ending) => {
                    let executed = Executed::Ended(Box::new(ending), Progress::default());
                    self.finish(&locked.queue, job, executed).await;
                    return Ok(());
                }
            }
        }
        tracing::info!(run = %job.record.run_id, thread = %job.record.thread_id, goes_on = job.goes_on, "a run is taken up");
        locked.add(self, job);
        Ok(())
    }

    /// Records how a thread stands that is not busy any more.
    async fn settle(&self, thread: Uuid) -> Result<(), Refusal> {
        let record = self.records.threads.get(thread).await?;
        let graph = record.graph.as_ref().and_then(|graph| self.graphs.get(graph));
        let view = match graph {
            Some(graph) => Some(graph.view(&thread.to_string(), None).await?),
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
            }
        });
        let change = |record: &mut ThreadRecord| {
            match &ending {
                Some(ending) => stand(record, ending),
                None => record.status = ThreadStatus::Idle,
            }
            Ok(())
        };
        self.records.threads.update(thread, change).await?;
        Ok(())
    }

    async fn left(&self, record: &RunRecord) -> Result<CrashPoint, Refusal> {
        // Without its graph the run fails when it begins, and says so.
        let Some(graph) = self.graphs.get(&record.graph) else { return Ok(CrashPoint::Nothing) };
        let thread = record.thread_id.to_string();
        let view = graph.view(&thread, None).await.map_err(|error| Refusal::Failed(error.to_string()))?;
        let head = view.checkpoint.as_ref().map(|row| row.number);
        let stopped = |status, stands, failure| {
            let values = view.checkpoint.is_some().then(|| view.values.clone());
            CrashPoint::Ended(Ending { status, stands, values, interrupts: interrupts(&thread, &view), failure })
        };
        let failed = || Some(RunFailure { error: "RunError".to_owned(), message: view.detail.clone() });
        Ok(match view.status {
            _ if head == record.base && view.status != Standing::Running => CrashPoint::Nothing,
            Standing::Done => stopped(RunStatus::Success, ThreadStatus::Idle, None),
            Standing::Waiting => stopped(RunStatus::Success, ThreadStatus::Interrupted, None),
            Standing::Failed | Standing::BudgetSpent => stopped(RunStatus::Error, ThreadStatus::Error, failed()),
            Standing::Cancelled => stopped(RunStatus::Interrupted, ThreadStatus::Interrupted, None),
            Standing::Drained if may_stop(record) => stopped(RunStatus::Success, ThreadStatus::Interrupted, None),
            _ => CrashPoint::Middle,
        })
    }
}

/// Whether a run was to stop at some nodes.
fn may_stop(record: &RunRecord) -> bool {
    ["interrupt_before", "interrupt_after"]
        .iter()
        .any(|key| record.kwargs.get(key).is_some_and(|nodes| !nodes.is_null()))
}
