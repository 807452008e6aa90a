//! Reading a namespace from a store.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::{CheckpointError, CheckpointRow, Checkpointer, FieldRecord, RecordKind};
use crate::error::RunError;
use crate::graph::Topology;
use crate::machine::{Chain, FRONTIER, FrontierDelta, Restored, delta};
use crate::state::{State, StateError, codec};

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
        let wrong = |(version_of, error): (u64, StateError)| corrupt(thread, ns, &version.field, version_of, &error);
        let mut updates = Vec::with_capacity(records.len());
        for record in &records {
            chains[at].count(record);
            let (bytes, failed) = (record.payload.bytes(), |error| wrong((record.version, error)));
            match record.kind {
                RecordKind::Whole => {
                    updates.clear();
                    state.load(layout, at, bytes).map_err(failed)?;
                }
                RecordKind::Delta => {
                    let read = delta::decode(&version.field, bytes).map_err(failed)?;
                    updates.extend(read.into_iter().map(|update| (record.version, update)));
                }
            }
        }
        delta::fold(&mut state, layout, at, updates).map_err(wrong)?;
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

pub(super) fn corrupt(thread: &str, ns: &str, field: &str, version: u64, error: &StateError) -> CheckpointError {
    let place = format!("thread `{thread}`, namespace `{ns}`, field `{field}`, version {version}");
    CheckpointError::Corrupt {
        place,
        message: format!("{error}; if the type of the field changed, state a new state version"),
    }
}
