//! Which models there are.

use axum::extract::State;
use serde_json::{Value, json};

use crate::chat::takes_messages;
use crate::host::Host;
use crate::http::{Json, Path, Problem};
use crate::openai::assistant_of;
use crate::records::{Assistant, AssistantSearch};

/// A model: an assistant by the name of its graph where it is the graph's own, and by its id where a client made it.
fn model(assistant: &Assistant) -> Value {
    let is_system = assistant.metadata.get("created_by").is_some_and(|by| by == "system");
    let id = if is_system { assistant.graph_id.clone() } else { assistant.assistant_id.to_string() };
    json!({
        "id": id,
        "object": "model",
        "created": assistant.created / 1000,
        "owned_by": "graphloom",
        "name": assistant.name,
    })
}

pub(super) async fn list(State(host): State<Host>) -> Result<Json<Value>, Problem> {
    let mut models = Vec::new();
    for assistant in host.manager.records().assistants.all(&AssistantSearch::default()).await? {
        if host.manager.graph(&assistant.graph_id).is_some_and(|graph| takes_messages(&**graph)) {
            models.push(model(&assistant));
        }
    }
    Ok(Json(json!({"object": "list", "data": models})))
}

pub(super) async fn get(State(host): State<Host>, Path(id): Path<String>) -> Result<Json<Value>, Problem> {
    Ok(Json(model(&assistant_of(&host, &id).await?)))
}
