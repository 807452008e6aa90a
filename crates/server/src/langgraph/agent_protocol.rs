//! The names of the Agent Protocol 0.1.6 for what LangGraph's wire has under others: agents are assistants, and runs are found
//! without their threads.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use uuid::Uuid;

use super::assistants::assistant_and_graph;
use super::pages::{page, unfit};
use super::runs::outcome_of;
use super::schemas::assistant_schemas;
use crate::chat::takes_messages;
use crate::host::Host;
use crate::http::{Json, Path, Problem, Routes, RunUuid, late_json};
use crate::records::{Assistant, AssistantSearch, RunRecord, RunSearch, RunStatus, timestamp};
use crate::refusal::Refusal;
use crate::runs::Cancel;

pub(super) fn routes() -> Routes<Host> {
    Routes::new("Agent Protocol")
        .post("/agents/search", "Agents by name and metadata", search)
        .get("/agents/{agent_id}", "An agent", show)
        .get("/agents/{agent_id}/schemas", "What an agent takes and gives", schemas)
        .post("/runs/search", "Runs by thread, agent, graph, status, metadata and text", search_runs)
        .get("/runs/{run_id}", "A run", show_run)
        .delete("/runs/{run_id}", "Deletes a run", delete_run)
        .answers_status(StatusCode::NO_CONTENT)
        .get("/runs/{run_id}/wait", "Waits for a run", wait)
}

fn agent(host: &Host, assistant: &Assistant) -> Value {
    let graph = host.manager.graph(&assistant.graph_id);
    json!({
        "agent_id": assistant.assistant_id,
        "name": assistant.name,
        "description": assistant.description.as_deref().unwrap_or_default(),
        "metadata": assistant.metadata,
        "capabilities": {
            "ap.io.messages": graph.is_some_and(|graph| takes_messages(&**graph)),
            "ap.io.streaming": true,
        },
    })
}

async fn search(State(host): State<Host>, Json(search): Json<Option<AssistantSearch>>) -> Result<Json<Value>, Problem> {
    let search = search.unwrap_or_default();
    let (offset, limit) = (search.offset.unwrap_or_default(), search.limit.unwrap_or(10));
    let all = host.manager.records().assistants.all(&search).await?;
    Ok(Json(all.iter().skip(offset).take(limit).map(|assistant| agent(&host, assistant)).collect()))
}

async fn show(State(host): State<Host>, Path(id): Path<String>) -> Result<Json<Value>, Problem> {
    let (assistant, _) = assistant_and_graph(&host, &id).await?;
    Ok(Json(agent(&host, &assistant)))
}

async fn schemas(State(host): State<Host>, Path(id): Path<String>) -> Result<Json<Value>, Problem> {
    let (assistant, graph) = assistant_and_graph(&host, &id).await?;
    let mut schemas = assistant_schemas(graph.outline());
    schemas["agent_id"] = json!(assistant.assistant_id);
    Ok(Json(schemas))
}

async fn search_runs(State(host): State<Host>, Json(search): Json<Option<RunSearch>>) -> Result<Response, Problem> {
    let mut found = host.manager.records().runs.search(&search.unwrap_or_default(), wire).await.map_err(unfit)?;
    for run in &mut found.items {
        add_usage_so_far(&host, run).await;
    }
    Ok(page(found))
}

/// A run that is under way is recorded without what it used of models so far.
async fn add_usage_so_far(host: &Host, run: &mut Value) {
    let id = |field: &str| run[field].as_str().and_then(|id| Uuid::parse_str(id).ok());
    let (true, Some(thread), Some(id)) = (run["status"] == json!(RunStatus::Running), id("thread_id"), id("run_id"))
    else {
        return;
    };
    if let Some(usage) = host.manager.usage_so_far(thread, id).await {
        run["usage"] = json!(usage.wire());
    }
}

/// A run as this protocol has it: an assistant is an agent. What the run did is added: its graph, when it was executed, how
/// many super-steps it committed, and what it used of models.
fn wire(run: &RunRecord) -> Value {
    let mut wire = run.wire();
    wire["agent_id"] = json!(run.assistant_id);
    wire["graph_id"] = json!(run.graph);
    wire["started_at"] = json!(run.started.map(timestamp));
    wire["ended_at"] = json!(run.ended.map(timestamp));
    wire["steps"] = json!(run.steps);
    wire["usage"] = json!(run.usage.wire());
    wire
}

async fn find(host: &Host, run: Uuid) -> Result<RunRecord, Problem> {
    let found = host.manager.records().runs.find(run).await?;
    found.ok_or_else(|| Problem::not_found("Not Found"))
}

async fn show_run(State(host): State<Host>, Path(run): Path<RunUuid>) -> Result<Json<Value>, Problem> {
    let mut run = wire(&find(&host, run.0).await?);
    add_usage_so_far(&host, &mut run).await;
    Ok(Json(run))
}

async fn delete_run(State(host): State<Host>, Path(run): Path<RunUuid>) -> Result<StatusCode, Problem> {
    let run = find(&host, run.0).await?;
    match host.manager.cancel(run.thread_id, run.run_id, Cancel::Interrupt).await {
        Ok(live) => drop(live.ended().await),
        Err(Refusal::NotFound(_)) => {}
        Err(error) => return Err(error.into()),
    }
    host.manager.records().runs.delete(run.thread_id, run.run_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The run and its values, when it has ended.
async fn wait(State(host): State<Host>, Path(run): Path<RunUuid>) -> Result<Response, Problem> {
    let record = find(&host, run.0).await?;
    let permit = host.guard.capacity().stream()?;
    Ok(late_json(async move {
        let _permit = permit;
        let answer = async {
            if let Some(live) = host.manager.live(record.thread_id, record.run_id).await? {
                live.ended().await;
            }
            let record = find(&host, record.run_id).await?;
            let values = outcome_of(&host, &record).await?;
            Ok::<_, Problem>(json!({"run": wire(&record), "values": values}))
        };
        answer.await.unwrap_or_else(|problem| json!({"__error__": {"error": "RunError", "message": problem.detail}}))
    }))
}
