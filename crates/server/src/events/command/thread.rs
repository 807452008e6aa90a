//! How a thread stands when a command comes.

use std::sync::Arc;

use futures::FutureExt;
use uuid::Uuid;

use super::error::CommandError;
use crate::graph::{Graph, View};
use crate::host::Host;
use crate::log::Interrupt;
use crate::records::{Assistant, RecordError, ThreadRecord};
use crate::runs::{LiveRun, interrupts};

/// A thread with checkpoints.
pub(super) struct Standing {
    pub(super) record: ThreadRecord,
    pub(super) graph: Arc<dyn Graph>,
}

impl Standing {
    /// The thread, if it is there and a graph that is served here has run on it.
    pub(super) async fn of(host: &Host, thread: Uuid) -> Result<Option<Self>, CommandError> {
        let record = match host.manager.records().threads.get(thread).await {
            Ok(record) => record,
            Err(RecordError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let graph = record.graph.as_deref().and_then(|name| host.manager.graph(name)).map(Arc::clone);
        Ok(graph.map(|graph| Self { record, graph }))
    }

    pub(super) fn id(&self) -> String {
        self.record.thread_id.to_string()
    }

    /// The state at the head, or at a checkpoint.
    pub(super) async fn view(&self, at: Option<u64>) -> Result<View, CommandError> {
        self.graph.view(&self.id(), at).await.map_err(|error| CommandError::failed(&error))
    }

    /// The questions that wait for an answer.
    pub(super) async fn questions(&self) -> Result<Vec<Interrupt>, CommandError> {
        Ok(interrupts(&self.id(), &self.view(None).await?))
    }

    /// The assistant of the newest run; where it is gone, that of the graph.
    pub(super) async fn assistant(&self, host: &Host) -> Result<Assistant, CommandError> {
        if let Some(id) = self.record.metadata.get("assistant_id").and_then(serde_json::Value::as_str)
            && let Ok(assistant) = host.assistant(id).await
        {
            return Ok(assistant);
        }
        Ok(host.assistant(&self.graph.outline().name).await?)
    }
}

/// The run that is under way on a thread.
///
/// # Errors
/// The store's.
pub(super) async fn running(host: &Host, thread: Uuid) -> Result<Option<Arc<LiveRun>>, CommandError> {
    let current = host.manager.current(thread).await?;
    Ok(current.filter(|live| live.ended().now_or_never().is_none()))
}
