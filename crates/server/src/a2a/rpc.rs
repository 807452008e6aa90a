//! Methods, and the form of errors.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::a2a::card::is_agent;
use crate::a2a::message::{self, SendMessage};
use crate::a2a::older;
use crate::a2a::stream::streamed;
use crate::a2a::task::{TaskId, find, task};
use crate::host::Host;
use crate::http::{Json, Path, Problem};
use crate::records::{Assistant, RunList};
use crate::refusal::Refusal;
use crate::runs::Cancel;

/// An error of a call.
pub(super) struct RpcError {
    code: i32,
    message: String,
}

impl RpcError {
    pub(super) fn params(message: impl Into<String>) -> Self {
        Self { code: -32602, message: message.into() }
    }

    pub(super) fn no_task(id: &str) -> Self {
        Self { code: -32001, message: format!("Task not found: {id}") }
    }
}

impl From<Problem> for RpcError {
    fn from(problem: Problem) -> Self {
        let code = if problem.status.is_server_error() { -32603 } else { -32602 };
        Self { code, message: problem.detail.into_owned() }
    }
}

impl From<Refusal> for RpcError {
    fn from(refusal: Refusal) -> Self {
        Problem::from(refusal).into()
    }
}

/// A refusal of the server in the form of the protocol.
pub(super) fn render(problem: &Problem) -> Value {
    let code = if problem.status.as_u16() == 422 { -32700 } else { -32600 };
    json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": problem.detail}})
}

/// A generation of the protocol: the names of methods tell which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    /// 1.0.
    New,
    /// 0.3.
    Old,
}

impl Generation {
    pub(super) fn form(self, result: Value) -> Value {
        match self {
            Self::New => result,
            Self::Old => older::form(result),
        }
    }
}

enum Method {
    Send,
    Stream,
    Get,
    List,
    Cancel,
    Subscribe,
}

fn method(name: &str) -> Option<(Method, Generation)> {
    use Generation::{New, Old};
    Some(match name {
        "SendMessage" => (Method::Send, New),
        "message/send" => (Method::Send, Old),
        "SendStreamingMessage" => (Method::Stream, New),
        "message/stream" => (Method::Stream, Old),
        "GetTask" => (Method::Get, New),
        "tasks/get" => (Method::Get, Old),
        "ListTasks" => (Method::List, New),
        "CancelTask" => (Method::Cancel, New),
        "tasks/cancel" => (Method::Cancel, Old),
        "SubscribeToTask" => (Method::Subscribe, New),
        "tasks/resubscribe" => (Method::Subscribe, Old),
        _ => return None,
    })
}

#[derive(Deserialize)]
struct TaskParams {
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListParams {
    #[serde(default)]
    context_id: Option<Uuid>,
    #[serde(default)]
    page_size: Option<usize>,
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, RpcError> {
    serde_path_to_error::deserialize(params)
        .map_err(|error| RpcError::params(format!("Invalid params at `{}`: {}", error.path(), error.inner())))
}

pub(super) async fn call(
    State(host): State<Host>,
    Path(id): Path<String>,
    Json(request): Json<Value>,
) -> Result<Response, Problem> {
    let assistant = host.assistant(&id).await?;
    if !is_agent(&host, &assistant) {
        return Err(Problem::not_found(format!("assistant {id} is no agent: its graph has no `messages`")));
    }
    let id = request.get("id").cloned().unwrap_or_default();
    Ok(match answer(&host, &assistant, request, &id).await {
        Ok(response) => response,
        Err(RpcError { code, message }) => {
            Json(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})).into_response()
        }
    })
}

async fn answer(host: &Host, assistant: &Assistant, mut request: Value, id: &Value) -> Result<Response, RpcError> {
    let invalid =
        || RpcError { code: -32600, message: "Invalid Request: a JSON-RPC 2.0 request has a `method`".to_owned() };
    let name = request.get("method").and_then(Value::as_str).ok_or_else(invalid)?.to_owned();
    let unknown = || RpcError { code: -32601, message: format!("Method not found: {name}") };
    let (method, generation) = method(&name).ok_or_else(unknown)?;
    let params = request.get_mut("params").map(Value::take).unwrap_or_default();
    let params = if params.is_null() { json!({}) } else { params };
    let whole =
        |result: Value| Json(json!({"jsonrpc": "2.0", "id": id, "result": generation.form(result)})).into_response();
    Ok(match method {
        Method::Send => {
            let send: SendMessage = read(params)?;
            let (task_id, submitted) = message::submit(host, assistant, &send).await?;
            if send.waits() {
                submitted.live.ended().await;
            }
            let task = task(host, task_id).await?;
            // In 1.0 the answer says which of the two it is.
            whole(if generation == Generation::New { json!({"task": task}) } else { task })
        }
        Method::Stream => {
            let send: SendMessage = read(params)?;
            let (task_id, submitted) = message::submit(host, assistant, &send).await?;
            streamed(host, task_id, submitted, generation, id.clone()).await?
        }
        Method::Get => {
            let TaskParams { id } = read(params)?;
            whole(task(host, TaskId::read(&id)?).await?)
        }
        Method::List => whole(list(host, read(params)?).await?),
        Method::Cancel => {
            let TaskParams { id } = read(params)?;
            let task_id = TaskId::read(&id)?;
            let run = find(host, task_id).await?;
            let live = host.manager.cancel(task_id.thread, run.run_id, Cancel::Interrupt).await.map_err(|_| {
                RpcError { code: -32002, message: format!("Task cannot be canceled: {id} is not under way") }
            })?;
            live.ended().await;
            whole(task(host, task_id).await?)
        }
        Method::Subscribe => {
            let TaskParams { id: task_id } = read(params)?;
            let task_id = TaskId::read(&task_id)?;
            let submitted = message::under_way(host, task_id).await?;
            streamed(host, task_id, submitted, generation, id.clone()).await?
        }
    })
}

/// The tasks of a context, newest first.
async fn list(host: &Host, params: ListParams) -> Result<Value, RpcError> {
    let context = params.context_id.ok_or_else(|| RpcError {
        code: -32004,
        message: "tasks are listed by context: give its `contextId`".to_owned(),
    })?;
    let list = RunList { limit: Some(params.page_size.unwrap_or(50)), ..RunList::default() };
    let listing = host.manager.records().runs.list(context, &list).await.map_err(Refusal::from)?;
    let mut tasks = Vec::new();
    for run in listing.items {
        let Some(run_id) = run["run_id"].as_str().and_then(|id| Uuid::try_parse(id).ok()) else { continue };
        if run["metadata"].get(super::task::TASK).is_none() {
            tasks.push(task(host, TaskId { thread: context, run: run_id }).await?);
        }
    }
    Ok(json!({"tasks": tasks, "totalSize": listing.total, "pageSize": tasks.len(), "nextPageToken": ""}))
}
