//! A thread has another name in its store than clients know it by: clients know threads by UUIDs, programs by words.

use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    Capabilities, CheckpointError, CheckpointRow, Checkpointer, CheckpointerLayer, Commit, FieldOutline, FieldRecord,
    HistoryFilter, JournalRow, Lease, TaskRecord, ThreadRow,
};
use uuid::Uuid;

use crate::graph::ids::thread_id;

/// A thread of a store with the id by which clients know it.
#[derive(Clone, Debug)]
pub(crate) struct ThreadName {
    pub(crate) id: Uuid,
    /// The id as text.
    text: String,
    /// The name in the store.
    name: Arc<str>,
}

impl ThreadName {
    pub(crate) fn new(name: &str) -> Self {
        let id = thread_id(name);
        Self { id, text: id.to_string(), name: name.into() }
    }

    /// The name in the store of the thread that clients know by this id. Of any other thread it is the id.
    pub(crate) fn of<'n>(&'n self, id: &'n str) -> &'n str {
        if id == self.text { &self.name } else { id }
    }

    /// Whether clients know the thread by this id.
    pub(crate) fn is(&self, id: &str) -> bool {
        id == self.text
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// A store in which one thread has another name. The thread is not the server's: a client that deletes it takes it away from
/// the server and leaves it in the store, and nothing is copied into the store.
pub(crate) struct Named {
    pub(crate) store: Arc<dyn Checkpointer>,
    pub(crate) thread: Arc<ThreadName>,
}

#[async_trait]
impl CheckpointerLayer for Named {
    fn inner(&self) -> &dyn Checkpointer {
        &*self.store
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.store.capabilities();
        capabilities.copy_thread = false;
        capabilities
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        self.store.acquire(self.thread.of(thread)).await
    }

    async fn commit_all(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        self.store.commit_all(lease, commits).await
    }

    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        let row = self.store.thread(self.thread.of(thread)).await?;
        Ok(row.map(|row| ThreadRow { thread: thread.into(), ..row }))
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, CheckpointError> {
        self.store.namespaces(self.thread.of(thread)).await
    }

    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        self.store.checkpoint(self.thread.of(thread), ns, number).await
    }

    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError> {
        self.store.checkpoints(self.thread.of(thread), ns, filter).await
    }

    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.store.field(self.thread.of(thread), ns, field, version).await
    }

    async fn field_after(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
        known: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.store.field_after(self.thread.of(thread), ns, field, version, known).await
    }

    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.store.task_records(self.thread.of(thread), ns).await
    }

    async fn open_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.store.open_records(self.thread.of(thread), ns).await
    }

    async fn once_records(
        &self,
        thread: &str,
        ns: &str,
        tasks: &[Arc<str>],
    ) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.store.once_records(self.thread.of(thread), ns, tasks).await
    }

    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError> {
        self.store.journal(self.thread.of(thread), after, limit).await
    }

    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        self.store.last_seq(self.thread.of(thread)).await
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), CheckpointError> {
        if self.thread.is(thread) { Ok(()) } else { self.store.delete_thread(thread).await }
    }

    async fn copy_thread(&self, _: &str, _: &str) -> Result<(), CheckpointError> {
        Err(CheckpointError::Unsupported { ability: "copy_thread" })
    }

    async fn outline(&self, thread: &str, ns: &str) -> Result<Vec<FieldOutline>, CheckpointError> {
        self.store.outline(self.thread.of(thread), ns).await
    }
}
