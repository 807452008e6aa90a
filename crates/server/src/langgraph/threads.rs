//! Threads: made, found, changed and deleted.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use graphloom_core_graph::{Clock, SystemClock};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::detached::detached;
use crate::host::Host;
use crate::http::{Json, Path, Problem, Query, Routes, ThreadUuid};
use crate::langgraph::pages::{page, unfit};
use crate::langgraph::supersteps::{Past, Superstep};
use crate::langgraph::{copies, pruning, storage, supersteps};
use crate::records::{IfExists, ThreadCreate, ThreadPatch, ThreadRecord, ThreadSearch, Ttl, TtlStrategy};

pub(super) fn routes() -> Routes<Host> {
    Routes::new("Threads")
        .post("/threads", "Creates a thread, with a past where one is given", create)
        .post("/threads/search", "The threads that match", search)
        .post("/threads/count", "How many threads match", count)
        .answers::<usize>()
        .post("/threads/prune", "Deletes threads, or what they were before", prune)
        .get("/threads/{thread_id}", "A thread", show)
        .patch("/threads/{thread_id}", "Changes a thread", patch)
        .delete("/threads/{thread_id}", "Deletes a thread", delete)
        .answers_status(StatusCode::NO_CONTENT)
        .post("/threads/{thread_id}/copy", "Copies a thread with its whole history", copy)
        .get("/threads/{thread_id}/storage", "How much of the store a thread takes", measure)
}

/// A thread to make.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct NewThread {
    /// The id, a new one unless set.
    thread_id: Option<Uuid>,
    metadata: Option<Map<String, Value>>,
    /// What happens when there is one of this id.
    if_exists: Option<IfExists>,
    /// How long it is kept.
    ttl: Option<Ttl>,
    /// What has happened on it.
    supersteps: Option<Vec<Superstep>>,
}

async fn create(State(host): State<Host>, Json(new): Json<Option<NewThread>>) -> Result<Json<Value>, Problem> {
    let NewThread { thread_id, metadata, if_exists, ttl, supersteps } = new.unwrap_or_default();
    let past = match supersteps.filter(|steps| !steps.is_empty()) {
        Some(steps) => Some(supersteps::check(&host, metadata.as_ref(), steps)?),
        None => None,
    };
    let threads = &host.manager.records().threads;
    let new = ThreadCreate { thread_id, metadata, if_exists, ttl };
    let Some(past) = past else { return Ok(Json(threads.create(new).await.map_err(unfit)?.wire())) };
    let host = host.clone();
    let made = detached(async move { create_with(&host, new, past).await });
    Ok(Json(made.await?.wire()))
}

/// Creates a thread that is seen when its past is complete.
async fn create_with(host: &Host, new: ThreadCreate, past: Past) -> Result<ThreadRecord, Problem> {
    let thread = host.manager.records().threads.create_hidden(new).await.map_err(unfit)?;
    if thread.hidden.is_none() {
        // It was there before, and has a past of its own.
        return Ok(thread);
    }
    match past.write(host, thread.thread_id).await {
        Ok(thread) => Ok(thread),
        Err(problem) => {
            host.manager.delete_thread(thread.thread_id).await?;
            Err(problem)
        }
    }
}

async fn search(State(host): State<Host>, Json(search): Json<Option<ThreadSearch>>) -> Result<Response, Problem> {
    let found = host.manager.records().threads.search(&search.unwrap_or_default()).await;
    found.map(page).map_err(unfit)
}

async fn count(State(host): State<Host>, Json(search): Json<Option<ThreadSearch>>) -> Result<Json<usize>, Problem> {
    Ok(Json(host.manager.records().threads.count(&search.unwrap_or_default()).await?))
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ShowQuery {
    /// What is added: `ttl`.
    include: Vec<String>,
}

async fn show(
    State(host): State<Host>,
    Path(id): Path<ThreadUuid>,
    Query(query): Query<ShowQuery>,
) -> Result<Json<Value>, Problem> {
    let thread = host.manager.records().threads.get(id.0).await?;
    let with_ttl = query.include.iter().flat_map(|list| list.split(',')).any(|part| part.trim() == "ttl");
    Ok(Json(if with_ttl { thread.wire_with_ttl() } else { thread.wire() }))
}

async fn patch(
    State(host): State<Host>,
    Path(id): Path<ThreadUuid>,
    headers: HeaderMap,
    Json(patch): Json<ThreadPatch>,
) -> Result<Response, Problem> {
    let thread = host.manager.records().threads.patch(id.0, &patch).await.map_err(unfit)?;
    let preferences = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let is_minimal =
        preferences.flat_map(|list| list.split(',')).any(|one| one.trim().eq_ignore_ascii_case("return=minimal"));
    Ok(if is_minimal { StatusCode::NO_CONTENT.into_response() } else { Json(thread.wire()).into_response() })
}

async fn delete(State(host): State<Host>, Path(id): Path<ThreadUuid>) -> Result<StatusCode, Problem> {
    host.manager.delete_thread(id.0).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn copy(State(host): State<Host>, Path(id): Path<ThreadUuid>) -> Result<Json<Value>, Problem> {
    let copy: ThreadRecord = detached(async move { copies::copy(&host, id.0).await }).await?;
    Ok(Json(copy.wire()))
}

/// Threads to prune.
#[derive(Deserialize, JsonSchema)]
struct Prune {
    thread_ids: Vec<Uuid>,
    /// `delete`, which is the default, or `keep_latest`.
    #[serde(default)]
    strategy: TtlStrategy,
}

async fn prune(State(host): State<Host>, Json(prune): Json<Prune>) -> Result<Json<Value>, Problem> {
    let mut ids = prune.thread_ids;
    ids.sort_unstable();
    ids.dedup();
    let mut count = 0;
    for id in ids {
        count += usize::from(pruning::prune(&host, id, prune.strategy, SystemClock.now()).await?);
    }
    Ok(Json(json!({ "pruned_count": count })))
}

async fn measure(State(host): State<Host>, Path(id): Path<ThreadUuid>) -> Result<Json<Value>, Problem> {
    host.manager.records().threads.get(id.0).await?;
    Ok(Json(storage::measure(&*host.manager.stores().checkpoints, id.0).await?))
}
