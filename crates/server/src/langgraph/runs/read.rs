//! Runs that are there: read, joined, streamed and deleted.

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::super::stream::{
    CancelOnDrop, FrameId, Mode, Modes, RunEndFrame, RunStream, Since, StreamOptions, ThreadStream, ThreadStreamMode,
    options_in, options_of,
};
use super::create::located;
use super::outcome;
use crate::events::upgrade;
use crate::host::Host;
use crate::http::{Caller, Json, Path, Problem, Query, RunUuid, ThreadUuid, events, late_json};
use crate::records::{RunList, RunRecord, RunStatus};
use crate::refusal::Refusal;
use crate::runs::Cancel;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListQuery {
    /// At most this many, 10 unless set.
    limit: Option<usize>,
    /// Skips this many.
    offset: Option<usize>,
    status: Option<RunStatus>,
    /// The fields that are answered, all unless set.
    select: Option<Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct JoinQuery {
    /// Whether the run ends with the client.
    #[serde(default)]
    cancel_on_disconnect: bool,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct StreamQuery {
    /// What is told; unless set, or where it is an empty text, what the run was asked to tell.
    #[serde(default)]
    stream_mode: Vec<OrEmpty<Mode>>,
    /// Whether the run ends with the client.
    #[serde(default)]
    cancel_on_disconnect: bool,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ThreadStreamQuery {
    /// What is told; `run_modes` unless set.
    #[serde(default)]
    stream_mode: Vec<OrEmpty<ThreadStreamMode>>,
    /// The same, as the reference server spells it.
    #[serde(default)]
    stream_modes: Vec<OrEmpty<ThreadStreamMode>>,
}

/// A mode, or the empty text that clients send for none.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String", bound(deserialize = "T: serde::de::DeserializeOwned"))]
#[schemars(with = "String")]
pub(super) struct OrEmpty<T>(Option<T>);

impl<T: serde::de::DeserializeOwned> TryFrom<String> for OrEmpty<T> {
    type Error = serde_json::Error;

    fn try_from(text: String) -> Result<Self, serde_json::Error> {
        if text.is_empty() { Ok(Self(None)) } else { serde_json::from_value(Value::String(text)).map(Some).map(Self) }
    }
}

fn given<T>(modes: Vec<OrEmpty<T>>) -> Vec<T> {
    modes.into_iter().filter_map(|mode| mode.0).collect()
}

pub(super) async fn list(
    State(host): State<Host>,
    Path(thread): Path<ThreadUuid>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Vec<Value>>, Problem> {
    let records = host.manager.records();
    records.threads.get(thread.0).await.map_err(Refusal::from)?;
    let ListQuery { limit, offset, status, select } = query;
    let list = RunList { limit, offset, status, select };
    Ok(Json(records.runs.list(thread.0, &list).await.map_err(Refusal::from)?.items))
}

/// A run of a thread.
pub(super) async fn record(host: &Host, thread: Uuid, run: Uuid) -> Result<RunRecord, Problem> {
    Ok(host.manager.records().runs.get(thread, run).await.map_err(Refusal::from)?)
}

pub(super) async fn show(
    State(host): State<Host>,
    Path((thread, run)): Path<(ThreadUuid, RunUuid)>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(record(&host, thread.0, run.0).await?.wire()))
}

/// Deletes a run. One that is under way or waits is stopped first, which ends its streams.
pub(super) async fn delete(
    State(host): State<Host>,
    Path((thread, run)): Path<(ThreadUuid, RunUuid)>,
) -> Result<StatusCode, Problem> {
    record(&host, thread.0, run.0).await?;
    match host.manager.cancel(thread.0, run.0, Cancel::Interrupt).await {
        Ok(live) => drop(live.ended().await),
        Err(Refusal::NotFound(_)) => {}
        Err(error) => return Err(error.into()),
    }
    host.manager.records().runs.delete(thread.0, run.0).await.map_err(Refusal::from)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn joined(host: &Host, at: (Option<Uuid>, Uuid), cancels: bool) -> Result<Response, Problem> {
    let (thread, run) = (at.0.unwrap_or(at.1), at.1);
    let permit = host.guard.capacity().stream()?;
    let response = match host.manager.live(thread, run).await? {
        Some(live) => {
            let on_drop = cancels.then(|| CancelOnDrop::new(host, thread, run));
            late_json(async move {
                let outcome = outcome::of_live(&live, on_drop).await;
                drop(permit);
                outcome
            })
        }
        None => {
            let record = record(host, thread, run).await?;
            let answer = outcome::of_ended(host, &record).await?;
            axum::response::IntoResponse::into_response(Json(answer))
        }
    };
    Ok(located(response, at.0, run, "join"))
}

pub(super) async fn join(
    State(host): State<Host>,
    Path((thread, run)): Path<(ThreadUuid, RunUuid)>,
    Query(query): Query<JoinQuery>,
) -> Result<Response, Problem> {
    joined(&host, (Some(thread.0), run.0), query.cancel_on_disconnect).await
}

pub(super) async fn join_stateless(
    State(host): State<Host>,
    Path(run): Path<RunUuid>,
    Query(query): Query<JoinQuery>,
) -> Result<Response, Problem> {
    joined(&host, (None, run.0), query.cancel_on_disconnect).await
}

/// Where a stream begins, by the header `Last-Event-ID`.
fn since(headers: &HeaderMap) -> Result<Since, Problem> {
    let Some(id) = headers.get("last-event-id").filter(|id| !id.is_empty()) else { return Ok(Since::Now) };
    let id: FrameId = id
        .to_str()
        .unwrap_or_default()
        .parse()
        .map_err(|error| Problem::unprocessable(format!("Invalid header `Last-Event-ID`: {error}")))?;
    Ok(Since::Frame(id))
}

async fn streamed(
    host: &Host,
    at: (Option<Uuid>, Uuid),
    query: StreamQuery,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let (thread, run) = (at.0.unwrap_or(at.1), at.1);
    let since = since(headers)?;
    let permit = host.guard.capacity().stream()?;
    let found = match host.manager.records().runs.get(thread, run).await.map_err(Refusal::from) {
        Ok(record) => Some(record),
        Err(Refusal::NotFound(_)) if at.0.is_none() => None,
        Err(error) => return Err(error.into()),
    };
    let log = host.manager.logs().open(thread).await.map_err(Refusal::from)?;
    if found.is_none() && log.last() == 0 {
        return Err(Problem::not_found(format!("Run with ID {run} not found")));
    }
    // Of a run without a thread that has ended there is only its log, which begins with it.
    let before = found.as_ref().map_or(0, |record| record.before);
    let asked = match &found {
        Some(record) => options_of(record),
        None => options_in(&log).await.map_err(|error| Refusal::Failed(error.to_string()))?,
    };
    let modes = given(query.stream_mode);
    let options = StreamOptions {
        modes: if modes.is_empty() { asked.modes } else { Modes::of(modes) },
        end: RunEndFrame::End,
        ..asked
    };
    let cancel = query.cancel_on_disconnect.then(|| CancelOnDrop::new(host, thread, run));
    let stream = RunStream::new(host, &log, run, before, options, since).or_cancel(cancel);
    Ok(located(events(&host.guard, permit, stream.frames()), at.0, run, "stream"))
}

pub(super) async fn stream(
    State(host): State<Host>,
    Path((thread, run)): Path<(ThreadUuid, RunUuid)>,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    streamed(&host, (Some(thread.0), run.0), query, &headers).await
}

pub(super) async fn stream_stateless(
    State(host): State<Host>,
    Path(run): Path<RunUuid>,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    streamed(&host, (None, run.0), query, &headers).await
}

/// An upgrade to a WebSocket on this path is one of the event streaming protocol.
pub(super) async fn stream_thread(
    State(host): State<Host>,
    Path(thread): Path<ThreadUuid>,
    Query(query): Query<ThreadStreamQuery>,
    headers: HeaderMap,
    caller: Caller,
    socket: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    if let Ok(socket) = socket {
        return Ok(upgrade(host, Ok(thread.0), caller, socket));
    }
    let since = since(&headers)?;
    host.manager.records().threads.get(thread.0).await.map_err(Refusal::from)?;
    let permit = host.guard.capacity().stream()?;
    let log = host.manager.logs().open(thread.0).await.map_err(Refusal::from)?;
    let modes: Vec<_> = given(query.stream_mode).into_iter().chain(given(query.stream_modes)).collect();
    let stream = ThreadStream::new(&host, &log, &modes, since).await?;
    Ok(events(&host.guard, permit, stream.frames()))
}
