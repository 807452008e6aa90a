//! Reading a namespace from a store.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::{CheckpointError, Checkpointer, Loaded, frontier_of};
use crate::error::RunError;
use crate::machine::Restored;
use crate::record::FRONTIER;
use crate::stored_state::StoredState;
use crate::topology::ReadStates;

/// Reads a namespace at a checkpoint, or at its head; `None` when it has none.
pub(crate) async fn restore(
    store: &dyn Checkpointer,
    graph: &dyn ReadStates,
    thread: &str,
    ns: &str,
    number: Option<u64>,
    forget_attempts: bool,
) -> Result<Option<Restored>, RunError> {
    let loaded = store.load(thread, ns, number).await.map_err(|error| match error {
        CheckpointError::UnknownCheckpoint { thread, number, .. } => RunError::UnknownCheckpoint { thread, number },
        other => other.into(),
    });
    let Some(Loaded { head, newest, row, fields, tasks: mut records }) = loaded? else { return Ok(None) };
    let (state, chains, migrated) = graph.state_of(&StoredState { thread, ns, row: &row, records: &fields })?;
    let (frontier, frontier_chain) = match row.fields.iter().zip(&fields).find(|((name, _), _)| &***name == FRONTIER) {
        Some(((_, version), records)) => frontier_of(thread, ns, version, records)?,
        None => Default::default(),
    };
    if !frontier.tasks.is_empty() {
        let ns: Arc<str> = ns.into();
        let base = frontier.base(&ns);
        let unfinished: Vec<_> = frontier.tasks.iter().map(|task| task.id.path(base, &task.node)).collect();
        records.extend(store.once_records(thread, &ns, &unfinished).await?);
    }
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
            let (state, ..) = graph.state_of(&StoredState { thread, ns, row: &past, records: &fields })?;
            older.insert(seen, state);
        }
    }
    Ok(Some(Restored {
        row,
        newest,
        head,
        state,
        chains,
        frontier,
        frontier_chain,
        records,
        older,
        migrated,
        forget_attempts,
    }))
}
