//! Reading a namespace from a store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::checkpoint::{CheckpointError, CheckpointRow, Checkpointer, FieldRecord, RecordKind, TaskRecordKind};
use crate::driver::budget::Budget;
use crate::driver::calls::Calls;
use crate::error::RunError;
use crate::graph::Topology;
use crate::machine::{Chain, ChildHeads, FRONTIER, FrontierDelta, Restored, WriteRow, fold_parts};
use crate::state::{FieldChange, State, StateError, codec};

/// Reads a namespace at a checkpoint, or at its head; `None` when it has none.
pub(crate) async fn restore<S: State>(
    store: &dyn Checkpointer,
    topology: &Topology<S>,
    thread: &str,
    ns: &str,
    number: Option<u64>,
    forget_attempts: bool,
) -> Result<Option<Restored<S>>, RunError> {
    let Some(head) = store.checkpoint(thread, ns, None).await? else { return Ok(None) };
    let newest = newest_number(store, thread, ns, head.number).await?;
    let row = match number {
        None => head.clone(),
        Some(number) => store
            .checkpoint(thread, ns, Some(number))
            .await?
            .ok_or_else(|| RunError::UnknownCheckpoint { thread: thread.to_owned(), number })?,
    };
    let (state, chains) = load_state(store, topology, thread, ns, &row).await?;
    let (frontier, frontier_chain) = load_frontier(store, thread, ns, &row).await?;
    let records = store.task_records(thread, ns).await?;
    let mut older = BTreeMap::new();
    for seen in frontier.tasks.iter().filter_map(|task| task.seen).filter(|seen| *seen != row.number) {
        if older.contains_key(&seen) {
            continue;
        }
        if let Some(past) = store.checkpoint(thread, ns, Some(seen)).await? {
            older.insert(seen, Arc::new(load_state(store, topology, thread, ns, &past).await?.0));
        }
    }
    let head = head.number;
    Ok(Some(Restored {
        row,
        newest,
        head,
        state: Arc::new(state),
        chains,
        frontier,
        frontier_chain,
        records,
        older,
        forget_attempts,
    }))
}

/// A call of a subgraph that was under way when a run stopped.
pub(crate) struct OpenCall {
    ns: Arc<str>,
    /// The id of the task.
    call: Arc<str>,
    executed: u64,
    /// Its unfinished tasks that have been dispatched, or are part of a step under way.
    begun: Vec<Arc<str>>,
    /// Where children that are kept per thread stand for what is inside of the call.
    heads: ChildHeads,
    /// Whether the task, or one around it, has finished and waits for its commit: then it has no subgraph any more.
    finished: bool,
}

impl OpenCall {
    /// Counts what the call had executed, or had under way.
    pub(crate) fn count(&self, budget: &Budget) {
        budget.count_open(&self.call);
        budget.count_earlier(&self.call, self.executed, self.begun.clone());
    }

    /// Notes which subgraphs that are kept per thread the call has, and where they stand.
    pub(crate) fn note(&self, calls: &Calls) {
        if self.finished {
            return;
        }
        if self.ns != self.call {
            calls.note_open(&self.call, &self.ns);
        }
        for (ns, number) in &self.heads {
            calls.note(&self.call, ns, *number);
        }
    }
}

/// The calls of subgraphs that were under way when a run stopped, outer ones before those inside of them. `tasks` are
/// those of the root that are not committed, with whether they have finished; `keeps` tells that some subgraph is kept
/// per thread.
pub(crate) async fn open_calls(
    store: &dyn Checkpointer,
    thread: &str,
    mut tasks: Vec<(Arc<str>, bool)>,
    keeps: bool,
) -> Result<Vec<OpenCall>, CheckpointError> {
    let mut calls = Vec::new();
    while let Some((call, finished)) = tasks.pop() {
        let Some((ns, row, frontier)) = serving(store, thread, &call, keeps).await? else { continue };
        let records = store.task_records(thread, &ns).await?;
        let inside: Vec<_> = frontier.tasks.iter().map(|task| (task.id.path(&call, &task.node), task.seen)).collect();
        let wrote =
            |task: &Arc<str>| records.iter().any(|record| record.kind == TaskRecordKind::Write && record.task == *task);
        let in_step = inside.iter().any(|(task, _)| wrote(task));
        let begun = inside.iter().filter(|(_, seen)| in_step || seen.is_some()).map(|(task, _)| Arc::clone(task));
        let mut heads: ChildHeads = frontier.children().map(|(ns, number)| (Arc::clone(ns), number)).collect();
        let begun = begun.collect();
        let mut done = BTreeSet::new();
        for record in records.iter().filter(|record| keeps && record.kind == TaskRecordKind::Write) {
            let write = codec::decode("write", &record.payload)
                .map_err(|error| corrupt(thread, &ns, "write", row.number, &error))?;
            if let (true, WriteRow::Finished { heads: left, .. }) =
                (inside.iter().any(|(task, _)| *task == record.task), write)
            {
                heads.extend(left);
                done.insert(Arc::clone(&record.task));
            }
        }
        tasks.extend(inside.into_iter().map(|(task, _)| {
            let finished = finished || done.contains(&task);
            (task, finished)
        }));
        calls.push(OpenCall { begun, ns, call, executed: row.executed, heads, finished });
    }
    Ok(calls)
}

/// The namespace that runs for a task, with its head: its own, or that of the subgraph for all of the thread.
async fn serving(
    store: &dyn Checkpointer,
    thread: &str,
    call: &Arc<str>,
    keeps: bool,
) -> Result<Option<(Arc<str>, CheckpointRow, FrontierDelta)>, CheckpointError> {
    let kept = keeps.then(|| kept_namespace(call));
    for ns in std::iter::once(Arc::clone(call)).chain(kept) {
        let Some(row) = store.checkpoint(thread, &ns, None).await? else { continue };
        let (frontier, _) = load_frontier(store, thread, &ns, &row).await?;
        if frontier.base(&ns) == call {
            return Ok(Some((ns, row, frontier)));
        }
    }
    Ok(None)
}

/// The namespace of a subgraph that is kept per thread: the names of the nodes that lead to the task.
pub(crate) fn kept_namespace(task: &str) -> Arc<str> {
    let names: Vec<_> = task.split('/').map(|part| part.split(':').next().unwrap_or(part)).collect();
    names.join("/").into()
}

/// The greatest checkpoint number of a namespace; its head may be an older one after a fork.
async fn newest_number(store: &dyn Checkpointer, thread: &str, ns: &str, head: u64) -> Result<u64, CheckpointError> {
    let filter = crate::checkpoint::HistoryFilter { limit: Some(1), ..Default::default() };
    let newest = store.checkpoints(thread, ns, &filter).await?;
    Ok(newest.first().map_or(head, |row| row.number.max(head)))
}

/// The state of a checkpoint, and how its fields are stored.
async fn load_state<S: State>(
    store: &dyn Checkpointer,
    topology: &Topology<S>,
    thread: &str,
    ns: &str,
    row: &CheckpointRow,
) -> Result<(S, Vec<Chain>), RunError> {
    let layout = &topology.layout;
    let fields = S::fields(layout);
    let mut state = S::initial(layout);
    let mut chains = vec![Chain::default(); fields.len()];
    for version in row.fields.iter().filter(|version| !version.field.starts_with('#')) {
        let Some(at) = fields.iter().position(|field| *field.name == *version.field) else {
            tracing::warn!(thread, field = %version.field, "a stored field is not in the state any more and is left out");
            continue;
        };
        let records = chain(store, thread, ns, &version.field, version.version).await?;
        for record in &records {
            chains[at].count(record);
            let bytes = record.payload.bytes();
            let folded = match record.kind {
                RecordKind::Whole => state.load(layout, at, bytes),
                RecordKind::Delta => {
                    parts(&version.field, bytes).and_then(|parts| fold_parts(&mut state, layout, at, parts))
                }
            };
            folded.map_err(|error| corrupt(thread, ns, &version.field, record.version, &error))?;
        }
    }
    Ok((state, chains))
}

pub(crate) async fn load_frontier(
    store: &dyn Checkpointer,
    thread: &str,
    ns: &str,
    row: &CheckpointRow,
) -> Result<(FrontierDelta, Chain), CheckpointError> {
    let mut chain_of = Chain::default();
    let mut frontier = FrontierDelta::default();
    let Some(version) = row.fields.iter().find(|version| &*version.field == FRONTIER) else {
        return Ok((frontier, chain_of));
    };
    for record in chain(store, thread, ns, FRONTIER, version.version).await? {
        chain_of.count(&record);
        let delta: FrontierDelta = codec::decode(FRONTIER, record.payload.bytes())
            .map_err(|error| corrupt(thread, ns, FRONTIER, record.version, &error))?;
        match record.kind {
            RecordKind::Whole => frontier = delta,
            RecordKind::Delta => frontier.fold(delta),
        }
    }
    Ok((frontier, chain_of))
}

async fn chain(
    store: &dyn Checkpointer,
    thread: &str,
    ns: &str,
    field: &str,
    version: u64,
) -> Result<Vec<FieldRecord>, CheckpointError> {
    let records = store.field(thread, ns, field, version).await?;
    let begins_whole = records.first().is_some_and(|record| record.kind == RecordKind::Whole);
    let ends_there = records.last().is_some_and(|record| record.version == version);
    let is_linked = records.windows(2).all(|pair| pair[1].previous == Some(pair[0].version));
    if begins_whole && ends_there && is_linked {
        return Ok(records);
    }
    Err(CheckpointError::Corrupt {
        place: format!("thread `{thread}`, namespace `{ns}`, field `{field}`, version {version}"),
        message: "records are missing".to_owned(),
    })
}

fn parts(field: &str, bytes: &[u8]) -> Result<Vec<FieldChange>, StateError> {
    codec::decode(field, bytes)
}

fn corrupt(thread: &str, ns: &str, field: &str, version: u64, error: &StateError) -> CheckpointError {
    let place = format!("thread `{thread}`, namespace `{ns}`, field `{field}`, version {version}");
    CheckpointError::Corrupt {
        place,
        message: format!("{error}; if the type of the field changed, state a new state version"),
    }
}
