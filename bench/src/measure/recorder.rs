//! A store that remembers what was committed to it.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{CheckpointError, Checkpointer, CheckpointerLayer, Commit, Lease};

/// Passes everything on, and keeps the commits.
#[derive(Clone)]
pub(crate) struct Recorder {
    store: Arc<dyn Checkpointer>,
    commits: Arc<Mutex<Vec<(Lease, Commit)>>>,
}

impl Recorder {
    pub(crate) fn new(store: Arc<dyn Checkpointer>) -> Self {
        Self { store, commits: Arc::default() }
    }

    /// The commits so far, in order; they are kept no longer.
    pub(crate) fn take(&self) -> Vec<(Lease, Commit)> {
        std::mem::take(&mut self.commits.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl CheckpointerLayer for Recorder {
    fn inner(&self) -> &dyn Checkpointer {
        &*self.store
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner).push((lease.clone(), commit.clone()));
        self.store.commit(lease, commit).await
    }
}
