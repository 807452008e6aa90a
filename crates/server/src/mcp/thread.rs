//! How a thread stands between two runs.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::graph::{Fields, Graph};
use crate::host::Host;
use crate::records::{Assistant, RunStatus, ThreadCreate, ThreadPatch, ThreadRecord, ThreadStatus};
use crate::refusal::Refusal;
use crate::runs::{Ending, interrupts};

/// The key in a thread's metadata that names the tool whose call made the thread.
const TOOL: &str = "mcp_tool";

/// The key in a thread's metadata that says that nobody goes on with it, and why.
const CLOSED: &str = "mcp_closed";

/// Why nobody goes on with a thread that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// The client cancelled the call.
    Cancelled,
    /// The user would not answer.
    Unanswered,
}

/// Makes the thread of a call.
///
/// # Errors
/// The store's.
pub(super) async fn create(host: &Host, tool: &str) -> Result<Uuid, Refusal> {
    let metadata = Some(Map::from_iter([(TOOL.to_owned(), json!(tool))]));
    let new = ThreadCreate { metadata, ..ThreadCreate::default() };
    Ok(host.manager.records().threads.create(new).await?.thread_id)
}

/// The thread of an id.
///
/// # Errors
/// [`Refusal::NotFound`]; the store's.
pub(super) async fn get(host: &Host, thread: Uuid) -> Result<ThreadRecord, Refusal> {
    Ok(host.manager.records().threads.get(thread).await?)
}

/// The assistant that ran last on a thread, and its graph.
///
/// # Errors
/// [`Refusal::NotFound`] where no run was, or the assistant is gone; the store's.
pub(super) async fn assistant(host: &Host, thread: Uuid) -> Result<(Assistant, Arc<dyn Graph>), Refusal> {
    let runs = host.manager.records().runs.of_thread(thread).await?;
    let last = runs.last().ok_or_else(|| Refusal::NotFound(format!("Thread {thread} has no run")))?;
    let assistant = host.manager.records().assistants.get(last.assistant_id).await?;
    let graph = host.manager.graph(&assistant.graph_id);
    let graph = graph.ok_or_else(|| Refusal::NotFound(format!("Graph `{}` is not served", assistant.graph_id)))?;
    Ok((assistant, Arc::clone(graph)))
}

/// How a thread stands, as its last run left it.
///
/// # Errors
/// The store's.
pub(super) async fn ending(record: &ThreadRecord, graph: &dyn Graph) -> Result<Ending, Refusal> {
    let id = record.thread_id.to_string();
    let view = graph.view(&id, None).await.map_err(|error| Refusal::Failed(error.to_string()))?;
    let interrupts = interrupts(&id, &view);
    let status = match record.status {
        ThreadStatus::Error => RunStatus::Error,
        ThreadStatus::Interrupted if interrupts.is_empty() => RunStatus::Interrupted,
        _ => RunStatus::Success,
    };
    let values: Option<Fields> = view.checkpoint.is_some().then_some(view.values);
    Ok(Ending { status, stands: record.status, values, interrupts, failure: record.error.clone(), is_unread: false })
}

/// Whether a call made the thread.
pub(super) fn is_of_a_call(record: &ThreadRecord) -> bool {
    record.metadata.contains_key(TOOL)
}

/// Why nobody goes on with a thread, if so.
pub(super) fn closed(record: &ThreadRecord) -> Option<Closed> {
    match record.metadata.get(CLOSED)?.as_str()? {
        "cancelled" => Some(Closed::Cancelled),
        "unanswered" => Some(Closed::Unanswered),
        _ => None,
    }
}

/// Records that nobody goes on with a thread, or that somebody does.
///
/// # Errors
/// [`Refusal::NotFound`]; the store's.
pub(super) async fn close(host: &Host, thread: Uuid, why: Option<Closed>) -> Result<(), Refusal> {
    let why = match why {
        Some(Closed::Cancelled) => json!("cancelled"),
        Some(Closed::Unanswered) => json!("unanswered"),
        None => Value::Null,
    };
    let patch = ThreadPatch { metadata: Some(Map::from_iter([(CLOSED.to_owned(), why)])), ..ThreadPatch::default() };
    host.manager.records().threads.patch(thread, &patch).await?;
    Ok(())
}
