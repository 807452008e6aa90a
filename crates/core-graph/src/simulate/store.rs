//! A store whose process dies before or after a commit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::Notify;

use super::schedule::Random;
use crate::checkpoint::{
    Capabilities, CheckpointError, CheckpointRow, Checkpointer, Commit, FieldRecord, HistoryFilter, JournalRow, Lease,
    MemoryCheckpointer, TaskRecord, ThreadFilter, ThreadRow,
};

/// When the process dies.
#[derive(Clone, Copy, Debug)]
pub(super) enum Crashes {
    Never,
    At(u64),
    OneIn(u64),
}

/// The points of all lives of a simulation.
#[derive(Debug)]
pub(super) struct Plan {
    crashes: Crashes,
    inner: Mutex<Progress>,
}

#[derive(Debug)]
struct Progress {
    points: u64,
    random: Random,
    acknowledged: Vec<(Arc<str>, CheckpointRow)>,
}

/// The store as one process sees it.
pub(super) struct Life {
    store: MemoryCheckpointer,
    plan: Arc<Plan>,
    death: Notify,
    dead: Mutex<bool>,
    leases: Mutex<Vec<Lease>>,
}

impl Plan {
    pub(super) fn new(crashes: Crashes, seed: u64) -> Self {
        let progress = Progress { points: 0, random: Random::new(!seed), acknowledged: Vec::new() };
        Self { crashes, inner: Mutex::new(progress) }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a point; whether the process dies there.
    fn dies(&self) -> bool {
        let mut progress = self.lock();
        let point = progress.points;
        progress.points += 1;
        match self.crashes {
            Crashes::Never => false,
            Crashes::At(at) => at == point,
            Crashes::OneIn(most) => progress.random.below(2 * most) == 0,
        }
    }

    pub(super) fn points(&self) -> u64 {
        self.lock().points
    }

    pub(super) fn acknowledged(&self) -> Vec<(Arc<str>, CheckpointRow)> {
        self.lock().acknowledged.clone()
    }
}

impl Life {
    pub(super) fn new(store: MemoryCheckpointer, plan: Arc<Plan>) -> Self {
        Self { store, plan, death: Notify::new(), dead: Mutex::new(false), leases: Mutex::default() }
    }

    /// Resolves when the process dies.
    pub(super) async fn died(&self) {
        self.death.notified().await;
    }

    /// What a system does for a dead process: its locks are free.
    pub(super) fn bury(&self) {
        for lease in self.leases.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            self.store.release(&lease);
        }
    }

    fn is_dead(&self) -> bool {
        *self.dead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Dies, when the plan says so: the caller never goes on.
    async fn pass(&self) {
        if self.is_dead() || self.plan.dies() {
            *self.dead.lock().unwrap_or_else(PoisonError::into_inner) = true;
            self.death.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl Checkpointer for Life {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        let lease = self.store.acquire(thread).await?;
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).push(lease.clone());
        Ok(lease)
    }

    fn release(&self, lease: &Lease) {
        self.store.release(lease);
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        let row = commit.checkpoint.clone().map(|row| (Arc::clone(&commit.ns), row));
        self.pass().await;
        self.store.commit(lease, commit).await?;
        self.pass().await;
        self.plan.lock().acknowledged.extend(row);
        Ok(())
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
}
