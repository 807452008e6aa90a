//! Reading a namespace from a store.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::{CheckpointError, CheckpointRow, Checkpointer, FieldRecord, Loaded, RecordKind};
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
    let loaded = store.load(thread, ns, number).await.map_err(|error| match error {
        CheckpointError::UnknownCheckpoint { thread, number, .. } => RunError::UnknownCheckpoint { thread, number },
        other => other.into(),
    });
    let Some(Loaded { head, newest, row, fields, tasks: records }) = loaded? else { return Ok(None) };
    let (state, chains) = state_of(topology, thread, ns, &row, &fields)?;
    let (frontier, frontier_chain) = match row.fields.iter().zip(&fields).find(|((name, _), _)| &***name == FRONTIER) {
        Some(((_, version), records)) => frontier_of(thread, ns, version, records)?,
        None => Default::default(),
    };
    let mut older = BTreeMap::new();
    for seen in frontier.tasks.iter().filter_map(|task| task.seen).filter(|seen| *seen != row.number) {
        if older.contains_key(&seen) {
            continue;
        }
        if let Some(past) = store.checkpoint(thread, ns, Some(seen)).await? {
            let mut fields = Vec::with_capacity(past.fields.len());
            for (field, version) in past.fields.iter() {
                fields.push(store.field(thread, ns, field, version).await?);
            }
            older.insert(seen, Arc::new(state_of(topology, thread, ns, &past, &fields)?.0));
        }
    }
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

/// The state of a checkpoint from the records of its fields, and how these are stored.
fn state_of<S: State>(
    topology: &Topology<S>,
    thread: &str,
    ns: &str,
    row: &CheckpointRow,
    records: &[Vec<FieldRecord>],
) -> Result<(S, Vec<Chain>), RunError> {
    let layout = &topology.layout;
    let fields = S::fields(layout);
    let mut state = S::initial(layout);
    let mut chains = vec![Chain::default(); fields.len()];
    for ((name, version), records) in row.fields.iter().zip(records).filter(|((name, _), _)| !name.starts_with('#')) {
        let Some(at) = fields.iter().position(|field| *field.name == **name) else {
            tracing::warn!(thread, field = %name, "a stored field is not in the state any more and is left out");
            continue;
        };
        check_chain(thread, ns, name, version, records)?;
        let wrong = |(version_of, error): (u64, StateError)| corrupt(thread, ns, name, version_of, &error);
        let mut updates = Vec::with_capacity(records.len());
        for record in records {
            chains[at].count(record);
            let (bytes, failed) = (record.payload.bytes(), |error| wrong((record.version, error)));
            match record.kind {
                RecordKind::Whole => {
                    updates.clear();
                    state.load(layout, at, bytes).map_err(failed)?;
                }
                RecordKind::Delta => {
                    let read = delta::decode(name, bytes).map_err(failed)?;
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
    let Some(version) = row.fields.of(FRONTIER) else { return Ok(Default::default()) };
    let records = store.field(thread, ns, FRONTIER, version).await?;
    frontier_of(thread, ns, version, &records)
}

/// The frontier of a version from its records, and how it is stored.
fn frontier_of(
    thread: &str,
    ns: &str,
    version: u64,
    records: &[FieldRecord],
) -> Result<(FrontierDelta, Chain), CheckpointError> {
    check_chain(thread, ns, FRONTIER, version, records)?;
    let (mut chain, mut frontier) = (Chain::default(), FrontierDelta::default());
    for record in records {
        chain.count(record);
        let delta: FrontierDelta = codec::decode(FRONTIER, record.payload.bytes())
            .map_err(|error| corrupt(thread, ns, FRONTIER, record.version, &error))?;
        match record.kind {
            RecordKind::Whole => frontier = delta,
            RecordKind::Delta => frontier.fold(delta),
        }
    }
    Ok((frontier, chain))
}

/// Records of a field must be a whole value and what builds on it, up to the version.
fn check_chain(
    thread: &str,
    ns: &str,
    field: &str,
    version: u64,
    records: &[FieldRecord],
) -> Result<(), CheckpointError> {
    let begins_whole = records.first().is_some_and(|record| record.kind == RecordKind::Whole);
    let ends_there = records.last().is_some_and(|record| record.version == version);
    let is_linked = records.windows(2).all(|pair| pair[1].previous == Some(pair[0].version));
    if begins_whole && ends_there && is_linked {
        return Ok(());
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
