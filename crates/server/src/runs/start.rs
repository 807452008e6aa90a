//! A run is stored with its thread, and executed when its turn comes.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use graphloom_core_graph::checkpoint::{CheckpointError, CheckpointRow};
use serde_json::Value;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::records::{Completion, RecordError, RunRecord, RunStatus, ThreadCreate, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::execute::{Executed, Execution};
use crate::runs::follow::steps_before;
use crate::runs::order::Order;
use crate::runs::run_queue::{Job, RunQueue};
use crate::runs::span;
use crate::runs::{Inner, NewRun, now};

impl Inner {
    /// Sees to it that there is no run of an id that a client chose, or one process for another: before anything is done for it.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] where there is; the store's.
    pub(super) async fn check_new(&self, thread: Uuid, run: Uuid, is_temporary: bool) -> Result<(), Refusal> {
        let is_there = self.records.runs.find_of_thread(thread, run).await?.is_some();
        // Of a run without a thread only its log is left when it has ended.
        if is_there || (is_temporary && self.logs.is_there(thread).await?) {
            return Err(Refusal::Conflict(format!("Run with ID {run} already exists")));
        }
        Ok(())
    }

    /// Stores a run, and with its thread that it is busy.
    pub(super) async fn store_new(
        &self,
        thread: Uuid,
        new: NewRun,
        starts: bool,
        before: u64,
    ) -> Result<(RunRecord, Option<CheckpointRow>), Refusal> {
        let NewRun { assistant, graph, order, metadata, multitask, start_at, temporary, webhook, run_id, traceparent } =
            new;
        let mut record = RunRecord::new(thread, assistant, graph, now());
        record.run_id = run_id.unwrap_or(record.run_id);
        record.metadata = metadata;
        record.multitask_strategy = multitask;
        record.start_at = start_at;
        record.before = before;
        record.temporary_thread = temporary.is_some();
        if temporary.is_some() {
            // Clients know no more of it than the id of its run: that leads to the thread and its log.
            record.run_id = thread;
        }
        record.on_completion = temporary.unwrap_or_default();
        record.webhook = webhook;
        record.traceparent = traceparent;
        let mut base = None;
        if starts {
            (record.status, record.started) = (RunStatus::Running, Some(record.created));
            base = self.head(thread).await?;
            record.base = base.as_ref().map(|row| row.number);
        }
        let config = serde_json::to_value(&order.config).unwrap_or_default();
        record.kwargs = serde_json::to_value(order).map_err(|error| Refusal::Invalid(error.to_string()))?;
        match temporary {
            Some(Completion::Delete) => self.records.runs.insert(&record).await?,
            Some(Completion::Keep) => {
                let new = ThreadCreate { thread_id: Some(thread), ..ThreadCreate::default() };
                self.records.threads.create(new).await?;
                self.store_both(&record, config).await?;
            }
            None => self.store_both(&record, config).await?,
        }
        Ok((record, base))
    }

    /// Stores a run and that its thread is busy, in one transaction where the store groups writes.
    async fn store_both(&self, record: &RunRecord, config: Value) -> Result<(), Refusal> {
        let busy = self.records.threads.update(record.thread_id, |thread| {
            thread.status = ThreadStatus::Busy;
            thread.graph = Some(record.graph.clone());
            thread.metadata.insert("graph_id".to_owned(), record.graph.clone().into());
            thread.metadata.insert("assistant_id".to_owned(), record.assistant_id.to_string().into());
            if let Value::Object(config) = &config {
                thread.config.clone_from(config);
            }
            Ok(())
        });
        let (stored, busy) = tokio::join!(self.records.runs.insert(record), busy);
        match (stored, busy) {
            (Ok(()), Ok(_)) => Ok(()),
            (Ok(()), Err(error)) => {
                // The thread is gone, and with it the run.
                self.records.runs.delete(record.thread_id, record.run_id).await?;
                Err(error.into())
            }
            (Err(error), _) => Err(error.into()),
        }
    }

    /// The checkpoint at the head of a thread.
    pub(super) async fn head(&self, thread: Uuid) -> Result<Option<CheckpointRow>, Refusal> {
        let failed = |error: CheckpointError| Refusal::Failed(error.to_string());
        self.stores.checkpoints.checkpoint(&thread.to_string(), "", None).await.map_err(failed)
    }

    /// Executes a run whose turn has come, and records how it ended.
    pub(super) async fn run(&self, queue: &RunQueue, job: Job) {
        let span = span::of_run(&job.record, job.attempt);
        self.run_in_span(queue, job).instrument(span).await;
    }

    async fn run_in_span(&self, queue: &RunQueue, mut job: Job) {
        if let Err(error) = self.mark_running(queue, &mut job).await {
            if !queue.is_held(self).await {
                return;
            }
            tracing::error!(run = %job.record.run_id, %error, "a run cannot be recorded as running");
        }
        let base = job.base.take();
        let head = base.as_ref().map(|row| row.number);
        let thread = queue.thread.to_string();
        let mut executed =
            match (self.graphs.get(&job.record.graph), serde_json::from_value::<Order>(job.record.kwargs.clone())) {
                (Some(graph), Ok(order)) => {
                    let execution = Execution {
                        graph: &**graph,
                        checkpoints: &*self.stores.checkpoints,
                        thread: &thread,
                        assistant: job.record.assistant_id,
                        order: &order,
                        log: &queue.log,
                        changes: &self.stores.changes,
                        live: &job.live,
                        attempt: job.attempt,
                        goes_on: job.goes_on,
                        is_temporary: job.record.temporary_thread,
                        base,
                    };
                    // What panics here is a fault of this crate; it must not keep the thread busy for ever.
                    AssertUnwindSafe(execution.execute()).catch_unwind().await.unwrap_or_else(|_| {
                        Executed::failed("internal fault: the run was dropped; please report it".to_owned())
                    })
                }
                (None, _) => {
                    let graphs: Vec<_> = self.graphs.keys().map(String::as_str).collect();
                    Executed::failed(format!(
                        "graph `{}` is not served here; graphs: {}",
                        job.record.graph,
                        graphs.join(", ")
                    ))
                }
                (_, Err(error)) => Executed::failed(format!("the run's order cannot be read: {error}")),
            };
        if job.is_taken_up {
            executed.after(job.record.base, head);
            self.count_steps(queue.thread, &mut executed).await;
        }
        self.finish(queue, job, executed).await;
    }

    /// Counts the super-steps of a run that more than one process executed: from its first checkpoint to its last.
    pub(super) async fn count_steps(&self, thread: Uuid, executed: &mut Executed) {
        let (Executed::Ended(_, progress) | Executed::Told(_, progress)) = executed else { return };
        let Some((first, last)) = progress.checkpoints else { return };
        let thread = thread.to_string();
        let row = async |number| self.stores.checkpoints.checkpoint(&thread, "", Some(number)).await;
        progress.steps = match (row(first).await, row(last).await) {
            (Ok(Some(first)), Ok(Some(last))) => Some(last.step.saturating_sub(steps_before(first.step, first.source))),
            (Ok(_), Ok(_)) => None,
            (Err(error), _) | (_, Err(error)) => {
                tracing::warn!(thread, %error, "the super-steps of a run cannot be counted");
                None
            }
        };
    }

    async fn mark_running(&self, queue: &RunQueue, job: &mut Job) -> Result<(), Refusal> {
        if job.record.status == RunStatus::Running && !job.is_taken_up {
            return Ok(());
        }
        job.base = self.head(job.record.thread_id).await?;
        if job.is_taken_up {
            return Ok(());
        }
        let base = job.base.as_ref().map(|row| row.number);
        let change = |run: &mut RunRecord| -> Result<(), RecordError> {
            queue.check(self)?;
            run.status = RunStatus::Running;
            run.base = base;
            Ok(())
        };
        job.record = self.records.runs.update(job.record.thread_id, job.record.run_id, change).await?;
        Ok(())
    }
}
