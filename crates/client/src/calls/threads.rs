//! Threads and their states.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use super::page;
use crate::protocol::ThreadEvents;
use crate::stream::ThreadStream;
use crate::transport::{Call, Transport};
use crate::{
    Checkpoint, ClientError, HistorySearch, NewThread, Page, StateUpdate, Thread, ThreadChange, ThreadId, ThreadSearch,
    ThreadState, TtlStrategy,
};

/// The threads of a server.
///
/// # Errors
/// All calls fail as [`ClientError`] says; what is not there is 404.
#[derive(Clone, Debug)]
pub struct Threads {
    transport: Arc<Transport>,
}

#[expect(clippy::missing_errors_doc, reason = "the type says it for all of its calls")]
impl Threads {
    pub(crate) fn new(transport: Arc<Transport>) -> Self {
        Self { transport }
    }

    /// Makes a thread.
    pub async fn create(&self, new: NewThread) -> Result<Thread, ClientError> {
        self.transport.json(&Call::post(["threads"]).json(&new)).await
    }

    /// A thread.
    pub async fn get(&self, id: ThreadId) -> Result<Thread, ClientError> {
        self.transport.json(&Call::get(path(id, &[]))).await
    }

    /// Changes a thread.
    pub async fn update(&self, id: ThreadId, change: ThreadChange) -> Result<Thread, ClientError> {
        self.transport.json(&Call::patch(path(id, &[])).json(&change)).await
    }

    /// Deletes a thread with all its runs and checkpoints.
    pub async fn delete(&self, id: ThreadId) -> Result<(), ClientError> {
        self.transport.done(&Call::delete(path(id, &[]))).await
    }

    /// The threads that a search finds.
    pub async fn search(&self, search: ThreadSearch) -> Result<Page<Thread>, ClientError> {
        page(&self.transport, &Call::post(["threads", "search"]).json(&search)).await
    }

    /// How many threads a search finds.
    pub async fn count(&self, search: ThreadSearch) -> Result<u64, ClientError> {
        self.transport.json(&Call::post(["threads", "count"]).json(&search)).await
    }

    /// A copy of a thread with its whole history.
    pub async fn copy(&self, id: ThreadId) -> Result<Thread, ClientError> {
        self.transport.json(&Call::post(path(id, &["copy"]))).await
    }

    /// The newest state of a thread. `subgraphs` gives tasks in subgraphs the states of these.
    pub async fn state(&self, id: ThreadId, subgraphs: bool) -> Result<ThreadState, ClientError> {
        self.transport.json(&Call::get(path(id, &["state"])).query("subgraphs", &subgraphs)).await
    }

    /// The state of a thread at a checkpoint.
    pub async fn state_at(
        &self,
        id: ThreadId,
        checkpoint: &Checkpoint,
        subgraphs: bool,
    ) -> Result<ThreadState, ClientError> {
        let body = json!({"checkpoint": checkpoint, "subgraphs": subgraphs});
        self.transport.json(&Call::post(path(id, &["state", "checkpoint"])).json(&body)).await
    }

    /// Updates the state of a thread as a node would, and gives the checkpoint that this makes.
    pub async fn update_state(&self, id: ThreadId, update: StateUpdate) -> Result<Checkpoint, ClientError> {
        #[derive(Deserialize)]
        struct Updated {
            checkpoint: Checkpoint,
        }
        let updated: Updated = self.transport.json(&Call::post(path(id, &["state"])).json(&update)).await?;
        Ok(updated.checkpoint)
    }

    /// The states of a thread, newest first.
    pub async fn history(&self, id: ThreadId, search: HistorySearch) -> Result<Vec<ThreadState>, ClientError> {
        self.transport.json(&Call::post(path(id, &["history"])).json(&search)).await
    }

    /// Deletes threads, or all their checkpoints but the last, and tells how many.
    pub async fn prune(&self, ids: &[ThreadId], strategy: TtlStrategy) -> Result<u64, ClientError> {
        #[derive(Deserialize)]
        struct Pruned {
            pruned_count: u64,
        }
        let body = json!({"thread_ids": ids, "strategy": strategy});
        let pruned: Pruned = self.transport.json(&Call::post(["threads", "prune"]).json(&body)).await?;
        Ok(pruned.pruned_count)
    }

    /// What all runs of a thread tell, from the event after `after`, from the first that the server still has when that is
    /// `-`, and from now on when it is none. It never ends by itself, and goes on when the connection breaks.
    pub async fn stream(&self, id: ThreadId, after: Option<&str>) -> Result<ThreadStream, ClientError> {
        ThreadStream::open(Arc::clone(&self.transport), id, after).await
    }

    /// The commands and events of a thread in the event streaming protocol.
    pub fn events(&self, id: ThreadId) -> ThreadEvents {
        ThreadEvents::new(Arc::clone(&self.transport), id)
    }
}

fn path(thread: ThreadId, rest: &[&str]) -> Vec<String> {
    let mut path = vec!["threads".to_owned(), thread.to_string()];
    path.extend(rest.iter().map(ToString::to_string));
    path
}
