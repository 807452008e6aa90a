//! A store that remembers what was committed to it.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    Capabilities, CheckpointError, CheckpointRow, Checkpointer, Commit, FieldRecord, HistoryFilter, JournalRow, Lease,
    TaskRecord, ThreadFilter, ThreadRow,
};

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
impl Checkpointer for Recorder {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        self.store.acquire(thread).await
    }

    fn release(&self, lease: &Lease) {
        self.store.release(lease);
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner).push((lease.clone(), commit.clone()));
        self.store.commit(lease, commit).await
    }

    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        self.store.thread(thread).await
    }

    async fn threads(&self, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, CheckpointError> {
        self.store.threads(filter).await
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, CheckpointError> {
        self.store.namespaces(thread).await
    }

    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        self.store.checkpoint(thread, ns, number).await
    }

    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError> {
        self.store.checkpoints(thread, ns, filter).await
    }

    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.store.field(thread, ns, field, version).await
    }

    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.store.task_records(thread, ns).await
    }

    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError> {
        self.store.journal(thread, after, limit).await
    }

    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        self.store.last_seq(thread).await
    }
}
