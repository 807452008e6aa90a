//! What a process that died left: queued runs begin, and runs under way go on.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::ThreadStatus as Standing;

use uuid::Uuid;

use crate::records::{RunFailure, RunRecord, RunStatus, ThreadRecord, ThreadSearch, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::execute::{Executed, interrupts, standing};
use crate::runs::finish::stand;
use crate::runs::follow::Progress;
use crate::runs::live::{Ending, LiveRun};
use crate::runs::missing::tell_missing;
use crate::runs::run_queue::Job;
use crate::runs::{Inner, RunManager};

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
    /// Takes up every run that is not recorded as ended, in the order in which they were accepted. Returns how many.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn recover(&self) -> Result<usize, Refusal> {
        let unfinished = self.inner.records.runs.unfinished().await?;
        let count = unfinished.len();
        let ids: Vec<_> = unfinished.iter().map(|run| run.run_id).collect();
        self.inner.webhooks.recover(&ids).await?;
        for record in unfinished {
            self.inner.take_up(record).await?;
        }
        // A thread that is busy with no run: the process died after the record of its run, and before its own.
        let busy = ThreadSearch { status: Some(ThreadStatus::Busy), ..ThreadSearch::default() };
        for thread in self.inner.records.threads.ids(&busy).await? {
            if !self.is_busy(thread) {
                self.inner.settle(thread).await?;
            }
        }
        Ok(count)
    }
}

impl Inner {
    async fn take_up(self: &Arc<Self>, record: RunRecord) -> Result<(), Refusal> {
        let locked = self.queue(record.thread_id, false).await?;
        locked.queue.begin();
        let live = LiveRun::new(record.run_id);
        let mut job = Job { record, live, attempt: 1, is_taken_up: false, goes_on: false, base: None };
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
                    locked.next(self);
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
