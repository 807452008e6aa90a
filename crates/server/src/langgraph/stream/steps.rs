//! The steps of checkpoints from before a run.

use graphloom_core_graph::checkpoint::CheckpointError;
use uuid::Uuid;

use super::projection::Projection;
use crate::graph::Position;
use crate::host::Host;
use crate::langgraph::wire::Lineage;
use crate::log::Entry;

/// Reads steps of a thread, as its states and its history have them.
pub(super) struct Steps {
    host: Host,
    thread: String,
}

impl Steps {
    pub(super) fn new(host: &Host, thread: Uuid) -> Self {
        Self { host: host.clone(), thread: thread.to_string() }
    }

    /// Gives a projection the step that it needs for an entry.
    pub(super) async fn teach(&self, projection: &mut Projection, entry: &Entry) {
        let Some(number) = projection.needs_step(entry) else { return };
        match self.read(number).await {
            Ok(Some(step)) => projection.know_step(number, step),
            // It is pruned.
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(thread = self.thread, number, %error, "the step of a checkpoint cannot be read");
            }
        }
    }

    async fn read(&self, number: u64) -> Result<Option<i64>, CheckpointError> {
        let checkpoints = &*self.host.manager.stores().checkpoints;
        let Some(row) = checkpoints.checkpoint(&self.thread, "", Some(number)).await? else { return Ok(None) };
        let lineage = Lineage::read(checkpoints, &self.thread, "").await?;
        Ok(Some(lineage.step(Position::of(number), row.step)))
    }
}
