//! A run is recorded as ended, after its last event is stored.

use std::collections::BTreeMap;

use graphloom_core_graph::RunError;
use graphloom_core_graph::checkpoint::{RunRow, delete_runs, runs};
use uuid::Uuid;

use crate::graph::{Fields, task_id};
use crate::log::{Interrupt, LogEvent};
use crate::records::{PendingInterrupt, RunFailure, RunRecord, RunStatus, ThreadRecord, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::execute::{Executed, interrupts, standing};
use crate::runs::follow::Progress;
use crate::runs::live::{Cancel, Ending};
use crate::runs::run_queue::{Job, RunQueue};
use crate::runs::span;
use crate::runs::webhook_body::webhook_body;
use crate::runs::{Inner, now};

impl Inner {
    /// Records how an execution ended, and tells those who wait for it.
    pub(super) async fn finish(&self, queue: &RunQueue, job: Job, executed: Executed) {
        if !queue.is_held(self).await {
            // Another process executes it, and records its end.
            return;
        }
        let (mut ending, progress, is_told) = match executed {
            Executed::Ended(ending, progress) => (ending, progress, false),
            Executed::Told(ending, progress) => (ending, progress, true),
            Executed::Left => {
                span::note_left();
                return self.leave(queue, &job).await;
            }
        };
        let is_taken_back = job.live.close() == Some(Cancel::Rollback);
        if is_taken_back {
            self.take_back(&job, &progress, &mut ending).await;
        }
        span::note_end(&ending);
        let last = if is_told { queue.log.last() } else { self.tell_end(queue, job.record.run_id, &ending) };
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
        let is_stored = told.is_ok() && recorded.is_ok();
        let recorded = match recorded {
            Ok(()) => self.record_rest(queue, &job.record.graph).await,
            Err(error) => Err(error),
        };
        if let Err(fault) = told {
            tracing::error!(run = %job.record.run_id, fault, "the end of a run could not be logged");
        }
        if let Err(error) = recorded {
            tracing::error!(run = %job.record.run_id, %error, "the end of a run could not be recorded");
        }
        job.live.end(*ending);
        self.webhooks.deliver(&job.record);
        if is_stored {
            self.done_with(&job.record).await;
        }
    }

    /// Does what is left when all of a run's end is stored.
    pub(super) async fn done_with(&self, run: &RunRecord) {
        let done = match run.goes_with_its_thread() {
            true => self.forget_temporary(run).await,
            false => self.records.runs.done_with(run.run_id).await.map_err(Refusal::from),
        };
        if let Err(error) = done {
            tracing::error!(run = %run.run_id, %error, "a run that has ended is not done with; the next start does it");
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
            if is_taken_back && !job.record.goes_with_its_thread() {
                return self.records.runs.delete(thread, job.record.run_id).await;
            }
            let end = |run: &mut RunRecord| {
                queue.check(self)?;
                run.status = ending.status;
                run.error.clone_from(&ending.failure);
                run.checkpoints = progress.checkpoints;
                run.steps = progress.steps;
                run.usage = job.live.usage();
                run.is_left = false;
                Ok(())
            };
            self.records.runs.end(thread, job.record.run_id, end).await.map(drop)
        };
        let stands = async {
            if !job.record.goes_with_its_thread() {
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
            Ok::<(), Refusal>(())
        };
        if self.member.is_some() {
            // Others may look in between: a thread whose runs have ended is not busy.
            stands.await?;
            return Ok(run.await?);
        }
        let (run, stands) = tokio::join!(run, stands);
        run?;
        stands
    }

    /// Takes back what a run committed, in this process and in one before that died.
    async fn take_back(&self, job: &Job, progress: &Progress, ending: &mut Ending) {
        let run = &job.record;
        if progress.journal.is_none() && !job.is_taken_up {
            return;
        }
        let thread = run.thread_id;
        let (checkpoints, id) = (&*self.stores.checkpoints, thread.to_string());
        let taken = async {
            let made = runs(checkpoints, &id).await?;
            let first = if job.is_taken_up { first_after(&made, run.base) } else { progress.journal };
            let ids = made.iter().map(|run| run.id).filter(|id| first.is_some_and(|first| *id >= first));
            delete_runs(checkpoints, &id, &ids.collect::<Vec<_>>()).await?;
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

    /// Ends a run that waited and never began.
    pub(super) async fn drop_waiting(&self, queue: &RunQueue, job: &Job, cancel: Cancel) -> Result<(), Refusal> {
        let (thread, run) = (job.record.thread_id, job.record.run_id);
        queue.check(self)?;
        match cancel {
            Cancel::Rollback if !job.record.goes_with_its_thread() => self.records.runs.delete(thread, run).await?,
            Cancel::Rollback | Cancel::Interrupt => {
                let interrupted = |run: &mut RunRecord| {
                    queue.check(self)?;
                    run.status = RunStatus::Interrupted;
                    Ok(())
                };
                self.records.runs.end(thread, run, interrupted).await?;
            }
        }
        let ending = Ending {
            status: RunStatus::Interrupted,
            stands: ThreadStatus::Idle,
            values: None,
            interrupts: Vec::new(),
            failure: None,
            is_unread: false,
        };
        let last = self.tell_end(queue, run, &ending);
        job.live.end(ending);
        queue.end_unbegun();
        if !job.record.goes_with_its_thread() {
            self.record_rest(queue, &job.record.graph).await?;
        }
        match queue.log.flushed(last).await {
            Ok(()) => self.done_with(&job.record).await,
            Err(fault) => tracing::error!(%run, fault, "the end of a run could not be logged"),
        }
        Ok(())
    }

    /// Records how a thread stands that may be recorded as busy with a run which never began, when it is the last to end that
    /// does so.
    pub(super) async fn record_rest(&self, queue: &RunQueue, graph: &str) -> Result<(), Refusal> {
        if !queue.is_to_be_settled() {
            return Ok(());
        }
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

/// The first of the runtime's runs after the one that made a checkpoint, or an earlier one.
fn first_after(made: &[RunRow], base: Option<u64>) -> Option<u64> {
    let is_before = |run: &RunRow| run.checkpoints.iter().any(|(ns, number)| ns.is_empty() && Some(*number) <= base);
    let after = made.iter().rposition(is_before).map_or(0, |at| at + 1);
    made.get(after).map(|run| run.id)
}

/// Writes how a thread stands after a run.
pub(super) fn stand(record: &mut ThreadRecord, ending: &Ending) {
    if ending.is_unread {
        // What it waited for is waited for still.
        record.status = if record.interrupts.is_empty() { ending.stands } else { ThreadStatus::Interrupted };
        record.error = ending.failure.clone().filter(|_| record.interrupts.is_empty());
        return;
    }
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
