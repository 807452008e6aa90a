//! Durable threads: what a store keeps, and the trait that stores implement.
//!
//! A *thread* is one durable execution. It has a row ([`ThreadRow`]) with its owner and epoch, and one *namespace* for
//! the root graph (`""`) and for each subgraph call. A namespace is a tree of checkpoints ([`CheckpointRow`]) with one
//! head. Field values are kept apart from checkpoints, as a chain of [`FieldRecord`]s per field: a whole value or the
//! updates since the record before. A store moves bytes and knows no graph.

mod chain;
mod checksum;
mod compact_event;
mod compact_step;
mod content;
mod error;
mod fork;
mod frontier;
mod id;
mod layer;
mod leases;
mod loaded;
mod memory;
mod pruning;
mod retention;
mod rows;
mod runs;
mod stored_event;
mod versions;
mod writer;
mod writes;

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;

pub use crate::bytes::RecordBytes;
pub use crate::status::ThreadStatus;
pub(crate) use chain::{Chain, check_chain, corrupt};
pub use checksum::Checksum;
pub(crate) use compact_event::CompactEvent;
pub use compact_step::{CompactStep, StepNames};
pub use content::FieldContent;
pub use error::CheckpointError;
pub use fork::fork_thread;
pub(crate) use frontier::{frontier_of, load_frontier};
pub use id::CheckpointId;
pub use layer::CheckpointerLayer;
pub use leases::{Leases, Reserved};
pub use loaded::{Known, Loaded};
pub(crate) use loaded::{fields_after, newest_number};
pub use memory::MemoryCheckpointer;
pub use pruning::{Cut, FieldOutline, Pruning};
pub use retention::{Pruned, Retention};
pub use rows::{
    Blob, CheckpointRow, Commit, FieldPayload, FieldRecord, JournalRow, RecordKind, RecordRef, Source, TaskRecord,
    TaskRecordKind, ThreadRow,
};
pub use runs::{RunRow, delete_runs, runs};
pub use stored_event::StoredEvent;
pub use versions::FieldVersions;
pub use writer::LeaseWriter;
pub(crate) use writes::{Writes, is_short};

/// The right to write a thread. Given by [`Checkpointer::acquire`], valid until released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The thread.
    pub thread: Arc<str>,
    /// Who writes: unique for every acquired lease.
    pub owner: Arc<str>,
    /// The thread's epoch under this lease.
    pub epoch: u64,
}

/// Which optional abilities a store has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// [`Checkpointer::delete_thread`].
    pub delete_thread: bool,
    /// [`Checkpointer::copy_thread`].
    pub copy_thread: bool,
    /// [`Checkpointer::outline`] and [`Checkpointer::prune`], and with them [`Retention`] and [`delete_runs`].
    pub prune: bool,
    /// Whether equal large values are stored once, however many records hold them.
    pub shares_values: bool,
    /// [`Checkpointer::stats`].
    pub stats: bool,
    /// [`Checkpointer::compact`].
    pub compact: bool,
    /// Whether commits may hold a step [in compact form](Commit::step). A store without it gets rows only.
    pub compact_steps: bool,
}

/// Which checkpoints [`Checkpointer::checkpoints`] lists, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryFilter {
    /// Only checkpoints with a smaller number.
    pub before: Option<u64>,
    /// Only checkpoints of this source.
    pub source: Option<Source>,
    /// At most this many.
    pub limit: Option<usize>,
}

/// Which threads [`Checkpointer::threads`] lists, the most recently written first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThreadFilter {
    /// Only threads of this graph.
    pub graph: Option<String>,
    /// Only threads of this status.
    pub status: Option<ThreadStatus>,
    /// At most this many.
    pub limit: Option<usize>,
}

/// Sizes of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Threads.
    pub threads: u64,
    /// Checkpoints of all threads.
    pub checkpoints: u64,
    /// Bytes of field records and blobs.
    pub bytes: u64,
}

/// A store of threads.
///
/// **One writer.** [`acquire`](Self::acquire) refuses while another live owner holds the thread, and otherwise answers
/// a lease with the thread's epoch raised by one; nothing is written yet. The lease's first [`commit`](Self::commit)
/// claims the thread: it succeeds only when the stored epoch is still `lease.epoch - 1` (or already `lease.epoch`
/// under the same owner). Every later commit succeeds only under the same owner and epoch, and moves a namespace's
/// head only from [`Commit::expected_head`]; anything else is [`CheckpointError::StaleHead`] and writes nothing.
///
/// **All or nothing.** A commit is one transaction, and has reached the store's stated durability when it returns.
///
/// # For authors of stores
///
/// The cases of the feature `conformance` check all of this and name the line and the value that differ:
///
/// - The first commit of a thread has a [row](Commit::thread). One without, to a thread that has none stored, is
///   [`CheckpointError::UnknownThread`].
/// - [`ThreadRow::thread`], [`ThreadRow::owner`] and [`ThreadRow::epoch`] are those of the lease, whatever stands in the row
///   of the commit.
/// - A commit whose journal rows do not ascend, or whose first does not follow the thread's newest one, in any namespace, is
///   [`CheckpointError::StaleHead`].
/// - A commit with a checkpoint whose number its namespace has already is [`CheckpointError::StaleHead`] too, also where the
///   expected head is right.
/// - [`field`](Self::field) of a version that is not there, or from which the chain does not lead to a whole value, is
///   [`CheckpointError::Corrupt`], also for a thread or a namespace that is not there.
/// - A step [in compact form](Commit::step) comes only to a store that [says so](Capabilities::compact_steps). It may come
///   together with all else that a commit holds, and what is read of it is what its rows would give.
/// - [`threads`](Self::threads) goes by the order in which commits were written. [`ThreadRow::updated`] says nothing of
///   it, for clocks of processes differ.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store of threads",
    label = "not a `Checkpointer`",
    note = "a store behind an `Arc` goes to `with_shared_checkpointer`"
)]
#[async_trait]
pub trait Checkpointer: Send + Sync + 'static {
    /// The optional abilities.
    fn capabilities(&self) -> Capabilities;

    /// Asks for the right to write a thread, which need not exist yet.
    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError>;

    /// Gives a lease back without writing. Idempotent, never blocks on I/O, also called when a run is dropped.
    fn release(&self, lease: &Lease);

    /// Writes one transaction under a lease.
    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError>;

    /// Writes commits under a lease in their order. Tasks beside each other commit through it, as much at once as has come
    /// while the store was busy. A store that can writes them in one transaction; by default they are one each. When it
    /// fails, the first few of them may be written, and what follows them is not.
    async fn commit_all(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        for commit in commits {
            self.commit(lease, commit).await?;
        }
        Ok(())
    }

    /// What writes under a lease where it is called, for a store that never waits: it spares a commit its future. Others have
    /// none.
    fn writer(&self, lease: &Lease) -> Option<Box<dyn LeaseWriter>> {
        let _ = lease;
        None
    }

    /// The row of a thread.
    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError>;

    /// Lists threads, the most recently written first.
    async fn threads(&self, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, CheckpointError>;

    /// The namespaces of a thread that have checkpoints, sorted.
    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, CheckpointError>;

    /// A checkpoint by number, or the head of the namespace.
    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError>;

    /// Lists checkpoints of a namespace, newest first.
    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError>;

    /// The records that make a field's value at a version: the nearest whole value at or before it, then every
    /// update after that, oldest first, along the chain of [`FieldRecord::previous`]. Blobs come inline.
    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError>;

    /// The same records without those up to the version `known`, whose value the caller has, where the chain leads through
    /// it; otherwise all of them. Unless a store stops there, all are read.
    ///
    /// # Errors
    /// As [`field`](Self::field).
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

    /// The records of all tasks of a namespace, in the order they were written.
    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError>;

    /// The records of a namespace that are no results of durable steps, in the order they were written. They are few, since
    /// commits settle them; results of durable steps stay. Unless a store looks them up, all records are read.
    async fn open_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(open_among(self.task_records(thread, ns).await?))
    }

    /// The results of durable steps of some tasks of a namespace, in the order they were written. A run that goes on asks
    /// for those of its unfinished tasks. Unless a store looks them up, all records are read.
    async fn once_records(
        &self,
        thread: &str,
        ns: &str,
        tasks: &[Arc<str>],
    ) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(once_among(self.task_records(thread, ns).await?, tasks))
    }

    /// A namespace at a checkpoint, or at its head; `None` for a namespace without one. Every run begins with it, and so
    /// does whoever looks at a state. By default it is several reads; a store that does it in one sees one state of the
    /// thread, whoever writes it meanwhile.
    ///
    /// While the namespace has the checkpoint `known`, under the same id, fields come as
    /// [`field_after`](Self::field_after) answers them for its versions: what has not changed since is not read.
    ///
    /// # Errors
    /// [`CheckpointError::UnknownCheckpoint`] for a number that the namespace does not have.
    async fn load(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
        known: Option<&Known>,
    ) -> Result<Option<Loaded>, CheckpointError> {
        loaded::load_in_parts(self, thread, ns, number, known).await
    }

    /// Journal rows of a thread after a sequence number, oldest first, at most `limit`.
    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError>;

    /// The sequence number of the thread's newest journal row, 0 without one. Every run asks for it once; unless a store
    /// looks it up, the whole journal is read.
    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        let mut last = 0;
        loop {
            match self.journal(thread, last, 1024).await?.last() {
                Some(row) => last = row.seq,
                None => return Ok(last),
            }
        }
    }

    /// Deletes a thread that nobody writes, with all that belongs to it.
    async fn delete_thread(&self, thread: &str) -> Result<(), CheckpointError> {
        let _ = thread;
        Err(CheckpointError::Unsupported { ability: "delete_thread" })
    }

    /// Copies a thread that nobody writes to a new id, with its whole history.
    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), CheckpointError> {
        let _ = (from, to);
        Err(CheckpointError::Unsupported { ability: "copy_thread" })
    }

    /// The records of all fields of a namespace, without their bytes, by field and version. Part of the ability `prune`.
    async fn outline(&self, thread: &str, ns: &str) -> Result<Vec<FieldOutline>, CheckpointError> {
        let _ = (thread, ns);
        Err(CheckpointError::Unsupported { ability: "prune" })
    }

    /// Removes parts of a thread in one transaction under a lease, which claims the thread as a commit does. What is to
    /// go is for the caller to know ([`Retention`] and [`delete_runs`] do); the store only sees to it that the head of
    /// every namespace that remains is a checkpoint that remains, and otherwise refuses with
    /// [`CheckpointError::StaleHead`]. What is not there any more is no error.
    async fn prune(&self, lease: &Lease, pruning: Pruning) -> Result<(), CheckpointError> {
        let _ = (lease, pruning);
        Err(CheckpointError::Unsupported { ability: "prune" })
    }

    /// Sizes of the store.
    async fn stats(&self) -> Result<Stats, CheckpointError> {
        Err(CheckpointError::Unsupported { ability: "stats" })
    }

    /// Gives unused room back to the system.
    async fn compact(&self) -> Result<(), CheckpointError> {
        Err(CheckpointError::Unsupported { ability: "compact" })
    }
}

/// The records of a chain after those up to a known version, or all when it is not among them.
fn after_known(mut chain: Vec<FieldRecord>, known: u64) -> Vec<FieldRecord> {
    if let Some(at) = chain.iter().position(|record| record.version == known) {
        chain.drain(..=at);
    }
    chain
}

/// Records that are no results of durable steps.
fn open_among(mut records: Vec<TaskRecord>) -> Vec<TaskRecord> {
    records.retain(|record| record.kind != TaskRecordKind::Once);
    records
}

/// The results of durable steps of some tasks.
fn once_among(mut records: Vec<TaskRecord>, tasks: &[Arc<str>]) -> Vec<TaskRecord> {
    let tasks: BTreeSet<&Arc<str>> = tasks.iter().collect();
    records.retain(|record| record.kind == TaskRecordKind::Once && tasks.contains(&record.task));
    records
}
