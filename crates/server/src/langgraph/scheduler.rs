//! Starts the runs of crons that are due.
//!
//! A cron that is due gets a run whose id follows from the cron and the time, so that it is accepted once, whichever
//! processes of several start it, and when one starts it again after a crash. Then the cron moves on to its next time.

use std::time::Duration;

use axum::http::StatusCode;
use graphloom_core_graph::{Clock, SystemClock};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::host::Host;
use crate::http::Problem;
use crate::langgraph::runs::{ParsedRun, RunBody, submit};
use crate::records::{Cron, RecordError};

/// The longest time between two looks: another process may have made a cron.
const LONGEST: Duration = Duration::from_secs(10);

/// After so long is tried again what failed.
const RETRY: Duration = Duration::from_secs(5);

/// The run that a cron's fields ask for.
///
/// # Errors
/// As for a run that a client asks for.
pub(super) async fn wanted(
    host: &Host,
    assistant: &str,
    thread: Option<Uuid>,
    payload: &Map<String, Value>,
) -> Result<ParsedRun, Problem> {
    let mut body = payload.clone();
    body.insert("assistant_id".to_owned(), assistant.into());
    let body: RunBody = serde_path_to_error::deserialize(Value::Object(body)).map_err(|error| {
        let (path, message) = (error.path().to_string(), error.inner().to_string());
        Problem::unprocessable(format!("Invalid request body at `{path}`: {message}")).about(path)
    })?;
    body.parse(host, thread).await
}

/// Starts runs as they become due, until it is dropped.
pub(super) async fn run(host: Host) {
    loop {
        let changed = host.manager.records().crons.changed();
        let now = SystemClock.now();
        let wait = match tick(&host, now).await {
            Ok(Some(next)) => Duration::from_millis(next.saturating_sub(now)).min(LONGEST),
            Ok(None) => LONGEST,
            Err(problem) => {
                tracing::error!(problem = %problem.detail, "crons cannot be started");
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
async fn tick(host: &Host, now: u64) -> Result<Option<u64>, Problem> {
    let crons = &host.manager.records().crons;
    for due in crons.due(now).await? {
        // Another process may have started it since the list was read.
        match crons.get(due.cron_id).await {
            Ok(there) if there.next_run_date == due.next_run_date => {}
            Ok(_) | Err(RecordError::NotFound { .. }) => continue,
            Err(error) => return Err(error.into()),
        }
        match start(host, &due).await {
            Ok(()) => {}
            // The run is there already, or its thread is busy and it was not to wait.
            Err(problem) if problem.status == StatusCode::CONFLICT => {}
            Err(problem) if problem.status.is_server_error() || problem.status == StatusCode::TOO_MANY_REQUESTS => {
                return Err(problem);
            }
            Err(problem) => {
                tracing::warn!(cron = %due.cron_id, reason = %problem.detail, "a run of a cron is left out");
            }
        }
        crons.advance(&due, now).await?;
    }
    Ok(crons.next_due().await?)
}

async fn start(host: &Host, cron: &Cron) -> Result<(), Problem> {
    let mut run = wanted(host, &cron.assistant_id.to_string(), cron.thread_id, &cron.payload).await?;
    run.options.metadata.extend(cron.metadata.clone());
    run.options.metadata.insert("cron_id".to_owned(), cron.cron_id.to_string().into());
    run.options.completion = cron.on_run_completed.unwrap_or_default();
    run.options.run_id = cron.next_run_id();
    let submitted = submit(host, cron.thread_id, run).await?;
    tracing::info!(cron = %cron.cron_id, run = %submitted.record.run_id, "a run of a cron begins");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
    use serde_json::json;

    use super::*;
    use crate::builder::Server;
    use crate::cluster::Cluster;
    use crate::http::{Guard, Security};
    use crate::log::LogEvent;
    use crate::records::{CronCreate, RunStatus, ThreadCreate, system_assistant_id};

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
        let live = host.manager.live(thread, made.next_run_id().unwrap()).await.unwrap();
        if let Some(live) = live {
            live.ended().await.unwrap();
        }
        let runs = records.runs.of_thread(thread).await.unwrap();
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].metadata["cron_id"], made.cron_id.to_string());
        assert_eq!(records.threads.get(thread).await.unwrap().values["count"], 3);

        // A process that died before it moved the cron on starts no second run.
        assert_eq!(start(&host, &made).await.unwrap_err().status, StatusCode::CONFLICT);
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
        let payload = json!({"multitask_strategy": "later"});
        let refused = wanted(&host, "pipeline", None, payload.as_object().unwrap()).await.err().unwrap();
        assert!(refused.detail.starts_with("Invalid request body at `multitask_strategy`"), "{refused:?}");
    }

    /// Three processes over one database look at the same time.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_cron_that_several_processes_find_due_starts_one_run() {
        let database = graphloom_postgres_server::Server::start();
        let mut hosts = Vec::new();
        for _ in 0..3 {
            let options = PostgresOptions::default().patience(Duration::from_secs(10)).max_connections(6);
            let checkpointer = PostgresCheckpointer::connect_with(&database.url(), &options).await.unwrap();
            let store = Arc::new(checkpointer.store());
            let cluster = Cluster::new().signals(Arc::new(store.signals()));
            let server =
                Server::new().demo().unwrap().checkpointer(Arc::new(checkpointer)).store(store).cluster(cluster);
            hosts
                .push(Host { manager: server.open().await.unwrap(), guard: Guard::new(&Security::default()).unwrap() });
        }
        let records = hosts[0].manager.records();
        let thread = records.threads.create(ThreadCreate::default()).await.unwrap().thread_id;
        let input = json!({"topic": "a"});
        // A second run of the first would take the place of the first; of the second nothing is left when it has ended.
        let on_thread = json!({"input": input, "multitask_strategy": "interrupt"});
        let mut made = cron(&hosts[1], Some(thread), on_thread).await;
        let mut alone = cron(&hosts[2], None, json!({ "input": input })).await;
        for round in 1..=6 {
            let due = made.next_run_date.unwrap();
            let ticks = futures::future::join_all(hosts.iter().map(|host| tick(host, due))).await;
            assert!(ticks.into_iter().all(|next| next.unwrap() == Some(due + 60_000)));
            for (host, cron) in [(&hosts[0], &made), (&hosts[1], &alone)] {
                let run = cron.next_run_id().unwrap();
                if let Some(live) = host.manager.live(cron.thread_id.unwrap_or(run), run).await.unwrap() {
                    live.ended().await.unwrap();
                }
            }
            let runs = records.runs.of_thread(thread).await.unwrap();
            assert_eq!(runs.len(), round);
            assert!(runs.iter().all(|run| run.status == RunStatus::Success), "{runs:?}");
            // Whoever comes late starts nothing, either.
            assert_eq!(start(&hosts[2], &alone).await.unwrap_err().status, StatusCode::CONFLICT);
            let log = hosts[1].manager.logs().open(alone.next_run_id().unwrap()).await.unwrap();
            let (mut tail, mut started) = (log.after(0), 0);
            while let Some(entry) = tail.ready().await.unwrap() {
                started += usize::from(matches!(entry.event, LogEvent::RunStarted { .. }));
            }
            assert_eq!(started, 1);
            made = records.crons.get(made.cron_id).await.unwrap();
            alone = records.crons.get(alone.cron_id).await.unwrap();
            assert_eq!(made.next_run_date, Some(due + 60_000));
        }
    }
}
