//! What the state of a thread was before.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::host::Host;
use crate::http::{Json, Path, Problem, Query, Routes, ThreadUuid, uuid_of};
use crate::langgraph::state::{CheckpointName, graph_of};
use crate::langgraph::wire::{Select, ThreadStates, Wanted};
use crate::records::MAX_LIMIT;

pub(super) fn routes() -> Routes<Host> {
    Routes::new("Threads")
        .get("/threads/{thread_id}/history", "The newest states of a thread, newest first", list)
        .post("/threads/{thread_id}/history", "The states of a thread that match, newest first", search)
}

/// The states that a client asks for.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct HistorySearch {
    /// At most so many; 1 unless set.
    limit: Option<usize>,
    /// Only those before a checkpoint.
    before: Option<Before>,
    /// What their metadata contain.
    metadata: Option<Map<String, Value>>,
    /// Only the one of this checkpoint; those of the graph inside that it names without an id.
    checkpoint: Option<CheckpointName>,
    /// The parts that are answered; all unless set.
    select: Option<Vec<String>>,
}

/// A checkpoint in one of the forms that clients send.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Before {
    Id(String),
    Config { configurable: CheckpointName },
    Checkpoint(CheckpointName),
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct HistoryQuery {
    /// At most so many; 10 unless set.
    limit: Option<usize>,
    /// Only those before the checkpoint of this id.
    before: Option<String>,
    /// The parts that are answered; all unless set.
    select: Option<Vec<String>>,
}

async fn list(
    State(host): State<Host>,
    Path(id): Path<ThreadUuid>,
    Query(query): Query<HistoryQuery>,
) -> Result<Json<Vec<Value>>, Problem> {
    let HistoryQuery { limit, before, select } = query;
    let search =
        HistorySearch { limit: limit.or(Some(10)), before: before.map(Before::Id), select, ..HistorySearch::default() };
    found(&host, id.0, search).await
}

async fn search(
    State(host): State<Host>,
    Path(id): Path<ThreadUuid>,
    Json(search): Json<Option<HistorySearch>>,
) -> Result<Json<Vec<Value>>, Problem> {
    found(&host, id.0, search.unwrap_or_default()).await
}

async fn found(host: &Host, id: Uuid, search: HistorySearch) -> Result<Json<Vec<Value>>, Problem> {
    let select = Select::new(search.select)?;
    let limit = search.limit.unwrap_or(1);
    if limit > MAX_LIMIT {
        let detail = format!("`limit` is {limit}, at most {MAX_LIMIT} are answered");
        return Err(Problem::unprocessable(detail).about("limit"));
    }
    let before = match search.before {
        Some(Before::Id(id)) => Some(uuid_of("checkpoint", &id)?),
        Some(Before::Config { configurable: checkpoint } | Before::Checkpoint(checkpoint)) => checkpoint.id()?,
        None => None,
    };
    let of = search.checkpoint.unwrap_or_default();
    let wanted = match of.id()? {
        Some(id) => Wanted::At { id, with_subgraphs: false },
        None => Wanted::Before { before, metadata: search.metadata.as_ref(), limit },
    };
    let thread = host.manager.records().threads.get(id).await?;
    let graph = match graph_of(host, &thread) {
        Ok(graph) => graph,
        // Nothing has run on it.
        Err(_) if thread.graph.is_none() => return Ok(Json(Vec::new())),
        Err(problem) => return Err(problem),
    };
    let states = ThreadStates::new(host, graph, &thread).await?;
    let found = states.find(of.ns(), wanted).await?;
    Ok(Json(found.into_iter().map(|state| select.of(state)).collect()))
}
