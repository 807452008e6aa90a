//! `agent.getTree`: the graphs of a run, each below the one that called it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::projection::{RunLife, Status, namespace_of};
use super::Success;
use super::error::{CommandError, ErrorCode};
use crate::host::Host;
use crate::log::TailError;
use crate::records::{RunRecord, RunStatus};

/// The protocol's `AgentGetTreeParams`.
#[derive(Deserialize)]
pub(super) struct GetTree {
    #[serde(default)]
    run_id: Option<String>,
}

/// A graph of a run.
struct Graph {
    namespace: Vec<String>,
    name: String,
    status: Status,
}

pub(super) async fn tree(host: &Host, thread: Uuid, params: GetTree) -> Result<Success, CommandError> {
    let graphs = graphs(host, thread, params.run_id.as_deref()).await?;
    Ok(Success::of(json!({ "tree": node(&graphs, &[]) })))
}

/// The graphs of a run with how far they are: the protocol's `AgentStatusEntry`s.
///
/// # Errors
/// [`ErrorCode::NoSuchRun`].
pub(in super::super) async fn statuses(host: &Host, thread: Uuid, run: &str) -> Result<Value, CommandError> {
    let graphs = graphs(host, thread, Some(run)).await?;
    Ok(graphs.iter().map(|graph| json!({ "namespace": graph.namespace, "status": graph.status })).collect())
}

/// The graphs of a run; of the one that is under way or was the last, where none is named.
async fn graphs(host: &Host, thread: Uuid, run: Option<&str>) -> Result<Vec<Graph>, CommandError> {
    let record = match run {
        Some(id) => run_of(host, thread, id).await?,
        None => newest(host, thread).await?,
    };
    let life = life(host, thread, &record).await.map_err(|error| CommandError::failed(&error))?;
    let graph = |(ns, (name, status)): (&Arc<str>, &(String, Status))| Graph {
        namespace: namespace_of(thread, ns),
        name: name.clone(),
        status: *status,
    };
    let mut graphs: Vec<Graph> = life.graphs.iter().map(graph).collect();
    if record.status == RunStatus::Pending
        && let Some(root) = graphs.first_mut()
    {
        root.status = Status::Started;
    }
    Ok(graphs)
}

async fn run_of(host: &Host, thread: Uuid, id: &str) -> Result<RunRecord, CommandError> {
    let missing = || {
        let id: String = id.chars().take(64).collect();
        CommandError::new(ErrorCode::NoSuchRun, format!("the thread has no run `{id}`"))
    };
    let run = Uuid::try_parse(id).map_err(|_| missing())?;
    host.manager.records().runs.get(thread, run).await.map_err(|error| match error {
        crate::records::RecordError::NotFound { .. } => missing(),
        error => error.into(),
    })
}

async fn newest(host: &Host, thread: Uuid) -> Result<RunRecord, CommandError> {
    let runs = host.manager.records().runs.of_thread(thread).await?;
    let is_running = |run: &&RunRecord| run.status == RunStatus::Running;
    let run = runs.iter().find(is_running).or(runs.last()).cloned();
    run.ok_or_else(|| CommandError::new(ErrorCode::NoSuchRun, "the thread had no run yet; start one with `run.start`"))
}

/// What the log tells of a run so far.
async fn life(host: &Host, thread: Uuid, record: &RunRecord) -> Result<RunLife, TailError> {
    let log = host.manager.logs().open(thread).await?;
    let mut life = RunLife::new(record.run_id, &record.graph);
    let mut tail = log.after(record.before);
    while let Some(entry) = tail.ready().await? {
        if entry.run == record.run_id {
            life.note(&entry);
        }
    }
    Ok(life)
}

/// The graph of a namespace, with those right below it.
fn node(graphs: &[Graph], namespace: &[String]) -> Value {
    let graph = graphs.iter().find(|graph| graph.namespace == namespace);
    let below = graphs
        .iter()
        .filter(|graph| graph.namespace.len() == namespace.len() + 1 && graph.namespace.starts_with(namespace));
    let children: Vec<Value> = below.map(|graph| node(graphs, &graph.namespace)).collect();
    json!({
        "namespace": namespace,
        "status": graph.map(|graph| graph.status),
        "graph_name": graph.map(|graph| graph.name.as_str()),
        "children": children,
    })
}
