//! The wire of OpenAI: graphs with messages as models of chat completions and of responses.
//!
//! | what clients ask for | where |
//! | --- | --- |
//! | which models there are | `models.rs` |
//! | a chat completion, whole or as a stream | `chat.rs` |
//! | a response, which a later one continues | `responses.rs` |
//! | a run as somebody who speaks | `speech.rs` |
//! | the form of refusals | `mod.rs`, `render` |
//!
//! A question of the graph is what the model says, and the next turn of the same chat answers it.

mod chat;
mod models;
mod responses;
mod speech;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::chat::takes_messages;
use crate::host::Host;
use crate::http::{Problem, Routes};
use crate::records::Assistant;
use crate::refusal::Refusal;

/// All routes of the wire.
pub(crate) fn routes() -> Routes<Host> {
    Routes::new("OpenAI")
        .get("/v1/models", "Models: graphs and assistants that one can talk to", models::list)
        .get("/v1/models/{model}", "A model", models::get)
        .post("/v1/chat/completions", "A chat completion", chat::create)
        .post("/v1/responses", "A response", responses::create)
        .get("/v1/responses/{response}", "A response that was made before", responses::get)
        .problems_as(render)
}

/// A refusal in the form of the wire.
fn render(problem: &Problem) -> Value {
    let kind = match problem.status.as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        429 => "rate_limit_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    };
    json!({"error": {
        "message": problem.detail, "type": kind, "param": problem.param, "code": problem.code,
    }})
}

/// The assistant that a model names.
async fn assistant_of(host: &Host, model: &str) -> Result<Assistant, Problem> {
    let unknown = || {
        let detail = format!("The model `{model}` does not exist; `GET /v1/models` lists those that do");
        Problem::not_found(detail).with_code("model_not_found").about("model")
    };
    let assistant = host.assistant(model).await.map_err(|refusal| match refusal {
        Refusal::NotFound(_) | Refusal::Invalid(_) => unknown(),
        other => other.into(),
    })?;
    match host.manager.graph(&assistant.graph_id) {
        Some(graph) if takes_messages(&**graph) => Ok(assistant),
        _ => Err(unknown()),
    }
}

/// Ids that clients give for what is theirs, as ids of threads: the same for the same text.
fn thread_of(text: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("graphloom:openai:chat:{text}").as_bytes())
}
