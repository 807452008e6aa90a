//! Reading the frontier of a checkpoint: what is left to do there.

use super::chain::{Chain, check_chain, corrupt};
use super::{CheckpointError, CheckpointRow, Checkpointer, FieldRecord, RecordKind};
use crate::record::{FRONTIER, FrontierDelta};
use crate::state::codec;

/// Reads the frontier of a checkpoint, and how it is stored.
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
pub(crate) fn frontier_of(
    thread: &str,
    ns: &str,
    version: u64,
    records: &[FieldRecord],
) -> Result<(FrontierDelta, Chain), CheckpointError> {
    check_chain(thread, ns, FRONTIER, 0, version, records)?;
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
