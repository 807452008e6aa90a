//! A run is recorded as ended, after its last event is stored.

use graphloom_core_graph::RunError;
use graphloom_core_graph::checkpoint::{ThreadStatus as Standing, delete_runs, runs};
use uuid::Uuid;

use crate::graph::Fields;
use crate::log::{Interrupt, LogEvent};
use crate::records::{Completion, PendingInterrupt, RunFailure, RunRecord, RunStatus, ThreadRecord, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::desk::{Desk, Job};
use crate::runs::execute::{Executed, interrupts};
use crate::runs::follow::Progress;
use crate::runs::live::{Cancel, Ending};
use crate::runs::webhook_body::webhook_body;
use crate::runs::{Inner, now};

impl Inner {
    /// Records how an execution ended, and tells those who wait for it.
    pub(super) async fn finish(&self, desk: &Desk, job: Job, executed: Executed) {
        let (mut ending, progress) = match executed {
            Executed::Ended(ending, progress) => (ending, progress),
            Executed::Left => return self.leave(&job).await,
        };
        let is_taken_back = job.live.cancelled() == Some(Cancel::Rollback);
        if is_taken_back {
            self.take_back(&job.record, &progress, &mut ending).await;
        }
        let last = self.tell_end(desk, job.record.run_id, &ending);
        // Before the record: a process that dies between the two executes the end again.
        if !is_taken_back
            && job.record.webhook.is_some()
            && let body = webhook_body(&job.record, &ending, now())
            && let Err(error) = self.webhooks.prepare(&job.record, body).await
        {
            tracing::error!(run = %job.record.run_id, %error, "a webhook cannot be stored");
        }
        let (told, recorded) =
            tokio::join!(desk.log.flushed(last), self.record_end(desk, &job, &ending, &progress, is_taken_back));
        desk.end();
        if let Err(fault) = told {
            tracing::error!(run = %job.record.run_id, fault, "the end of a run could not be logged");
        }
        if let Err(error) = recorded {
            tracing::error!(run = %job.record.run_id, %error, "the end of a run could not be recorded");
        }
        job.live.end(ending);
        self.webhooks.deliver(&job.record);
        if job.record.temporary_thread && job.record.on_completion == Completion::Delete {
            // Clients that come back find the log for a while.
            if let Err(error) = self.forget_temporary(&job.record).await {
                tracing::error!(run = %job.record.run_id, %error, "a temporary thread could not be deleted");
            }
        }
    }

    /// Leaves a run in the middle, for the next process.
    async fn leave(&self, job: &Job) {
        let left = |run: &mut RunRecord| {
            run.is_left = true;
            Ok(())
        };
        if let Err(error) = self.records.runs.update(job.record.thread_id, job.record.run_id, left).await {
            tracing::error!(run = %job.record.run_id, %error, "a run that was left in the middle could not be recorded as such");
        }
        job.live.leave();
    }

    fn tell_end(&self, desk: &Desk, run: Uuid, ending: &Ending) -> u64 {
        let status = serde_json::to_value(ending.status).unwrap_or_default();
        let event = LogEvent::RunEnded {
            status: status.as_str().unwrap_or_default().to_owned(),
            failure: ending.failure.clone(),
            interrupts: ending.interrupts.clone(),
        };
        desk.log.append(run, "".into(), 0, event)
    }

    async fn record_end(
        &self,
        desk: &Desk,
        job: &Job,
        ending: &Ending,
        progress: &Progress,
        is_taken_back: bool,
    ) -> Result<(), Refusal> {
        let thread = desk.thread;
        let run = async {
            if is_taken_back {
                return self.records.runs.delete(thread, job.record.run_id).await;
            }
            let end = |run: &mut RunRecord| {
                run.status = ending.status;
                run.error.clone_from(&ending.failure);
                run.checkpoints = progress.checkpoints;
                run.is_left = false;
                Ok(())
            };
            self.records.runs.update(thread, job.record.run_id, end).await.map(drop)
        };
        let stands = async {
            if has_thread(&job.record) {
                let change = |record: &mut ThreadRecord| {
                    stand(record, ending);
                    if desk.unended() > 1 {
                        // Others wait.
                        record.status = ThreadStatus::Busy;
                    }
                    Ok(())
                };
                self.records.threads.update(thread, change).await?;
            }
            Ok(())
        };
        let (run, stands) = tokio::join!(run, stands);
        run?;
        stands
    }

    /// Takes back what a run committed.
    async fn take_back(&self, run: &RunRecord, progress: &Progress, ending: &mut Ending) {
        let Some(first) = progress.journal else { return };
        let thread = run.thread_id;
        let (checkpoints, id) = (&*self.stores.checkpoints, thread.to_string());
        let taken = async {
            let made = runs(checkpoints, &id).await?;
            let ids: Vec<u64> = made.iter().map(|run| run.id).filter(|id| *id >= first).collect();
            delete_runs(checkpoints, &id, &ids).await?;
            if let Some(graph) = self.graphs.get(&run.graph) {
                // The thread stands as it did before the run.
                let view = graph.view(&id, None).await?;
                ending.interrupts = interrupts(&id, &view);
                ending.values = view.checkpoint.is_some().then_some(view.values);
            }
            Ok::<(), RunError>(())
        };
        if let Err(error) = taken.await {
            tracing::error!(%thread, %error, "a run could not be taken back");
            ending.failure = Some(RunFailure { error: "StoreError".to_owned(), message: error.to_string() });
        }
        ending.status = RunStatus::Interrupted;
    }

    async fn forget_temporary(&self, run: &RunRecord) -> Result<(), Refusal> {
        self.records.runs.delete(run.thread_id, run.run_id).await?;
        self.delete_checkpoints(run.thread_id).await
    }

    /// Ends a run that waited and never began.
    pub(super) async fn drop_waiting(&self, desk: &Desk, job: &Job, cancel: Cancel) -> Result<(), Refusal> {
        let (thread, run) = (job.record.thread_id, job.record.run_id);
        match cancel {
            Cancel::Rollback => self.records.runs.delete(thread, run).await?,
            Cancel::Interrupt => {
                let interrupted = |run: &mut RunRecord| {
                    run.status = RunStatus::Interrupted;
                    Ok(())
                };
                self.records.runs.update(thread, run, interrupted).await?;
            }
        }
        let ending = Ending {
            status: RunStatus::Interrupted,
            stands: ThreadStatus::Idle,
            values: None,
            interrupts: Vec::new(),
            failure: None,
        };
        self.tell_end(desk, run, &ending);
        job.live.end(ending);
        desk.end();
        if desk.unended() == 0 && has_thread(&job.record) {
            self.record_rest(desk, &job.record.graph).await?;
        }
        Ok(())
    }

    /// Records how a thread stands whose last run was dropped before it began.
    async fn record_rest(&self, desk: &Desk, graph: &str) -> Result<(), Refusal> {
        let Some(graph) = self.graphs.get(graph) else { return Ok(()) };
        let view = graph.view(&desk.thread.to_string(), None).await?;
        let change = |record: &mut ThreadRecord| {
            if desk.unended() == 0 {
                record.status = match view.status {
                    _ if record.error.is_some() => ThreadStatus::Error,
                    _ if view.tasks.is_empty() => ThreadStatus::Idle,
                    Standing::Failed | Standing::BudgetSpent => ThreadStatus::Error,
                    _ => ThreadStatus::Interrupted,
                };
            }
            Ok(())
        };
        self.records.threads.update(desk.thread, change).await?;
        Ok(())
    }
}

/// Whether the thread of a run is there for clients.
fn has_thread(run: &RunRecord) -> bool {
    !run.temporary_thread || run.on_completion == Completion::Keep
}

/// Writes how a thread stands after a run.
fn stand(record: &mut ThreadRecord, ending: &Ending) {
    record.status = ending.stands;
    record.error.clone_from(&ending.failure);
    record.interrupts = std::collections::BTreeMap::new();
    for Interrupt { id, value, task, .. } in &ending.interrupts {
        let task = crate::graph::task_id(&record.thread_id.to_string(), task).to_string();
        let pending = PendingInterrupt { id: id.clone(), value: value.clone(), response_schema: None };
        record.interrupts.entry(task).or_default().push(pending);
    }
    if let Some(values) = &ending.values {
        record.values = Fields::clone(values).into();
    }
    record.state_changed(now());
}
