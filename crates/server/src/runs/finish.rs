//! A run is recorded as ended, after its last event is stored.

use std::collections::BTreeMap;

use graphloom_core_graph::RunError;
use graphloom_core_graph::checkpoint::{delete_runs, runs};
use uuid::Uuid;

use crate::graph::{Fields, task_id};
use crate::log::{Interrupt, LogEvent};
use crate::records::{Completion, PendingInterrupt, RunFailure, RunRecord, RunStatus, ThreadRecord, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::execute::{Executed, interrupts, standing};
use crate::runs::follow::Progress;
use crate::runs::live::{Cancel, Ending};
use crate::runs::run_queue::{Job, RunQueue};
use crate::runs::webhook_body::webhook_body;
use crate::runs::{Inner, now};

impl Inner {
    /// Records how an execution ended, and tells those who wait for it.
    pub(super) async fn finish(&self, queue: &RunQueue, job: Job, executed: Executed) {
        if !queue.is_held(self).await {
            // Another process executes it, and records its end.
            return;
        }
        let (mut ending, progress) = match executed {
            Executed::Ended(ending, progress) => (ending, progress),
            Executed::Left => return self.leave(queue, &job).await,
        };
        let is_taken_back = job.live.cancelled() == Some(Cancel::Rollback);
        if is_taken_back {
            self.take_back(&job.record, &progress, &mut ending).await;
        }
        let last = self.tell_end(queue, job.record.run_id, &ending);
        // Before the record: a process that dies between the two executes the end again.
        if !is_taken_back
            && job.record.webhook.is_some()
            && let body = webhook_body(&job.record, &ending, now())
            && let Err(error) = self.webhooks.prepare(&job.record, body).await
        {
            tracing::error!(run = %job.record.run_id, %error, "a webhook cannot be stored");
        }
        let recorded = async {
            loop {
                let recorded = self.record_end(queue, &job, &ending, &progress, is_taken_back).await;
                if recorded.is_ok() || queue.check(self).is_ok() || !queue.is_held(self).await {
                    return recorded;
                }
                // It was not sure for a moment whether the thread is still held.
            }
        };
        let (told, recorded) = tokio::join!(queue.log.flushed(last), recorded);
        if recorded.is_err() && !queue.is_held(self).await {
            return;
        }
        queue.end();
        if let Err(fault) = told {
            tracing::error!(run = %job.record.run_id, fault, "the end of a run could not be logged");
        }
        if let Err(error) = recorded {
            tracing::error!(run = %job.record.run_id, %error, "the end of a run could not be recorded");
        }
        job.live.end(*ending);
        self.webhooks.deliver(&job.record);
        if job.record.temporary_thread && job.record.on_completion == Completion::Delete {
            // Clients that come back find the log for a while.
            if let Err(error) = self.forget_temporary(&job.record).await {
                tracing::error!(run = %job.record.run_id, %error, "a temporary thread could not be deleted");
            }
        }
    }

    /// Leaves a run in the middle, for the next process.
    async fn leave(&self, queue: &RunQueue, job: &Job) {
        queue.leave_run();
        let left = |run: &mut RunRecord| {
            queue.check(self)?;
            run.is_left = true;
            Ok(())
        };
        if let Err(error) = self.records.runs.update(job.record.thread_id, job.record.run_id, left).await {
            tracing::error!(run = %job.record.run_id, %error, "a run that was left in the middle could not be recorded as such");
        }
        job.live.leave();
    }

    fn tell_end(&self, queue: &RunQueue, run: Uuid, ending: &Ending) -> u64 {
        let event = LogEvent::RunEnded {
            status: ending.status.as_str().to_owned(),
            failure: ending.failure.clone(),
            interrupts: ending.interrupts.clone(),
        };
        queue.log.append(run, "".into(), 0, event)
    }

    async fn record_end(
        &self,
        queue: &RunQueue,
        job: &Job,
        ending: &Ending,
        progress: &Progress,
        is_taken_back: bool,
    ) -> Result<(), Refusal> {
        let thread = queue.thread;
        let run = async {
            if is_taken_back {
                return self.records.runs.delete(thread, job.record.run_id).await;
            }
            let end = |run: &mut RunRecord| {
                queue.check(self)?;
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
                    queue.check(self)?;
                    stand(record, ending);
                    if queue.unended() > 1 {
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
    pub(super) async fn drop_waiting(&self, queue: &RunQueue, job: &Job, cancel: Cancel) -> Result<(), Refusal> {
        let (thread, run) = (job.record.thread_id, job.record.run_id);
        queue.check(self)?;
        match cancel {
            Cancel::Rollback => self.records.runs.delete(thread, run).await?,
            Cancel::Interrupt => {
                let interrupted = |run: &mut RunRecord| {
                    queue.check(self)?;
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
        self.tell_end(queue, run, &ending);
        job.live.end(ending);
        queue.end();
        if queue.unended() == 0 && has_thread(&job.record) {
            self.record_rest(queue, &job.record.graph).await?;
        }
        Ok(())
    }

    /// Records how a thread stands whose last run was dropped before it began.
    async fn record_rest(&self, queue: &RunQueue, graph: &str) -> Result<(), Refusal> {
        let Some(graph) = self.graphs.get(graph) else { return Ok(()) };
        let view = graph.view(&queue.thread.to_string(), None).await?;
        let change = |record: &mut ThreadRecord| {
            queue.check(self)?;
            if queue.unended() == 0 {
                record.status = if record.error.is_some() { ThreadStatus::Error } else { standing(&view) };
            }
            Ok(())
        };
        self.records.threads.update(queue.thread, change).await?;
        Ok(())
    }
}

/// Whether the thread of a run is there for clients.
fn has_thread(run: &RunRecord) -> bool {
    !run.temporary_thread || run.on_completion == Completion::Keep
}

/// Writes how a thread stands after a run.
pub(super) fn stand(record: &mut ThreadRecord, ending: &Ending) {
    record.status = ending.stands;
    record.error = ending.failure.clone().filter(|_| ending.stands == ThreadStatus::Error);
    record.interrupts = pending(&record.thread_id.to_string(), &ending.interrupts);
    if let Some(values) = &ending.values {
        record.values = Fields::clone(values).into();
    }
    record.state_changed(now());
}

/// What a thread waits for, by the task of the root graph that waits: a question from inside is that of the task around it.
pub(crate) fn pending(thread: &str, interrupts: &[Interrupt]) -> BTreeMap<String, Vec<PendingInterrupt>> {
    let mut pending: BTreeMap<String, Vec<PendingInterrupt>> = BTreeMap::new();
    for Interrupt { id, value, task, response_schema, .. } in interrupts {
        let root = task.split('/').next().unwrap_or_default();
        let (id, value, response_schema) = (id.clone(), value.clone(), response_schema.clone());
        let one = PendingInterrupt { id, value, response_schema };
        pending.entry(task_id(thread, root).to_string()).or_default().push(one);
    }
    pending
}
