//! Starts the runs of crons that are due.
//!
//! A cron that is due gets a run whose id follows from the cron and the time, so that it is accepted once, whichever
//! process of several starts it, and once more after a crash. Then the cron moves on to its next time.

use std::time::Duration;

use graphloom_core_graph::{Clock, SystemClock};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::host::{Host, RunOptions};
use crate::http::Problem;
use crate::records::{Cron, Multitask, RecordError};
use crate::refusal::Refusal;
use crate::runs::Order;

/// The longest time between two looks: another process may have made a cron.
const LONGEST: Duration = Duration::from_secs(10);

/// After so long is tried again what failed.
const RETRY: Duration = Duration::from_secs(5);

/// What a run of a cron is to do.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CronRun {
    multitask_strategy: Option<Multitask>,
    webhook: Option<String>,
    #[serde(flatten)]
    order: Order,
}

impl CronRun {
    fn read(payload: &Map<String, Value>) -> Result<Self, serde_json::Error> {
        // What a client leaves empty is not set.
        let set = payload.iter().filter(|(_, value)| !value.is_null());
        serde_json::from_value(set.map(|(field, value)| (field.clone(), value.clone())).collect())
    }

    /// Checks the fields of a run's request.
    ///
    /// # Errors
    /// 422 for a field that does not fit.
    pub(super) fn check(payload: &Map<String, Value>) -> Result<(), Problem> {
        let read = Self::read(payload);
        read.map(drop).map_err(|error| Problem::unprocessable(format!("Invalid request of a run: {error}")))
    }
}

/// Starts runs as they become due, until it is dropped.
pub(super) async fn run(host: Host) {
    loop {
        let changed = host.manager.records().crons.changed();
        let now = SystemClock.now();
        let wait = match tick(&host, now).await {
            Ok(Some(next)) => Duration::from_millis(next.saturating_sub(now)).min(LONGEST),
            Ok(None) => LONGEST,
            Err(refusal) => {
                tracing::error!(error = %refusal, "crons cannot be started");
                RETRY
            }
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = changed => {}
        }
    }
}

/// Starts the crons that are due at a time, and tells when the next one will be.
async fn tick(host: &Host, now: u64) -> Result<Option<u64>, Refusal> {
    let crons = &host.manager.records().crons;
    for due in crons.due(now).await? {
        // Another process may have started it since the list was read.
        match crons.get(due.cron_id).await {
            Ok(there) if there.next_run_date == due.next_run_date => {}
            Ok(_) | Err(RecordError::NotFound { .. }) => continue,
            Err(error) => return Err(error.into()),
        }
        match start(host, &due).await {
            // The run is there already, or its thread is busy and it was not to wait.
            Ok(()) | Err(Refusal::Conflict(_)) => {}
            Err(error @ (Refusal::Unavailable(_) | Refusal::Failed(_))) => return Err(error),
            Err(refused) => tracing::warn!(cron = %due.cron_id, reason = %refused, "a run of a cron is left out"),
        }
        crons.advance(&due, now).await?;
    }
    Ok(crons.next_due().await?)
}

async fn start(host: &Host, cron: &Cron) -> Result<(), Refusal> {
    let CronRun { multitask_strategy, webhook, order } =
        CronRun::read(&cron.payload).map_err(|error| Refusal::Invalid(error.to_string()))?;
    let assistant = host.manager.records().assistants.get(cron.assistant_id).await?;
    let mut metadata = cron.metadata.clone();
    metadata.insert("cron_id".to_owned(), cron.cron_id.to_string().into());
    let options = RunOptions {
        metadata,
        multitask: multitask_strategy.unwrap_or_default(),
        webhook,
        completion: cron.on_run_completed.unwrap_or_default(),
        run_id: cron.next_run_id(),
        ..RunOptions::default()
    };
    let submitted = host.submit(cron.thread_id, &assistant, order, options).await?;
    tracing::info!(cron = %cron.cron_id, run = %submitted.record.run_id, "a run of a cron begins");
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::builder::Server;
    use crate::http::{Guard, Security};
    use crate::records::{CronCreate, ThreadCreate, system_assistant_id};

    async fn host() -> Host {
        let manager = Server::new().demo().unwrap().open().await.unwrap();
        Host { manager, guard: Guard::new(&Security::default()).unwrap() }
    }

    async fn cron(host: &Host, thread: Option<Uuid>, payload: Value) -> Cron {
        let new = CronCreate {
            assistant_id: system_assistant_id("pipeline"),
            thread_id: thread,
            schedule: "* * * * *".to_owned(),
            payload: payload.as_object().unwrap().clone(),
            ..CronCreate::default()
        };
        host.manager.records().crons.create(new).await.unwrap()
    }

    #[tokio::test]
    async fn a_cron_that_is_due_starts_one_run_and_moves_on() {
        let host = host().await;
        let records = host.manager.records();
        let thread = records.threads.create(ThreadCreate::default()).await.unwrap().thread_id;
        let made = cron(&host, Some(thread), json!({"input": {"topic": "a"}, "webhook": null})).await;
        let due = made.next_run_date.unwrap();
        assert_eq!(tick(&host, due - 1).await.unwrap(), Some(due), "it is not due yet");
        assert_eq!(records.runs.of_thread(thread).await.unwrap(), []);

        let next = tick(&host, due).await.unwrap();
        assert_eq!(next, Some(due + 60_000));
        let live = host.manager.live(thread, made.next_run_id().unwrap()).await;
        if let Some(live) = live {
            live.ended().await.unwrap();
        }
        let runs = records.runs.of_thread(thread).await.unwrap();
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].metadata["cron_id"], made.cron_id.to_string());
        assert_eq!(records.threads.get(thread).await.unwrap().values["count"], 3);

        // A process that died before it moved the cron on starts no second run.
        assert!(matches!(start(&host, &made).await, Err(Refusal::Conflict(_))));
        tick(&host, due).await.unwrap();
        assert_eq!(records.runs.of_thread(thread).await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_run_that_cannot_start_is_left_out_and_holds_nothing_up() {
        let host = host().await;
        let gone = cron(&host, Some(Uuid::now_v7()), json!({})).await;
        let fine = cron(&host, None, json!({"input": {"topic": "a"}})).await;
        let due = gone.next_run_date.unwrap();
        assert_eq!(tick(&host, due).await.unwrap(), Some(due + 60_000));
        let moved = host.manager.records().crons.get(fine.cron_id).await.unwrap();
        assert_eq!(moved.next_run_date, Some(due + 60_000));
        assert!(CronRun::check(json!({"multitask_strategy": "later"}).as_object().unwrap()).is_err());
    }
}
