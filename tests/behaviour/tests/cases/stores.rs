//! Stores that fail at one call, and stores whose process dies.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    CheckpointError, CheckpointRow, Checkpointer, CheckpointerLayer, Commit, FieldRecord, JournalRow, Lease,
    TaskRecord, ThreadRow, ThreadStatus,
};

/// A call of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Acquire,
    Commit,
    /// The commit that writes how a run ended.
    Close,
    Thread,
    Checkpoint,
    Field,
    TaskRecords,
    Journal,
}

/// Every call that a run makes, but [`Call::Close`], which is one of its commits.
pub(crate) const CALLS: [Call; 7] =
    [Call::Acquire, Call::Commit, Call::Thread, Call::Checkpoint, Call::Field, Call::TaskRecords, Call::Journal];

/// A store that can be told to refuse one kind of call, or to die: from then on nothing that is asked of it returns.
pub(crate) struct FailingStore {
    store: Arc<dyn Checkpointer>,
    refused: Mutex<Option<Call>>,
    dead: AtomicBool,
    /// Commits that have reached the store and not come back.
    under_way: AtomicUsize,
    leases: Mutex<Vec<Lease>>,
}

impl FailingStore {
    pub(crate) fn new(store: Arc<dyn Checkpointer>) -> Arc<Self> {
        Arc::new(Self {
            store,
            refused: Mutex::default(),
            dead: AtomicBool::default(),
            under_way: AtomicUsize::default(),
            leases: Mutex::default(),
        })
    }

    /// Refuses a kind of call from now on, or none.
    pub(crate) fn refuse(&self, call: Option<Call>) {
        *self.refused.lock().expect("nobody panics here") = call;
    }

    /// What becomes of a process that is killed: nothing more reaches the store, and the system frees what it held.
    pub(crate) async fn die(&self) {
        self.dead.store(true, Ordering::SeqCst);
        while self.under_way.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
        for lease in self.leases.lock().expect("nobody panics here").drain(..) {
            self.store.release(&lease);
        }
    }

    async fn asked(&self, call: Call) -> Result<(), CheckpointError> {
        if self.dead.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        if *self.refused.lock().expect("nobody panics here") == Some(call) {
            return Err(CheckpointError::Full { path: format!("{call:?}"), message: "refused".to_owned() });
        }
        Ok(())
    }
}

#[async_trait]
impl CheckpointerLayer for FailingStore {
    fn inner(&self) -> &dyn Checkpointer {
        &*self.store
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        self.asked(Call::Acquire).await?;
        let lease = self.store.acquire(thread).await?;
        self.leases.lock().expect("nobody panics here").push(lease.clone());
        Ok(lease)
    }
    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        self.asked(Call::Commit).await?;
        if commit.thread.as_ref().is_some_and(|row| row.status != ThreadStatus::Running) {
            self.asked(Call::Close).await?;
        }
        self.under_way.fetch_add(1, Ordering::SeqCst);
        let written = self.store.commit(lease, commit).await;
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        written
    }
    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        self.asked(Call::Thread).await?;
        self.store.thread(thread).await
    }
    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        self.asked(Call::Checkpoint).await?;
        self.store.checkpoint(thread, ns, number).await
    }
    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.asked(Call::Field).await?;
        self.store.field(thread, ns, field, version).await
    }
    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.asked(Call::TaskRecords).await?;
        self.store.task_records(thread, ns).await
    }
    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError> {
        self.asked(Call::Journal).await?;
        self.store.journal(thread, after, limit).await
    }

    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        self.asked(Call::Journal).await?;
        self.store.last_seq(thread).await
    }
}
