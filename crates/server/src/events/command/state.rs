//! `state.get` and `state.listCheckpoints`: the state of a namespace, and its history.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::HistoryFilter;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::checkpoints::WireCheckpoint;
use super::super::projection::namespace_of;
use super::Success;
use super::error::{CommandError, ErrorCode};
use super::fork::no_such_checkpoint;
use super::thread::Standing;
use crate::graph::{Fields, Position};
use crate::host::Host;
use crate::log::{LogEvent, TailError};

/// The protocol's `StateGetParams`.
#[derive(Deserialize)]
pub(super) struct GetState {
    #[serde(default)]
    namespace: Vec<String>,
    #[serde(default)]
    keys: Option<Vec<String>>,
}

/// The protocol's `ListCheckpointsParams`.
#[derive(Deserialize)]
pub(super) struct ListCheckpoints {
    #[serde(default)]
    namespace: Vec<String>,
    #[serde(default)]
    limit: Option<usize>,
    /// Only checkpoints before the one of this id.
    #[serde(default)]
    before: Option<String>,
}

/// Checkpoints that are listed, unless a client says how many, and at most.
const LIMIT: usize = 10;
const MOST: usize = 1000;

pub(super) async fn get(host: &Host, thread: Uuid, params: GetState) -> Result<Success, CommandError> {
    let (values, checkpoint) = if params.namespace.is_empty() {
        root_state(host, thread).await?
    } else {
        nested_state(host, thread, &params.namespace).await?
    };
    let mut values = values;
    if let Some(keys) = &params.keys {
        values.retain(|name, _| keys.contains(name));
    }
    let mut result = json!({ "values": values });
    if let Some(checkpoint) = checkpoint {
        result["checkpoint"] = checkpoint;
    }
    Ok(Success::of(result))
}

async fn root_state(host: &Host, thread: Uuid) -> Result<(Fields, Option<Value>), CommandError> {
    let Some(standing) = Standing::of(host, thread).await? else { return Ok((Fields::new(), None)) };
    let view = standing.view(None).await?;
    let checkpoint =
        view.checkpoint.map(|row| json!({ "id": Position::of(row.number).id(&standing.id(), ""), "ns": "" }));
    Ok((view.values, checkpoint))
}

/// The state of a subgraph, which the log tells: nobody here knows its type.
async fn nested_state(
    host: &Host,
    thread: Uuid,
    namespace: &[String],
) -> Result<(Fields, Option<Value>), CommandError> {
    let failed = |error: TailError| CommandError::failed(&error);
    let log = host.manager.logs().open(thread).await.map_err(|error| failed(error.into()))?;
    let mut tail = log.after(0);
    let mut newest = None;
    while let Some(entry) = tail.ready().await.map_err(failed)? {
        if matches!(entry.event, LogEvent::Commit(_)) && namespace_of(thread, &entry.ns) == namespace {
            newest = Some(entry);
        }
    }
    let newest = newest.ok_or_else(|| no_such_namespace(namespace))?;
    match &newest.event {
        LogEvent::Commit(commit) => {
            let id = Position::of(commit.number).id(&thread.to_string(), &newest.ns);
            Ok((commit.values.clone(), Some(json!({ "id": id, "ns": namespace.join("|") }))))
        }
        _ => Err(no_such_namespace(namespace)),
    }
}

pub(super) async fn list(host: &Host, thread: Uuid, params: ListCheckpoints) -> Result<Success, CommandError> {
    let id = thread.to_string();
    let ns = runtime_namespace(host, thread, &params.namespace).await?;
    let before = match &params.before {
        Some(text) => {
            let position = Uuid::try_parse(text).ok().and_then(|uuid| Position::read(uuid, &id, &ns));
            Some(position.ok_or_else(|| no_such_checkpoint(text))?)
        }
        None => None,
    };
    let limit = params.limit.unwrap_or(LIMIT).min(MOST);
    // A row more than are asked for: that of `before` may be one of them.
    let mut filter = HistoryFilter::default();
    filter.before = before.map(|at| at.number + 1);
    filter.limit = Some(limit + 1);
    let rows = host.manager.stores().checkpoints.checkpoints(&id, &ns, &filter).await;
    let rows = rows.map_err(|error| CommandError::failed(&error))?;
    let checkpoints: Vec<Value> = rows
        .iter()
        .flat_map(|row| {
            let of_row = WireCheckpoint::of_commit(row.number, row.parent, row.source, row.step);
            of_row.into_iter().rev().map(move |checkpoint| (row, checkpoint))
        })
        .filter(|(_, checkpoint)| before.is_none_or(|before| checkpoint.position < before))
        .take(limit)
        .map(|(row, checkpoint)| checkpoint.summary(row, &id, &ns))
        .collect();
    Ok(Success::of(json!({ "checkpoints": checkpoints })))
}

/// The namespace as the runtime names it.
async fn runtime_namespace(host: &Host, thread: Uuid, namespace: &[String]) -> Result<Arc<str>, CommandError> {
    if namespace.is_empty() {
        return Ok("".into());
    }
    let all = host.manager.stores().checkpoints.namespaces(&thread.to_string()).await;
    let all = all.map_err(|error| CommandError::failed(&error))?;
    let found = all.iter().find(|ns| namespace_of(thread, ns) == namespace);
    found.map(|ns| Arc::from(ns.as_str())).ok_or_else(|| no_such_namespace(namespace))
}

fn no_such_namespace(namespace: &[String]) -> CommandError {
    CommandError::new(
        ErrorCode::NoSuchNamespace,
        format!("the thread has no checkpoints in the namespace {namespace:?}"),
    )
}
