//! How much of a thread's history is kept.

mod plan;

use std::time::Duration;

use super::{CheckpointError, Checkpointer, Lease};

pub(super) use plan::{Pins, RetentionPlan};

/// Which part of a thread's history is kept. Each limit that is set removes what it says; the default removes nothing.
///
/// Whatever the limits say, these stay: the head of every namespace, the checkpoints that its unfinished tasks were
/// dispatched on, those at which a kept checkpoint of a parent records that its subgraph stands, all field records that a kept checkpoint is read from, open questions with their answers, and the
/// results of durable steps of tasks that are unfinished at a kept checkpoint. So a thread goes on after pruning as if
/// nothing had happened; only time travel reaches less far.
///
/// ```
/// use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer, Retention};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let store = MemoryCheckpointer::new();
/// # let now = 0;
/// let retention = Retention::default().keep_last(10).max_age(Duration::from_secs(30 * 24 * 3600));
/// for thread in store.threads(&Default::default()).await? {
///     let pruned = retention.prune(&store, &thread.thread, now).await?;
///     println!("{}: {} checkpoints, {} bytes", thread.thread, pruned.checkpoints, pruned.bytes);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// Only so many checkpoints of each namespace, the newest. At least the head is kept.
    pub keep_last: Option<u64>,
    /// Only checkpoints that are not older.
    pub max_age: Option<Duration>,
    /// The oldest checkpoints of the thread go until its field records are not larger, or nothing more can go.
    pub max_bytes: Option<u64>,
    /// Whether the namespaces of subgraph calls go whose tasks are unfinished at no kept checkpoint.
    pub drop_finished_subgraphs: bool,
    /// Whether the journal begins with the run that made the oldest kept checkpoint of the root graph.
    pub cut_journal: bool,
}

/// What was removed, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pruned {
    /// Checkpoints.
    pub checkpoints: u64,
    /// Field records.
    pub records: u64,
    /// Bytes of these records.
    pub bytes: u64,
    /// Namespaces that went as a whole.
    pub namespaces: u64,
    /// Tasks whose records went.
    pub tasks: u64,
}

impl Retention {
    /// Keeps only so many checkpoints of each namespace.
    #[must_use]
    pub fn keep_last(mut self, checkpoints: u64) -> Self {
        self.keep_last = Some(checkpoints);
        self
    }

    /// Keeps only checkpoints that are not older.
    #[must_use]
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = Some(age);
        self
    }

    /// Keeps the thread's field records below this many bytes, as far as that is possible.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Drops the namespaces of subgraph calls that are over.
    #[must_use]
    pub fn drop_finished_subgraphs(mut self) -> Self {
        self.drop_finished_subgraphs = true;
        self
    }

    /// Lets the journal begin with the run that made the oldest kept checkpoint.
    #[must_use]
    pub fn cut_journal(mut self) -> Self {
        self.cut_journal = true;
        self
    }

    /// What [`prune`](Self::prune) would remove now. Writes nothing and needs no lease.
    ///
    /// # Errors
    /// The store's; [`CheckpointError::UnknownThread`].
    pub async fn preview(&self, store: &dyn Checkpointer, thread: &str, now: u64) -> Result<Pruned, CheckpointError> {
        let mut plan = RetentionPlan::read(store, thread).await?;
        plan.limit(self, now).await?;
        Ok(plan.finish(self).await?.1)
    }

    /// Prunes a thread that nobody writes. `now` is in milliseconds since 1970.
    ///
    /// # Errors
    /// The store's: [`CheckpointError::ThreadBusy`] while the thread is being written,
    /// [`CheckpointError::UnknownThread`], [`CheckpointError::Unsupported`] where the store cannot prune, and
    /// [`CheckpointError::Corrupt`] for a thread that cannot be read, of which nothing is removed.
    pub async fn prune(&self, store: &dyn Checkpointer, thread: &str, now: u64) -> Result<Pruned, CheckpointError> {
        if !store.capabilities().prune {
            return Err(CheckpointError::Unsupported { ability: "prune" });
        }
        let held = Held { store, lease: store.acquire(thread).await? };
        let mut plan = RetentionPlan::read(store, thread).await?;
        plan.limit(self, now).await?;
        let (pruning, pruned) = plan.finish(self).await?;
        if !pruning.cuts.is_empty() || pruning.journal_before > 0 {
            store.prune(&held.lease, pruning).await?;
        }
        Ok(pruned)
    }
}

/// A lease that is given back at the end, also when the future that holds it is dropped.
pub(super) struct Held<'s> {
    pub(super) store: &'s dyn Checkpointer,
    pub(super) lease: Lease,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.store.release(&self.lease);
    }
}
