//! Assistants: graphs with a configuration, in versions.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::graph::Graph;
use crate::host::Host;
use crate::http::{AssistantUuid, Json, Path, Problem, Query, Routes};
use crate::langgraph::drawing;
use crate::langgraph::pages::{page, unfit};
use crate::langgraph::schemas::{assistant_schemas, subgraph_schemas};
use crate::records::{
    Assistant, AssistantCreate, AssistantPatch, AssistantSearch, RecordError, ThreadSearch, VersionSearch,
};
use crate::refusal::Refusal;

pub(super) fn routes() -> Routes<Host> {
    Routes::new("Assistants")
        .post("/assistants", "Creates an assistant", create)
        .post("/assistants/search", "The assistants that match", search)
        .post("/assistants/count", "How many assistants match", count)
        .answers::<usize>()
        .get("/assistants/{assistant_id}", "An assistant", show)
        .patch("/assistants/{assistant_id}", "Makes the next version of an assistant", patch)
        .delete("/assistants/{assistant_id}", "Deletes an assistant", delete)
        .answers_status(StatusCode::NO_CONTENT)
        .get("/assistants/{assistant_id}/graph", "The drawing of an assistant's graph", graph)
        .get("/assistants/{assistant_id}/schemas", "The schemas of an assistant's graph", schemas)
        .get("/assistants/{assistant_id}/subgraphs", "The schemas of the graphs inside", subgraphs)
        .get("/assistants/{assistant_id}/subgraphs/{namespace}", "The schemas of one graph inside", subgraph)
        .post("/assistants/{assistant_id}/versions", "The versions of an assistant, newest first", versions)
        .post("/assistants/{assistant_id}/latest", "Makes a version the current one", latest)
}

/// The wire says no more of an assistant that is not there.
fn found<T>(result: Result<T, RecordError>) -> Result<T, Problem> {
    result.map_err(|error| match error {
        RecordError::NotFound { what: "Assistant", .. } => Problem::not_found("Not Found"),
        other => other.into(),
    })
}

/// The graph of a name that a request has in `graph_id`.
pub(super) fn served<'h>(host: &'h Host, graph: &str) -> Result<&'h dyn Graph, Problem> {
    host.manager.graph(graph).map(|graph| &**graph).ok_or_else(|| {
        let graphs: Vec<_> = host.manager.graphs().keys().map(String::as_str).collect();
        Problem::unprocessable(format!("Graph '{graph}' not found. Expected one of: {}", graphs.join(", ")))
            .about("graph_id")
    })
}

/// An assistant by its id, or that of a graph by its name; and its graph.
pub(super) async fn assistant_and_graph<'h>(host: &'h Host, id: &str) -> Result<(Assistant, &'h dyn Graph), Problem> {
    if host.manager.graph(id).is_none() {
        crate::http::uuid_of("assistant", id)?;
    }
    let assistant = host.assistant(id).await.map_err(|refusal| match refusal {
        crate::refusal::Refusal::NotFound(_) => Problem::not_found("Not Found"),
        other => other.into(),
    })?;
    let graph = served(host, &assistant.graph_id)?;
    Ok((assistant, graph))
}

async fn create(State(host): State<Host>, Json(new): Json<AssistantCreate>) -> Result<Json<Value>, Problem> {
    served(&host, &new.graph_id)?;
    Ok(Json(host.manager.records().assistants.create(new).await?.wire()))
}

async fn search(State(host): State<Host>, Json(search): Json<Option<AssistantSearch>>) -> Result<Response, Problem> {
    let found = host.manager.records().assistants.search(&search.unwrap_or_default()).await;
    found.map(page).map_err(unfit)
}

async fn count(State(host): State<Host>, Json(search): Json<Option<AssistantSearch>>) -> Result<Json<usize>, Problem> {
    Ok(Json(host.manager.records().assistants.count(&search.unwrap_or_default()).await?))
}

async fn show(State(host): State<Host>, Path(id): Path<AssistantUuid>) -> Result<Json<Value>, Problem> {
    Ok(Json(found(host.manager.records().assistants.get(id.0).await)?.wire()))
}

async fn patch(
    State(host): State<Host>,
    Path(id): Path<AssistantUuid>,
    Json(patch): Json<AssistantPatch>,
) -> Result<Json<Value>, Problem> {
    if let Some(graph) = &patch.graph_id {
        served(&host, graph)?;
    }
    Ok(Json(found(host.manager.records().assistants.patch(id.0, &patch).await)?.wire()))
}

#[derive(Deserialize, JsonSchema)]
struct DeleteQuery {
    /// Whether the threads of the assistant go with it.
    #[serde(default)]
    delete_threads: bool,
}

async fn delete(
    State(host): State<Host>,
    Path(id): Path<AssistantUuid>,
    Query(query): Query<DeleteQuery>,
) -> Result<StatusCode, Problem> {
    let records = host.manager.records();
    found(records.assistants.get(id.0).await)?;
    if query.delete_threads {
        for thread in threads_of(&host, id.0).await? {
            match host.manager.delete_thread(thread).await {
                Ok(()) | Err(Refusal::NotFound(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    records.crons.delete_of_assistant(id.0).await?;
    found(records.assistants.delete(id.0).await)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The threads whose last run was of an assistant.
async fn threads_of(host: &Host, assistant: Uuid) -> Result<Vec<Uuid>, Problem> {
    let metadata = Map::from_iter([("assistant_id".to_owned(), assistant.to_string().into())]);
    let search = ThreadSearch { metadata: Some(metadata), ..ThreadSearch::default() };
    Ok(host.manager.records().threads.ids(&search).await?)
}

#[derive(Deserialize, JsonSchema)]
struct GraphQuery {
    /// How deep graphs inside are shown: `true` is all of them, a number so many levels.
    xray: Option<String>,
}

async fn graph(
    State(host): State<Host>,
    Path(id): Path<String>,
    Query(query): Query<GraphQuery>,
) -> Result<Json<Value>, Problem> {
    let depth = drawing::depth(query.xray.as_deref())?;
    let (_, graph) = assistant_and_graph(&host, &id).await?;
    Ok(Json(drawing::draw(&graph.outline().diagram, depth)))
}

async fn schemas(State(host): State<Host>, Path(id): Path<String>) -> Result<Json<Value>, Problem> {
    let (_, graph) = assistant_and_graph(&host, &id).await?;
    Ok(Json(assistant_schemas(graph.outline())))
}

#[derive(Deserialize, JsonSchema)]
struct SubgraphsQuery {
    /// Whether graphs inside of graphs inside are listed, too.
    #[serde(default)]
    recurse: bool,
}

async fn subgraphs(
    State(host): State<Host>,
    Path(id): Path<String>,
    Query(query): Query<SubgraphsQuery>,
) -> Result<Json<BTreeMap<String, Value>>, Problem> {
    let (_, graph) = assistant_and_graph(&host, &id).await?;
    Ok(Json(subgraph_schemas(graph.outline(), None, query.recurse)))
}

async fn subgraph(
    State(host): State<Host>,
    Path((id, namespace)): Path<(String, String)>,
    Query(query): Query<SubgraphsQuery>,
) -> Result<Json<BTreeMap<String, Value>>, Problem> {
    let (_, graph) = assistant_and_graph(&host, &id).await?;
    Ok(Json(subgraph_schemas(graph.outline(), Some(&namespace), query.recurse)))
}

async fn versions(
    State(host): State<Host>,
    Path(id): Path<AssistantUuid>,
    Json(search): Json<Option<VersionSearch>>,
) -> Result<Json<Vec<Value>>, Problem> {
    let versions = host.manager.records().assistants.versions(id.0, &search.unwrap_or_default()).await;
    match versions {
        Err(error @ RecordError::BadRequest(_)) => Err(unfit(error)),
        versions => Ok(Json(found(versions)?)),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Latest {
    /// The number of the version.
    version: u64,
}

async fn latest(
    State(host): State<Host>,
    Path(id): Path<AssistantUuid>,
    Json(latest): Json<Latest>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(found(host.manager.records().assistants.set_latest(id.0, latest.version).await)?.wire()))
}
