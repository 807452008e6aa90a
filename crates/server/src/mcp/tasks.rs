//! A long run is a task: the client asks how far it is, answers its questions, and cancels it, without a request that is
//! open meanwhile (the extension `io.modelcontextprotocol/tasks`).
//!
//! A task is a thread that a call made, and is named by its id. What is said of it is read from the thread and its newest
//! run, so it is there after the server was started anew, and as long as the thread is.

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, DetailedTask, ErrorData, InputResponses, JsonObject, Task, TaskPayload, TaskStatus};
use rmcp::service::RequestContext;
use serde_json::Value;
use uuid::Uuid;

use crate::chat;
use crate::host::Host;
use crate::mcp::ask::{Replies, replies, requests, shows_forms};
use crate::mcp::call::resume;
use crate::mcp::outcome;
use crate::mcp::thread::{self, Closed};
use crate::records::{ThreadRecord, timestamp};
use crate::refusal::Refusal;
use crate::runs::Cancel;

/// How often a client may ask, in milliseconds.
const POLL: u64 = 500;

/// How many of a run's newest events are looked at for what it told last.
const NEWEST: u64 = 64;

/// The task of a thread whose run is under way.
pub(super) fn working(record: &ThreadRecord) -> Task {
    let (created, updated) = (timestamp(record.created), timestamp(record.updated));
    Task::new(record.thread_id.to_string(), TaskStatus::Working, created, updated).with_poll_interval_ms(POLL)
}

/// How far a task is.
///
/// # Errors
/// An unknown task; the store's.
pub(super) async fn get(
    host: &Host,
    task: &str,
    context: &RequestContext<RoleServer>,
) -> Result<DetailedTask, ErrorData> {
    let record = find(host, task).await?;
    let payload = payload(host, &record, shows_forms(context)).await.map_err(internal)?;
    let mut task = working(&record);
    if matches!(payload, TaskPayload::Working) {
        task.status_message = newest_progress(host, record.thread_id).await;
    }
    Ok(DetailedTask::new(task, payload))
}

/// What a run told last, of its newest events.
async fn newest_progress(host: &Host, thread: Uuid) -> Option<String> {
    let log = host.manager.logs().open(thread).await.ok()?;
    let mut tail = log.after(log.last().saturating_sub(NEWEST));
    let mut newest = None;
    while let Ok(Some(entry)) = tail.ready().await {
        newest = chat::progress(&entry).or(newest);
    }
    newest
}

async fn payload(host: &Host, record: &ThreadRecord, with_forms: bool) -> Result<TaskPayload, Refusal> {
    let id = record.thread_id;
    let runs = host.manager.records().runs.of_thread(id).await?;
    if runs.iter().any(|run| !run.status.is_final()) {
        return Ok(TaskPayload::Working);
    }
    let (_, graph) = thread::assistant(host, id).await?;
    let ending = thread::ending(record, &*graph).await?;
    let (interrupts, values) = (ending.interrupts.as_slice(), ending.values.as_ref());
    Ok(match thread::closed(record) {
        Some(Closed::Cancelled) => TaskPayload::Cancelled,
        _ if interrupts.is_empty() || ending.failure.is_some() => completed(&outcome::result(id, &ending)),
        Some(Closed::Unanswered) => completed(&outcome::unanswered(id, "would not answer", interrupts, values)),
        None if with_forms => TaskPayload::InputRequired { input_requests: requests(interrupts) },
        None => completed(&outcome::asked(id, interrupts, values)),
    })
}

fn completed(result: &CallToolResult) -> TaskPayload {
    let result: JsonObject = match serde_json::to_value(result) {
        Ok(Value::Object(result)) => result,
        _ => JsonObject::new(),
    };
    TaskPayload::Completed { result }
}

/// Answers questions of a task. What answers no open question is left out.
///
/// # Errors
/// An unknown task; the store's.
pub(super) async fn update(host: &Host, task: &str, responses: &InputResponses) -> Result<(), ErrorData> {
    let record = find(host, task).await?;
    answer(host, &record, responses).await.map_err(internal)
}

async fn answer(host: &Host, record: &ThreadRecord, responses: &InputResponses) -> Result<(), Refusal> {
    if host.manager.is_busy(record.thread_id).await? || thread::closed(record).is_some() {
        return Ok(());
    }
    let (assistant, graph) = thread::assistant(host, record.thread_id).await?;
    let ending = thread::ending(record, &*graph).await?;
    match replies(&ending.interrupts, responses) {
        Replies::Answers(answers) => resume(host, record.thread_id, &assistant, answers).await.map(drop),
        Replies::Unanswered(_) => thread::close(host, record.thread_id, Some(Closed::Unanswered)).await,
        Replies::None => Ok(()),
    }
}

/// Cancels a task that is not done.
///
/// # Errors
/// An unknown task; the store's.
pub(super) async fn cancel(host: &Host, task: &str) -> Result<(), ErrorData> {
    let record = find(host, task).await?;
    let is_waiting = async || {
        let (_, graph) = thread::assistant(host, record.thread_id).await?;
        Ok::<_, Refusal>(!thread::ending(&record, &*graph).await?.interrupts.is_empty())
    };
    let is_busy = host.manager.is_busy(record.thread_id).await.map_err(internal)?;
    if !is_busy && !is_waiting().await.map_err(internal)? {
        return Ok(());
    }
    host.manager.cancel_all(record.thread_id, Cancel::Interrupt).await.map_err(internal)?;
    thread::close(host, record.thread_id, Some(Closed::Cancelled)).await.map_err(internal)
}

/// The thread of a task.
async fn find(host: &Host, task: &str) -> Result<ThreadRecord, ErrorData> {
    let unknown = || {
        let task: String = task.chars().take(100).collect();
        ErrorData::invalid_params(format!("Unknown task: {task}"), None)
    };
    let id = Uuid::try_parse(task).map_err(|_| unknown())?;
    match thread::get(host, id).await {
        Ok(record) if thread::is_of_a_call(&record) => Ok(record),
        Ok(_) | Err(Refusal::NotFound(_)) => Err(unknown()),
        Err(refusal) => Err(internal(refusal)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where errors are mapped")]
fn internal(refusal: Refusal) -> ErrorData {
    tracing::error!(%refusal, "a task cannot be looked at");
    ErrorData::internal_error("the server failed; its log says why", None)
}
