//! What a process that died left: queued runs begin, and runs under way go on.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::ThreadStatus as Standing;

use crate::records::{RunRecord, RunStatus, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::desk::Job;
use crate::runs::execute::{Executed, interrupts};
use crate::runs::follow::Progress;
use crate::runs::live::{Ending, LiveRun};
use crate::runs::missing::tell_missing;
use crate::runs::{Inner, RunManager};

/// How far a run had come when its process died.
enum Left {
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
        Ok(count)
    }
}

impl Inner {
    async fn take_up(self: &Arc<Self>, record: RunRecord) -> Result<(), Refusal> {
        let locked = self.desk(record.thread_id, false).await?;
        locked.desk.begin();
        let live = LiveRun::new(record.run_id);
        let mut job = Job { record, live, attempt: 1, is_taken_up: false, goes_on: false, base: None };
        if job.record.status == RunStatus::Running {
            (job.attempt, job.is_taken_up) = (2, true);
            if let Some(graph) = self.graphs.get(&job.record.graph) {
                tell_missing(&**graph, &*self.stores.checkpoints, &job.record, &locked.desk.log).await?;
            }
            match self.left(&job.record).await? {
                Left::Nothing => {}
                Left::Middle => job.goes_on = true,
                Left::Ended(ending) => {
                    let executed = Executed::Ended(ending, Progress::default());
                    self.finish(&locked.desk, job, executed).await;
                    locked.next(self);
                    return Ok(());
                }
            }
        }
        tracing::info!(run = %job.record.run_id, thread = %job.record.thread_id, goes_on = job.goes_on, "a run is taken up");
        locked.add(self, job);
        Ok(())
    }

    async fn left(&self, record: &RunRecord) -> Result<Left, Refusal> {
        // Without its graph the run fails when it begins, and says so.
        let Some(graph) = self.graphs.get(&record.graph) else { return Ok(Left::Nothing) };
        let thread = record.thread_id.to_string();
        let view = graph.view(&thread, None).await.map_err(|error| Refusal::Failed(error.to_string()))?;
        let head = view.checkpoint.as_ref().map(|row| row.number);
        let stopped = |status, stands, failure| {
            let values = view.checkpoint.is_some().then(|| view.values.clone());
            Left::Ended(Ending { status, stands, values, interrupts: interrupts(&thread, &view), failure })
        };
        let failed = || Some(crate::records::RunFailure { error: "RunError".to_owned(), message: view.detail.clone() });
        Ok(match view.status {
            _ if head == record.base && view.status != Standing::Running => Left::Nothing,
            Standing::Done => stopped(RunStatus::Success, ThreadStatus::Idle, None),
            Standing::Waiting => stopped(RunStatus::Success, ThreadStatus::Interrupted, None),
            Standing::Failed | Standing::BudgetSpent => stopped(RunStatus::Error, ThreadStatus::Error, failed()),
            Standing::Cancelled => stopped(RunStatus::Interrupted, ThreadStatus::Interrupted, None),
            Standing::Drained if may_stop(record) => stopped(RunStatus::Success, ThreadStatus::Interrupted, None),
            _ => Left::Middle,
        })
    }
}

/// Whether a run was to stop at some nodes.
fn may_stop(record: &RunRecord) -> bool {
    ["interrupt_before", "interrupt_after"]
        .iter()
        .any(|key| record.kwargs.get(key).is_some_and(|nodes| !nodes.is_null()))
}
