//! Whether the server runs, and what it can do.

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::host::Host;
use crate::http::{Json, Problem, Query, Routes};

pub(super) fn routes() -> Routes<Host> {
    Routes::new("Server")
        .get("/", "Whether the server runs", ok)
        .open()
        .get("/ok", "Whether the server runs", ok)
        .open()
        .get("/info", "What the server is and can do", info)
        .open()
        .get("/docs", "A page with the routes of the server", docs)
        .answers_media("text/html")
        .open()
}

#[derive(Deserialize, JsonSchema)]
struct OkQuery {
    /// Whether the stores are asked, too.
    #[serde(default)]
    check_db: bool,
}

async fn ok(State(host): State<Host>, Query(query): Query<OkQuery>) -> Result<Json<Value>, Problem> {
    if query.check_db {
        host.check_stores().await?;
    }
    Ok(Json(json!({ "ok": true, "services": {} })))
}

/// The names are those of the wire; `strict_resume` says that an answer to an unknown question is refused.
async fn info(State(host): State<Host>) -> Json<Value> {
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "langgraph_py_version": null,
        "flags": {
            "assistants": true,
            "crons": true,
            "strict_resume": true,
            "langsmith": false,
            "langsmith_tracing_replicas": false,
        },
        "host": {
            "kind": "graphloom",
            "project_id": null,
            "revision_id": null,
            "tenant_id": null,
            "graphs": host.manager.graphs().keys().collect::<Vec<_>>(),
        },
    }))
}

/// A page without any script: it leads to the document and lists what it says.
async fn docs() -> Response {
    let page = include_str!("docs.html");
    ([(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"))], page).into_response()
}
