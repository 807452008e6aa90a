//! A run is made, and answered at once, at its end, or bit by bit.

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_LOCATION, LOCATION, WARNING};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::stream::{CancelOnDrop, FrameId, RunStream, Since};
use super::body::{ParsedRun, RunBody};
use super::outcome;
use crate::host::Host;
use crate::http::{Json, Path, Problem, ThreadUuid, events, late_json};
use crate::records::RunStatus;
use crate::runs::Submitted;

/// Where a run is found.
pub(super) fn location(thread: Option<Uuid>, run: Uuid) -> String {
    match thread {
        Some(thread) => format!("/threads/{thread}/runs/{run}"),
        None => format!("/runs/{run}"),
    }
}

/// Says in an answer where its run is, and where it can be taken up.
pub(super) fn located(mut response: Response, thread: Option<Uuid>, run: Uuid, again: &str) -> Response {
    let run = location(thread, run);
    let value = |text: String| HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("/"));
    let headers = response.headers_mut();
    headers.insert(LOCATION, value(format!("{run}/{again}")));
    headers.insert(CONTENT_LOCATION, value(run));
    response
}

/// Submits a run that was parsed.
pub(in crate::langgraph) async fn submit(
    host: &Host,
    thread: Option<Uuid>,
    parsed: ParsedRun,
) -> Result<Submitted, Problem> {
    let ParsedRun { assistant, order, options, creates_thread, warning: _ } = parsed;
    if let (Some(thread), true) = (thread, creates_thread) {
        host.ensure_thread(thread).await?;
    }
    Ok(host.submit(thread, &assistant, order, options).await?)
}

/// A run that was accepted, and what a client is told of its request.
async fn accept(host: &Host, thread: Option<Uuid>, body: RunBody) -> Result<(Submitted, Option<String>), Problem> {
    let parsed = body.parse(host, thread).await?;
    let warning = parsed.warning.clone();
    Ok((submit(host, thread, parsed).await?, warning))
}

/// Says in an answer what of the request does not count (RFC 7234 §5.5.7).
fn warned(mut response: Response, warning: Option<String>) -> Response {
    let value = warning.map(|text| format!("299 - \"{}\"", text.escape_default()));
    if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
        response.headers_mut().insert(WARNING, value);
    }
    response
}

/// A run as it is answered to whoever made it: it is pending, however soon it begins.
fn wire(submitted: &Submitted) -> Value {
    let mut wire = submitted.record.wire();
    wire["status"] = json!(RunStatus::Pending);
    wire
}

async fn create(host: &Host, thread: Option<Uuid>, body: RunBody) -> Result<Response, Problem> {
    let (submitted, warning) = accept(host, thread, body).await?;
    let mut response = Json(wire(&submitted)).into_response();
    let location = location(thread, submitted.record.run_id);
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(CONTENT_LOCATION, location);
    }
    Ok(warned(response, warning))
}

async fn stream(host: &Host, thread: Option<Uuid>, body: RunBody) -> Result<Response, Problem> {
    let permit = host.guard.capacity().stream()?;
    let (options, ends) = (body.stream_options(), body.ends_with_client());
    let (Submitted { record, log, before, .. }, warning) = accept(host, thread, body).await?;
    let (of, run) = (record.thread_id, record.run_id);
    let stream = RunStream::new(host, &log, run, before, options, Since::Frame(FrameId::START))
        .or_cancel(ends.then(|| CancelOnDrop::new(host, of, run)));
    Ok(warned(located(events(&host.guard, permit, stream.frames()), thread, run, "stream"), warning))
}

async fn wait(host: &Host, thread: Option<Uuid>, body: RunBody) -> Result<Response, Problem> {
    let permit = host.guard.capacity().stream()?;
    let ends = body.ends_with_client();
    let (Submitted { record, live, .. }, warning) = accept(host, thread, body).await?;
    let (of, run) = (record.thread_id, record.run_id);
    let on_drop = ends.then(|| CancelOnDrop::new(host, of, run));
    let answer = async move {
        let outcome = outcome::of_live(&live, on_drop).await;
        drop(permit);
        outcome
    };
    Ok(warned(located(late_json(answer), thread, run, "join"), warning))
}

pub(super) async fn on_thread(
    State(host): State<Host>,
    Path(thread): Path<ThreadUuid>,
    Json(body): Json<RunBody>,
) -> Result<Response, Problem> {
    create(&host, Some(thread.0), body).await
}

pub(super) async fn stream_on_thread(
    State(host): State<Host>,
    Path(thread): Path<ThreadUuid>,
    Json(body): Json<RunBody>,
) -> Result<Response, Problem> {
    stream(&host, Some(thread.0), body).await
}

pub(super) async fn wait_on_thread(
    State(host): State<Host>,
    Path(thread): Path<ThreadUuid>,
    Json(body): Json<RunBody>,
) -> Result<Response, Problem> {
    wait(&host, Some(thread.0), body).await
}

pub(super) async fn stateless(State(host): State<Host>, Json(body): Json<RunBody>) -> Result<Response, Problem> {
    create(&host, None, body).await
}

pub(super) async fn stream_stateless(State(host): State<Host>, Json(body): Json<RunBody>) -> Result<Response, Problem> {
    stream(&host, None, body).await
}

pub(super) async fn wait_stateless(State(host): State<Host>, Json(body): Json<RunBody>) -> Result<Response, Problem> {
    wait(&host, None, body).await
}

/// Runs without threads. All of them are looked at before the first one begins.
pub(super) async fn batch(
    State(host): State<Host>,
    Json(bodies): Json<Vec<RunBody>>,
) -> Result<Json<Vec<Value>>, Problem> {
    let mut parsed = Vec::with_capacity(bodies.len());
    for body in bodies {
        parsed.push(body.parse(&host, None).await?);
    }
    let mut made = Vec::with_capacity(parsed.len());
    for run in parsed {
        made.push(wire(&submit(&host, None, run).await?));
    }
    Ok(Json(made))
}
