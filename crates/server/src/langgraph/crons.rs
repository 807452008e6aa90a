//! Crons: runs that start by the calendar.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::host::Host;
use crate::http::{CronUuid, Json, Path, Problem, Routes, Scope, ThreadUuid};
use crate::langgraph::pages::{page, unfit};
use crate::langgraph::scheduler::wanted;
use crate::records::{Completion, CronCreate, CronPatch, CronSearch, RecordError};

pub(super) fn routes() -> Routes<Host> {
    Routes::new("Crons")
        .post("/runs/crons", "Creates a cron, each run of which has a thread of its own", create)
        .post("/threads/{thread_id}/runs/crons", "Creates a cron whose runs are on a thread", create_on_thread)
        .post("/runs/crons/search", "The crons that match", search)
        .needs(Scope::Read)
        .post("/runs/crons/count", "How many crons match", count)
        .needs(Scope::Read)
        .answers::<usize>()
        .get("/runs/crons/{cron_id}", "A cron", show)
        .patch("/runs/crons/{cron_id}", "Changes a cron", patch)
        .delete("/runs/crons/{cron_id}", "Deletes a cron", delete)
        .answers_status(StatusCode::NO_CONTENT)
}

/// A cron to make.
#[derive(Deserialize, JsonSchema)]
struct NewCron {
    /// An assistant by its id, or a graph by its name.
    assistant_id: String,
    /// Minute, hour, day of the month, month, day of the week.
    schedule: String,
    /// The IANA name of a time zone; UTC unless set.
    timezone: Option<String>,
    /// From when on it runs no more, RFC 3339.
    end_time: Option<String>,
    /// Whether it runs; it does unless set.
    enabled: Option<bool>,
    /// What happens to a thread that was made for a run: it is deleted unless set.
    on_run_completed: Option<Completion>,
    metadata: Option<Map<String, Value>>,
    /// The fields of its runs' requests.
    #[serde(flatten)]
    payload: Map<String, Value>,
}

/// The wire says no more of a cron that is not there.
fn found<T>(result: Result<T, RecordError>) -> Result<T, Problem> {
    result.map_err(|error| match error {
        RecordError::NotFound { .. } => Problem::not_found("Not Found"),
        other => unfit(other),
    })
}

async fn made(host: &Host, thread: Option<Uuid>, new: NewCron) -> Result<Json<Value>, Problem> {
    let NewCron { assistant_id, schedule, timezone, end_time, enabled, on_run_completed, metadata, payload } = new;
    let run = wanted(host, &assistant_id, thread, &payload).await?;
    let cron = CronCreate {
        assistant_id: run.assistant.assistant_id,
        thread_id: thread,
        schedule,
        timezone,
        end_time,
        enabled,
        on_run_completed: on_run_completed.or(thread.is_none().then_some(Completion::Delete)),
        payload,
        metadata,
        user_id: None,
    };
    Ok(Json(host.manager.records().crons.create(cron).await.map_err(unfit)?.wire()))
}

async fn create(State(host): State<Host>, Json(new): Json<NewCron>) -> Result<Json<Value>, Problem> {
    made(&host, None, new).await
}

async fn create_on_thread(
    State(host): State<Host>,
    Path(thread): Path<ThreadUuid>,
    Json(new): Json<NewCron>,
) -> Result<Json<Value>, Problem> {
    host.manager.records().threads.get(thread.0).await?;
    made(&host, Some(thread.0), new).await
}

async fn search(State(host): State<Host>, Json(search): Json<Option<CronSearch>>) -> Result<Response, Problem> {
    host.manager.records().crons.search(&search.unwrap_or_default()).await.map(page).map_err(unfit)
}

async fn count(State(host): State<Host>, Json(search): Json<Option<CronSearch>>) -> Result<Json<usize>, Problem> {
    Ok(Json(host.manager.records().crons.count(&search.unwrap_or_default()).await?))
}

async fn show(State(host): State<Host>, Path(id): Path<CronUuid>) -> Result<Json<Value>, Problem> {
    Ok(Json(found(host.manager.records().crons.get(id.0).await)?.wire()))
}

/// What a change of a cron sets; the rest stays.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct CronChange {
    schedule: Option<String>,
    timezone: Option<String>,
    end_time: Option<String>,
    enabled: Option<bool>,
    on_run_completed: Option<Completion>,
    metadata: Option<Map<String, Value>>,
    /// Fields over those of its runs' requests.
    #[serde(flatten)]
    payload: Map<String, Value>,
}

async fn patch(
    State(host): State<Host>,
    Path(id): Path<CronUuid>,
    Json(change): Json<CronChange>,
) -> Result<Json<Value>, Problem> {
    let CronChange { schedule, timezone, end_time, enabled, on_run_completed, metadata, payload } = change;
    if !payload.is_empty() {
        let cron = found(host.manager.records().crons.get(id.0).await)?;
        let mut all = cron.payload;
        all.extend(payload.clone());
        wanted(&host, &cron.assistant_id.to_string(), cron.thread_id, &all).await?;
    }
    let patch = CronPatch { schedule, timezone, end_time, enabled, on_run_completed, payload, metadata };
    Ok(Json(found(host.manager.records().crons.patch(id.0, &patch).await)?.wire()))
}

async fn delete(State(host): State<Host>, Path(id): Path<CronUuid>) -> Result<StatusCode, Problem> {
    found(host.manager.records().crons.delete(id.0).await)?;
    Ok(StatusCode::NO_CONTENT)
}
