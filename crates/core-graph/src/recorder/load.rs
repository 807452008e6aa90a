//! Reading a namespace from a store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::checkpoint::{CheckpointError, Checkpointer, Known, Loaded, fields_after, frontier_of};
use crate::error::RunError;
use crate::machine::Restored;
use crate::record::FRONTIER;
use crate::state::AnyState;
use crate::stored_state::{KnownState, StoredState};
use crate::topology::ReadStates;

/// Reads a namespace at a checkpoint, or at its head, from a state of it that is known; `None` when it has none.
pub(crate) async fn restore(
    store: &dyn Checkpointer,
    graph: &dyn ReadStates,
    thread: &str,
    ns: &str,
    number: Option<u64>,
    forget_attempts: bool,
    mut known: Option<KnownState>,
) -> Result<Option<Restored>, RunError> {
    let load = async |known: Option<&Known>| {
        store.load(thread, ns, number, known).await.map_err(|error| match error {
            CheckpointError::UnknownCheckpoint { thread, number, .. } => RunError::UnknownCheckpoint { thread, number },
            other => other.into(),
        })
    };
    let mut loaded = load(known.as_ref().map(|known| &known.checkpoint)).await?;
    // A state of another version says nothing of this one's fields.
    if let (Some(found), Some(other)) = (&loaded, &known)
        && found.row.state_version != other.version
    {
        (loaded, known) = (load(None).await?, None);
    }
    let Some(Loaded { head, newest, row, fields, tasks: mut records }) = loaded else { return Ok(None) };
    let (state, chains, migrated) = graph.state_of(&StoredState { thread, ns, row: &row, records: &fields }, known)?;
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
    let seen = frontier.tasks.iter().filter_map(|task| task.seen).filter(|seen| *seen != row.number).collect();
    let older = older_states(store, graph, thread, ns, seen).await?;
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

/// The states of older checkpoints, each read from that before it. What two of them share, such as the entries of a
/// [`Log`](crate::Log), is in memory once.
async fn older_states(
    store: &dyn Checkpointer,
    graph: &dyn ReadStates,
    thread: &str,
    ns: &str,
    numbers: BTreeSet<u64>,
) -> Result<BTreeMap<u64, AnyState>, RunError> {
    let owned = |(field, version): (&Arc<str>, u64)| (Arc::clone(field), version);
    let mut states = BTreeMap::new();
    let mut before: Option<KnownState> = None;
    for number in numbers {
        let Some(mut row) = store.checkpoint(thread, ns, Some(number)).await? else { continue };
        // What was pending then is of no use.
        row.fields = row.fields.iter().filter(|(field, _)| !field.starts_with('#')).map(owned).collect();
        let known = before.filter(|known| known.version == row.state_version);
        let checkpoint = known.as_ref().map(|known| &known.checkpoint);
        let fields = fields_after(store, thread, ns, &row.fields, checkpoint).await?;
        let (state, chains, migrated) =
            graph.state_of(&StoredState { thread, ns, row: &row, records: &fields }, known)?;
        before = (!migrated).then(|| KnownState::new(&row, &state, &chains));
        states.insert(number, state);
    }
    Ok(states)
}
