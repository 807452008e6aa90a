//! A store around another store.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    Capabilities, CheckpointError, CheckpointRow, Checkpointer, Commit, FieldOutline, FieldRecord, HistoryFilter,
    JournalRow, Lease, Pruning, Stats, TaskRecord, ThreadFilter, ThreadRow, after_known, once_among, open_among,
};

/// A store around another one: what it does not do itself, the inner store does. Whatever is a layer is a
/// [`Checkpointer`].
///
/// Shortcuts are not passed on, since they would go around what the layer does: [`Checkpointer::load`] reads through the
/// layer's own methods, [`open_records`](Self::open_records) and [`once_records`](Self::once_records) choose among all
/// [`task_records`](Self::task_records), [`field_after`](Self::field_after) among all that [`field`](Self::field) answers, and
/// [`Checkpointer::writer`] and [`commit_all`](Self::commit_all) leave every commit to its [`commit`](Self::commit), which
/// finds rows in it: [`Capabilities::compact_steps`] is off. A layer that leaves records as they are passes the three on to
/// the inner store: otherwise a thread is read with the results of all the durable steps that it ever made, and with all that
/// its lists ever took.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use graphloom_core_graph::checkpoint::{
///     CheckpointError, Checkpointer, CheckpointerLayer, Commit, Lease, MemoryCheckpointer,
/// };
///
/// /// Counts commits.
/// struct Counted {
///     store: MemoryCheckpointer,
///     commits: AtomicU64,
/// }
///
/// #[async_trait::async_trait]
/// impl CheckpointerLayer for Counted {
///     fn inner(&self) -> &dyn Checkpointer {
///         &self.store
///     }
///
///     async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
///         self.commits.fetch_add(1, Ordering::Relaxed);
///         self.store.commit(lease, commit).await
///     }
/// }
/// ```
#[async_trait]
pub trait CheckpointerLayer: Send + Sync + 'static {
    /// The store inside.
    fn inner(&self) -> &dyn Checkpointer;

    /// As [`Checkpointer::capabilities`]: those of the inner store, without [`Capabilities::compact_steps`]. A layer that
    /// leaves commits as they are, or makes [rows](Commit::into_rows) of them, passes on that one, too.
    fn capabilities(&self) -> Capabilities {
        Capabilities { compact_steps: false, ..self.inner().capabilities() }
    }

    /// As [`Checkpointer::acquire`].
    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        self.inner().acquire(thread).await
    }

    /// As [`Checkpointer::release`].
    fn release(&self, lease: &Lease) {
        self.inner().release(lease);
    }

    /// As [`Checkpointer::commit`].
    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        self.inner().commit(lease, commit).await
    }

    /// As [`Checkpointer::commit_all`], which see. A layer that has nothing to do between commits passes them on together.
    async fn commit_all(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        for commit in commits {
            self.commit(lease, commit).await?;
        }
        Ok(())
    }

    /// As [`Checkpointer::thread`].
    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        self.inner().thread(thread).await
    }

    /// As [`Checkpointer::threads`].
    async fn threads(&self, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, CheckpointError> {
        self.inner().threads(filter).await
    }

    /// As [`Checkpointer::namespaces`].
    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, CheckpointError> {
        self.inner().namespaces(thread).await
    }

    /// As [`Checkpointer::checkpoint`].
    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        self.inner().checkpoint(thread, ns, number).await
    }

    /// As [`Checkpointer::checkpoints`].
    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError> {
        self.inner().checkpoints(thread, ns, filter).await
    }

    /// As [`Checkpointer::field`].
    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.inner().field(thread, ns, field, version).await
    }

    /// As [`Checkpointer::field_after`].
    async fn field_after(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
        known: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        Ok(after_known(self.field(thread, ns, field, version).await?, known))
    }

    /// As [`Checkpointer::task_records`].
    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.inner().task_records(thread, ns).await
    }

    /// As [`Checkpointer::open_records`].
    async fn open_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(open_among(self.task_records(thread, ns).await?))
    }

    /// As [`Checkpointer::once_records`].
    async fn once_records(
        &self,
        thread: &str,
        ns: &str,
        tasks: &[Arc<str>],
    ) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(once_among(self.task_records(thread, ns).await?, tasks))
    }

    /// As [`Checkpointer::journal`].
    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError> {
        self.inner().journal(thread, after, limit).await
    }

    /// As [`Checkpointer::last_seq`].
    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        self.inner().last_seq(thread).await
    }

    /// As [`Checkpointer::delete_thread`].
    async fn delete_thread(&self, thread: &str) -> Result<(), CheckpointError> {
        self.inner().delete_thread(thread).await
    }

    /// As [`Checkpointer::copy_thread`].
    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), CheckpointError> {
        self.inner().copy_thread(from, to).await
    }

    /// As [`Checkpointer::outline`].
    async fn outline(&self, thread: &str, ns: &str) -> Result<Vec<FieldOutline>, CheckpointError> {
        self.inner().outline(thread, ns).await
    }

    /// As [`Checkpointer::prune`].
    async fn prune(&self, lease: &Lease, pruning: Pruning) -> Result<(), CheckpointError> {
        self.inner().prune(lease, pruning).await
    }

    /// As [`Checkpointer::stats`].
    async fn stats(&self) -> Result<Stats, CheckpointError> {
        self.inner().stats().await
    }

    /// As [`Checkpointer::compact`].
    async fn compact(&self) -> Result<(), CheckpointError> {
        self.inner().compact().await
    }
}

#[diagnostic::do_not_recommend]
#[async_trait]
impl<L: CheckpointerLayer> Checkpointer for L {
    fn capabilities(&self) -> Capabilities {
        CheckpointerLayer::capabilities(self)
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        CheckpointerLayer::acquire(self, thread).await
    }

    fn release(&self, lease: &Lease) {
        CheckpointerLayer::release(self, lease);
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        CheckpointerLayer::commit(self, lease, commit).await
    }

    async fn commit_all(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        CheckpointerLayer::commit_all(self, lease, commits).await
    }

    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        CheckpointerLayer::thread(self, thread).await
    }

    async fn threads(&self, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, CheckpointError> {
        CheckpointerLayer::threads(self, filter).await
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, CheckpointError> {
        CheckpointerLayer::namespaces(self, thread).await
    }

    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        CheckpointerLayer::checkpoint(self, thread, ns, number).await
    }

    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError> {
        CheckpointerLayer::checkpoints(self, thread, ns, filter).await
    }

    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        CheckpointerLayer::field(self, thread, ns, field, version).await
    }

    async fn field_after(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
        known: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        CheckpointerLayer::field_after(self, thread, ns, field, version, known).await
    }

    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        CheckpointerLayer::task_records(self, thread, ns).await
    }

    async fn open_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        CheckpointerLayer::open_records(self, thread, ns).await
    }

    async fn once_records(
        &self,
        thread: &str,
        ns: &str,
        tasks: &[Arc<str>],
    ) -> Result<Vec<TaskRecord>, CheckpointError> {
        CheckpointerLayer::once_records(self, thread, ns, tasks).await
    }

    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError> {
        CheckpointerLayer::journal(self, thread, after, limit).await
    }

    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        CheckpointerLayer::last_seq(self, thread).await
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), CheckpointError> {
        CheckpointerLayer::delete_thread(self, thread).await
    }

    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), CheckpointError> {
        CheckpointerLayer::copy_thread(self, from, to).await
    }

    async fn outline(&self, thread: &str, ns: &str) -> Result<Vec<FieldOutline>, CheckpointError> {
        CheckpointerLayer::outline(self, thread, ns).await
    }

    async fn prune(&self, lease: &Lease, pruning: Pruning) -> Result<(), CheckpointError> {
        CheckpointerLayer::prune(self, lease, pruning).await
    }

    async fn stats(&self) -> Result<Stats, CheckpointError> {
        CheckpointerLayer::stats(self).await
    }

    async fn compact(&self) -> Result<(), CheckpointError> {
        CheckpointerLayer::compact(self).await
    }
}
