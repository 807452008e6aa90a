//! The state of a thread, and edits of it.

use axum::extract::State;
use graphloom_core_graph::checkpoint::{Source, ThreadStatus as Standing};
use graphloom_core_graph::{Clock, EventKind, SystemClock};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::graph::{Fields, Graph, Position, View};
use crate::host::Host;
use crate::http::{CheckpointUuid, Json, Path, Problem, Query, Routes, Scope, ThreadUuid, uuid_of};
use crate::langgraph::wire::{Select, ThreadStates, Wanted, checkpoint, empty_state};
use crate::records::{ThreadPatch, ThreadRecord, ThreadStatus};
use crate::runs::{interrupts, pending};

pub(super) fn routes() -> Routes<Host> {
    Routes::new("Threads")
        .get("/threads/{thread_id}/state", "The state of a thread", show)
        .post("/threads/{thread_id}/state", "Commits an update of the state", update)
        .patch("/threads/{thread_id}/state", "Changes the metadata of a thread", patch)
        .post("/threads/{thread_id}/state/checkpoint", "The state at a checkpoint", show_at_checkpoint)
        .needs(Scope::Read)
        .get("/threads/{thread_id}/state/{checkpoint_id}", "The state at a checkpoint", show_at)
}

/// A checkpoint as clients name it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct CheckpointName {
    pub(super) checkpoint_id: Option<String>,
    /// The graph inside whose checkpoint it is; empty for the root graph.
    pub(super) checkpoint_ns: Option<String>,
}

impl CheckpointName {
    /// The id of a checkpoint, where one is named.
    ///
    /// # Errors
    /// 422 for an id that is none.
    pub(super) fn id(&self) -> Result<Option<Uuid>, Problem> {
        self.checkpoint_id.as_deref().map(|id| uuid_of("checkpoint", id)).transpose()
    }

    /// The namespace of the graph whose checkpoint it is; empty for the root graph.
    pub(crate) fn ns(&self) -> &str {
        self.checkpoint_ns.as_deref().unwrap_or_default()
    }
}

/// The name of the graph whose checkpoints a thread has, or is to have.
fn graph_name(thread: &ThreadRecord) -> Option<&str> {
    thread.graph.as_deref().or_else(|| thread.metadata.get("graph_id")?.as_str())
}

/// The graph of a thread.
///
/// # Errors
/// 400 for a thread without one, or whose graph is not served here.
pub(super) fn graph_of<'h>(host: &'h Host, thread: &ThreadRecord) -> Result<&'h dyn Graph, Problem> {
    let id = thread.thread_id;
    let Some(name) = graph_name(thread) else {
        let detail = format!(
            "Thread '{id}' has no assigned graph ID: no run was made on it; run an assistant on it, or set `graph_id` in its metadata"
        );
        return Err(Problem::bad_request(detail));
    };
    host.manager.graph(name).map(|graph| &**graph).ok_or_else(|| {
        let graphs: Vec<_> = host.manager.graphs().keys().map(String::as_str).collect();
        let graphs = graphs.join(", ");
        Problem::bad_request(format!("Thread '{id}' is of the graph '{name}', which is not served here: {graphs}"))
    })
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct StateQuery {
    /// Whether the states of graphs inside are shown.
    subgraphs: bool,
    /// The parts that are answered, such as `next` or `values.count`; all unless set.
    select: Option<Vec<String>>,
}

/// The state of a thread, at a checkpoint where one is named, or of a graph inside of it.
async fn state(host: &Host, id: Uuid, at: &CheckpointName, query: StateQuery) -> Result<Json<Value>, Problem> {
    let StateQuery { subgraphs: with_subgraphs, select } = query;
    let select = Select::new(select)?;
    let wanted = match at.id()? {
        Some(id) => Wanted::At { id, with_subgraphs },
        None => Wanted::Newest { with_subgraphs },
    };
    let thread = host.manager.records().threads.get(id).await?;
    if graph_name(&thread).is_none() && matches!(wanted, Wanted::Newest { .. }) && at.ns().is_empty() {
        return Ok(Json(select.of(empty_state())));
    }
    let states = ThreadStates::new(host, graph_of(host, &thread)?, &thread).await?;
    let found = states.find(at.ns(), wanted).await?;
    Ok(Json(select.of(found.into_iter().next().unwrap_or_else(empty_state))))
}

/// The graph of a thread, and the values of a state of it.
///
/// # Errors
/// 400 for a thread without a graph, 404 for what is not there; the store's.
pub(crate) async fn values_at<'h>(
    host: &'h Host,
    thread: Uuid,
    at: &CheckpointName,
) -> Result<(&'h dyn Graph, Value), Problem> {
    let record = host.manager.records().threads.get(thread).await?;
    let graph = graph_of(host, &record)?;
    let query = StateQuery { subgraphs: false, select: Some(vec!["values".to_owned()]) };
    let Json(mut state) = state(host, thread, at, query).await?;
    Ok((graph, state["values"].take()))
}

async fn show(
    State(host): State<Host>,
    Path(id): Path<ThreadUuid>,
    Query(query): Query<StateQuery>,
) -> Result<Json<Value>, Problem> {
    state(&host, id.0, &CheckpointName::default(), query).await
}

async fn show_at(
    State(host): State<Host>,
    Path((id, at)): Path<(ThreadUuid, CheckpointUuid)>,
    Query(query): Query<StateQuery>,
) -> Result<Json<Value>, Problem> {
    let at = CheckpointName { checkpoint_id: Some(at.0.to_string()), checkpoint_ns: None };
    state(&host, id.0, &at, query).await
}

#[derive(Deserialize, JsonSchema)]
struct StateAt {
    checkpoint: CheckpointName,
    #[serde(default)]
    subgraphs: bool,
    #[serde(default)]
    select: Option<Vec<String>>,
}

async fn show_at_checkpoint(
    State(host): State<Host>,
    Path(id): Path<ThreadUuid>,
    Json(body): Json<StateAt>,
) -> Result<Json<Value>, Problem> {
    let StateAt { checkpoint, subgraphs, select } = body;
    state(&host, id.0, &checkpoint, StateQuery { subgraphs, select }).await
}

/// An update of the state.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct StateUpdate {
    /// An object of fields; `null` plans anew what follows the node.
    values: Value,
    /// The node in whose place it is made, `__start__` for an input; the node that wrote last unless set.
    as_node: Option<String>,
    /// Where it branches off; the head unless set.
    checkpoint: Option<CheckpointName>,
    checkpoint_id: Option<String>,
}

async fn update(
    State(host): State<Host>,
    Path(id): Path<ThreadUuid>,
    Json(update): Json<StateUpdate>,
) -> Result<Json<Value>, Problem> {
    let named = match &update.checkpoint {
        Some(checkpoint) if !checkpoint.ns().is_empty() => {
            let detail = "`checkpoint_ns` names a graph inside: an update is of the state of the thread, whose graph gives it on";
            return Err(Problem::unprocessable(detail).about("checkpoint_ns"));
        }
        Some(checkpoint) => checkpoint.id()?,
        None => None,
    };
    let wanted = match (named, &update.checkpoint_id) {
        (None, Some(id)) => Some(uuid_of("checkpoint", id)?),
        (named, _) => named,
    };
    let record = host.manager.records().threads.get(id.0).await?;
    let fields = fields_of(graph_of(&host, &record)?, update.values)?;
    let edit = edit(host.clone(), record, wanted, update.as_node, fields);
    let head = Position::of(host.manager.edit(id.0, edit).await?).id(&id.0.to_string(), "");
    let configurable = checkpoint(id.0, "", head, None);
    Ok(Json(json!({ "checkpoint": configurable, "configurable": configurable, "checkpoint_id": head })))
}

/// Commits an update, and gives the number of its checkpoint.
async fn edit(
    host: Host,
    record: ThreadRecord,
    wanted: Option<Uuid>,
    as_node: Option<String>,
    fields: Fields,
) -> Result<u64, Problem> {
    let (graph, thread) = (graph_of(&host, &record)?, record.thread_id.to_string());
    let at = match wanted {
        Some(wanted) => Some(place(&host, &thread, wanted).await?),
        None => None,
    };
    let node = match as_node {
        Some(start) if start == "__start__" || start == "__input__" => None,
        Some(node) => Some(node),
        None => last_writer(&host, &thread, at).await?,
    };
    graph.update(&thread, at, node, fields).await?;
    record_state(&host, graph, record.thread_id).await?;
    let head = host.manager.stores().checkpoints.checkpoint(&thread, "", None).await?;
    head.map(|row| row.number).ok_or_else(|| {
        tracing::error!(thread, "an update was committed, and its checkpoint is not there");
        Problem::internal()
    })
}

/// The fields of an update.
///
/// # Errors
/// 400 for what is no object, and for a field that the graph has not.
pub(super) fn fields_of(graph: &dyn Graph, values: Value) -> Result<Fields, Problem> {
    match values {
        Value::Null => Ok(Fields::new()),
        Value::Object(values) => {
            let (known, unknown) = graph.outline().known(values);
            if !unknown.is_empty() {
                return Err(Problem::bad_request(graph.outline().strange("update", &unknown)));
            }
            Ok(known)
        }
        other => {
            let kind = match other {
                Value::Array(_) => "a list",
                Value::String(_) => "a text",
                Value::Number(_) => "a number",
                _ => "a switch",
            };
            Err(Problem::bad_request(format!("Expected an object of fields as `values`, got {kind}")))
        }
    }
}

/// The place of a checkpoint at which an update branches off; none where it is the head anyway. Before an input that is the
/// checkpoint before.
async fn place(host: &Host, thread: &str, id: Uuid) -> Result<Position, Problem> {
    let unknown = || Problem::not_found(format!("Checkpoint with ID {id} not found in thread {thread}"));
    let at = Position::read(id, thread, "").ok_or_else(unknown)?;
    let checkpoints = &host.manager.stores().checkpoints;
    let row = checkpoints.checkpoint(thread, "", Some(at.number)).await?.ok_or_else(unknown)?;
    if at.is_folded {
        return Ok(at);
    }
    row.parent.map(Position::of).ok_or_else(|| {
        Problem::bad_request(
            "There is nothing to update before the first input; run the graph with another input instead",
        )
    })
}

/// The node that wrote last; none where that was an input.
///
/// # Errors
/// 400 where several nodes wrote in one super-step.
async fn last_writer(host: &Host, thread: &str, at: Option<Position>) -> Result<Option<String>, Problem> {
    let checkpoints = &host.manager.stores().checkpoints;
    let mut row = checkpoints.checkpoint(thread, "", at.map(|at| at.number)).await?;
    // An update and a fork say nothing of the nodes that ran.
    while let Some(there) = row.as_ref().filter(|row| matches!(row.source, Source::Update | Source::Fork)) {
        let Some(parent) = there.parent else { return Ok(None) };
        row = checkpoints.checkpoint(thread, "", Some(parent)).await?;
    }
    let Some(row) = row.filter(|row| row.source == Source::Step) else { return Ok(None) };
    let mut nodes = committed(host, thread, row.number).await?;
    nodes.sort_unstable();
    nodes.dedup();
    match nodes.as_mut_slice() {
        [] => Ok(None),
        [node] => Ok(Some(std::mem::take(node))),
        several => {
            let nodes = several.join(", ");
            Err(Problem::bad_request(format!(
                "Ambiguous update, specify as_node: {nodes} wrote in the last super-step"
            )))
        }
    }
}

/// Rows of the journal that are read at a time.
const PAGE: usize = 1024;

/// The nodes whose tasks a checkpoint of the root graph committed.
async fn committed(host: &Host, thread: &str, number: u64) -> Result<Vec<String>, Problem> {
    let (mut last, mut nodes) = (0, Vec::new());
    loop {
        let rows = host.manager.stores().checkpoints.journal(thread, last, PAGE).await?;
        let Some(newest) = rows.last() else { return Ok(nodes) };
        last = newest.seq;
        for event in rows.into_iter().filter_map(|row| row.event.read().ok()) {
            // A number that was given again counts as it was given last.
            if let EventKind::Committed { checkpoint, tasks, .. } = event.kind
                && event.ns.is_empty()
                && checkpoint == number
            {
                let node = |task: &std::sync::Arc<str>| task.split(':').next().unwrap_or_default().to_owned();
                nodes = tasks.iter().map(node).collect();
            }
        }
    }
}

/// Writes how a thread stands, after its state was changed from outside.
pub(super) async fn record_state(host: &Host, graph: &dyn Graph, thread: Uuid) -> Result<ThreadRecord, Problem> {
    let view = graph.view(&thread.to_string(), None).await?;
    let change = |record: &mut ThreadRecord| {
        changed(record, graph, &view);
        Ok(())
    };
    Ok(host.manager.records().threads.update(thread, change).await?)
}

/// Writes into the record of a thread that its state is another now.
pub(super) fn changed(record: &mut ThreadRecord, graph: &dyn Graph, view: &View) {
    stand(record, view);
    record.graph = Some(graph.outline().name.clone());
    record.state_changed(SystemClock.now());
}

/// Writes how a thread stands into its record.
pub(super) fn stand(record: &mut ThreadRecord, view: &View) {
    let id = record.thread_id.to_string();
    if view.checkpoint.is_some() {
        record.values = Value::Object(view.values.clone());
    }
    record.interrupts = pending(&id, &interrupts(&id, view));
    if record.status != ThreadStatus::Busy {
        record.status = match view.status {
            _ if view.tasks.is_empty() => ThreadStatus::Idle,
            Standing::Failed | Standing::BudgetSpent => ThreadStatus::Error,
            _ => ThreadStatus::Interrupted,
        };
        if record.status != ThreadStatus::Error {
            record.error = None;
        }
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct StatePatch {
    /// Goes over the metadata that the thread has.
    metadata: Option<Map<String, Value>>,
}

/// The state of a checkpoint is never changed: the metadata that a client gives are those of the thread.
async fn patch(
    State(host): State<Host>,
    Path(id): Path<ThreadUuid>,
    Json(patch): Json<StatePatch>,
) -> Result<Json<Value>, Problem> {
    let patch = ThreadPatch { metadata: patch.metadata, ttl: None };
    let thread = host.manager.records().threads.patch(id.0, &patch).await?;
    Ok(Json(json!({ "thread_id": thread.thread_id, "metadata": thread.metadata })))
}
