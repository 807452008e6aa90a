//! Stores around the one that is measured: one remembers what was committed to it, one lets no commits share.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{Capabilities, CheckpointError, Checkpointer, CheckpointerLayer, Commit, Lease};

/// Commits that were asked for at once, and the lease that they are under.
pub(crate) type GroupedCommits = (Lease, Vec<Commit>);

/// Passes everything on, and keeps the commits.
#[derive(Clone)]
pub(crate) struct Recorder {
    store: Arc<dyn Checkpointer>,
    commits: Arc<Mutex<Vec<GroupedCommits>>>,
}

impl Recorder {
    pub(crate) fn new(store: Arc<dyn Checkpointer>) -> Self {
        Self { store, commits: Arc::default() }
    }

    /// The commits so far, in order; they are kept no longer.
    pub(crate) fn take(&self) -> Vec<GroupedCommits> {
        std::mem::take(&mut self.commits.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, lease: &Lease, commits: Vec<Commit>) {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner).push((lease.clone(), commits));
    }
}

#[async_trait]
impl CheckpointerLayer for Recorder {
    fn inner(&self) -> &dyn Checkpointer {
        &*self.store
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        self.keep(lease, vec![commit.clone()]);
        self.store.commit(lease, commit).await
    }

    async fn commit_all(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        self.keep(lease, commits.clone());
        self.store.commit_all(lease, commits).await
    }
}

/// Passes everything on; commits that are given together go one by one.
pub(super) struct OneByOne(pub(super) Arc<dyn Checkpointer>);

impl CheckpointerLayer for OneByOne {
    fn inner(&self) -> &dyn Checkpointer {
        &*self.0
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }
}
