//! Threads made smaller, or deleted.

use graphloom_core_graph::checkpoint::{CheckpointError, Retention};
use uuid::Uuid;

use crate::host::Host;
use crate::http::Problem;
use crate::records::{RecordError, TtlStrategy};
use crate::refusal::Refusal;

/// Deletes a thread, or all that it was before its newest checkpoint, and tells whether it did: a thread that is not there
/// is left out, and so is one that a run is under way on and that is to be kept.
pub(super) async fn prune(host: &Host, id: Uuid, strategy: TtlStrategy, now: u64) -> Result<bool, Problem> {
    match host.manager.records().threads.get(id).await {
        Ok(_) => {}
        Err(RecordError::NotFound { .. }) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    match strategy {
        TtlStrategy::Delete => match host.manager.delete_thread(id).await {
            Ok(()) => Ok(true),
            // Another deleted it meanwhile.
            Err(Refusal::NotFound(_)) => Ok(false),
            Err(error) => Err(error.into()),
        },
        TtlStrategy::KeepLatest => {
            let retention = Retention::default().keep_last(1).drop_finished_subgraphs().cut_journal();
            match retention.prune(&*host.manager.stores().checkpoints, &id.to_string(), now).await {
                Ok(_) | Err(CheckpointError::UnknownThread { .. }) => Ok(true),
                Err(CheckpointError::ThreadBusy { .. }) => Ok(false),
                Err(error) => Err(error.into()),
            }
        }
    }
}
