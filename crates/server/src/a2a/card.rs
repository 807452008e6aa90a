//! The card of an agent: what it is, and how it is reached.

use axum::extract::State;
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::chat::takes_messages;
use crate::host::Host;
use crate::http::{Json, Path, Problem, Query};
use crate::records::{Assistant, AssistantSearch};

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CardQuery {
    /// A graph, or the id of an assistant; the first that one can talk to unless stated.
    #[serde(default)]
    assistant_id: Option<String>,
}

pub(super) async fn of_query(
    State(host): State<Host>,
    headers: HeaderMap,
    Query(query): Query<CardQuery>,
) -> Result<Json<Value>, Problem> {
    let assistant = match query.assistant_id {
        Some(id) => host.assistant(&id).await?,
        None => first(&host).await?,
    };
    card(&host, &headers, &assistant).map(Json)
}

pub(super) async fn of_path(
    State(host): State<Host>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    card(&host, &headers, &host.assistant(&id).await?).map(Json)
}

async fn first(host: &Host) -> Result<Assistant, Problem> {
    let all = host.manager.records().assistants.all(&AssistantSearch::default()).await?;
    let mut able = all.into_iter().filter(|assistant| is_agent(host, assistant));
    able.next().ok_or_else(|| Problem::not_found("no graph of this server has `messages`, which an agent needs"))
}

/// Whether an assistant can be an agent: others talk to it.
pub(super) fn is_agent(host: &Host, assistant: &Assistant) -> bool {
    host.manager.graph(&assistant.graph_id).is_some_and(|graph| takes_messages(&**graph))
}

fn card(host: &Host, headers: &HeaderMap, assistant: &Assistant) -> Result<Value, Problem> {
    if !is_agent(host, assistant) {
        let detail = format!("assistant {} is no agent: its graph has no `messages`", assistant.assistant_id);
        return Err(Problem::not_found(detail));
    }
    // The guard has checked the name.
    let at = headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    let url = format!("http://{at}/a2a/{}", assistant.assistant_id);
    let graph = host.manager.graph(&assistant.graph_id);
    let of_graph = graph.and_then(|graph| graph.outline().description.clone());
    let description = assistant.description.clone().or(of_graph);
    let description = description.unwrap_or_else(|| format!("The graph `{}`", assistant.graph_id));
    Ok(json!({
        "name": assistant.name,
        "description": description,
        "version": assistant.version.to_string(),
        "supportedInterfaces": [
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "0.3.0"},
        ],
        // What 0.3 reads.
        "url": url,
        "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0",
        "capabilities": {"streaming": true, "pushNotifications": false, "extendedAgentCard": false},
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": [{
            "id": assistant.graph_id, "name": assistant.name, "description": description,
            "tags": [assistant.graph_id],
        }],
    }))
}
