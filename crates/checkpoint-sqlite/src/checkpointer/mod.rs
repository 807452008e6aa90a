//! The checkpointer on a database.

mod chain;
mod checksum;
mod claim;
mod commit;
mod known;
mod names;
mod packed;
mod prune;
mod read;
mod statements;
mod upkeep;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    Capabilities, CheckpointError, CheckpointRow, Checkpointer, Commit, FieldOutline, FieldRecord, HistoryFilter,
    JournalRow, Known, Lease, Leases, Loaded, Pruning, Stats, TaskRecord, ThreadFilter, ThreadRow,
};
use rusqlite::Connection;

use self::known::Leased;
use self::names::Names;
use crate::database::{Database, OwnerFile, is_alive, lock};
use crate::failure::{Failure, Refusal};
use crate::options::SqliteOptions;
use crate::store::SqliteStore;

/// A [`Checkpointer`] in a SQLite file.
///
/// Any number of processes may open one file; a thread has one writer among all of them. When a writer's process dies,
/// the next [`acquire`](Checkpointer::acquire) takes its threads over at once. A clone is another handle to the same
/// checkpointer, and so to the same leases.
///
/// With [`Synchronous::Normal`](crate::Synchronous::Normal) a commit runs on the thread that polls it, some tens of
/// microseconds, and longer while another process writes; one that comes meanwhile waits without keeping its thread, and
/// is done by who is at work, together with all that wait. Reads never wait for writers.
#[derive(Clone, Debug)]
pub struct SqliteCheckpointer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    // Dropped before the owner file: once the owner is seen to be gone, its writer is no longer at work.
    database: Arc<Database>,
    leases: Leases,
    known: Leased,
    names: Arc<Names>,
    owner: OwnerFile,
}

impl SqliteCheckpointer {
    /// Opens a file with the default options, and makes it when it is not there.
    ///
    /// # Errors
    /// [`CheckpointError::Corrupt`] for a file that is not a database of this crate, [`CheckpointError::NewerFormat`]
    /// for one of a newer version, [`CheckpointError::Locked`], [`CheckpointError::Full`], and
    /// [`CheckpointError::Store`] when the file or its directory cannot be written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        Self::open_with(path, SqliteOptions::default())
    }

    /// Opens a file, and makes it when it is not there. Errors as for [`SqliteCheckpointer::open`].
    pub fn open_with(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, CheckpointError> {
        let path = path.as_ref();
        let open = || -> Result<Self, Failure> {
            let database = Database::open(path, options)?;
            let owner = OwnerFile::create(&database.path)?;
            let leases = Leases::new(&owner.instance);
            let (known, names) = (Leased::default(), Arc::default());
            Ok(Self { inner: Arc::new(Inner { database, leases, known, names, owner }) })
        };
        open().map_err(|failure| failure.checkpoint(path, "opening the store"))
    }

    /// The long-term store in the same file.
    pub fn store(&self) -> SqliteStore {
        SqliteStore::on(Arc::clone(&self.inner.database))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.inner.database.path
    }

    fn read<T>(
        &self,
        action: &str,
        read: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, CheckpointError> {
        self.inner.database.read(read).map_err(|failure| self.error(failure, action))
    }

    fn read_row<T>(
        &self,
        action: &str,
        read: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, CheckpointError> {
        self.inner.database.read_row(read).map_err(|failure| self.error(failure, action))
    }

    fn error(&self, failure: Failure, action: &str) -> CheckpointError {
        failure.checkpoint(&self.inner.database.path, action)
    }

    async fn acquire_thread(&self, thread: &str) -> Result<Lease, Failure> {
        let thread: Arc<str> = thread.into();
        let reserved = self
            .inner
            .leases
            .reserve(&thread)
            .map_err(|owner| Refusal::Busy { thread: thread.to_string(), owner: owner.to_string() })?;
        // Behind all commits in the queue, so that what the next reads is what they wrote.
        let name = Arc::clone(&thread);
        let row = self.inner.database.writer.alone(move |connection| claim::owner(connection, &name)).await?;
        let (epoch, owner) = row.map_or((0, String::new()), |row| (row.epoch, row.owner));
        // Without a slash it is nobody's. What names this checkpointer is a lease of ours that was given back.
        if let Some((instance, _)) = owner.split_once('/')
            && instance != self.inner.owner.instance
            && is_alive(&self.inner.database.path, instance)?
        {
            return Err(Refusal::Busy { thread: thread.to_string(), owner }.into());
        }
        Ok(reserved.into_lease(epoch + 1))
    }

    /// Writes commits in one transaction.
    async fn commit_under(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), Failure> {
        self.inner.leases.claim(lease).map_err(|detail| Refusal::Stale {
            thread: lease.thread.to_string(),
            ns: commits.first().map(|commit| commit.ns.to_string()).unwrap_or_default(),
            epoch: lease.epoch,
            detail,
        })?;
        let release = commits.iter().any(|commit| commit.release);
        let (under, known) = (lease.clone(), self.inner.known.of(lease));
        let (names, seen) = (Arc::clone(&self.inner.names), Arc::clone(&known));
        let mut began = None;
        let work = Box::new(move |connection: &Connection| {
            let mut known = lock(&known);
            // When it is done again, what it did before is undone.
            known.last_seq = *began.get_or_insert(known.last_seq);
            known.asked.undo();
            commit::apply_all(connection, &under, &commits, &mut known, &names)
        });
        let written = self.inner.database.writer.write(work).await;
        if written.is_ok() {
            self.inner.names.learn(&mut lock(&seen).asked);
        }
        if release || written.is_err() {
            self.inner.known.forget(lease);
        }
        if release && written.is_ok() {
            self.inner.leases.remove(lease);
        }
        written
    }
}

#[async_trait]
impl Checkpointer for SqliteCheckpointer {
    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.delete_thread = true;
        capabilities.copy_thread = true;
        capabilities.prune = true;
        capabilities.shares_values = true;
        capabilities.stats = true;
        capabilities.compact = true;
        capabilities.compact_steps = true;
        capabilities
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        self.acquire_thread(thread).await.map_err(|failure| self.error(failure, "asking for a thread"))
    }

    fn release(&self, lease: &Lease) {
        self.inner.known.forget(lease);
        if self.inner.leases.remove(lease) {
            let lease = lease.clone();
            self.inner.database.writer.write_later(Box::new(move |connection| claim::disown(connection, &lease)));
        }
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        self.commit_under(lease, vec![commit]).await.map_err(|failure| self.error(failure, "committing"))
    }

    async fn commit_all(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        self.commit_under(lease, commits).await.map_err(|failure| self.error(failure, "committing"))
    }

    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        self.read_row("reading a thread", |connection| read::thread(connection, thread))
    }

    async fn threads(&self, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, CheckpointError> {
        self.read("listing threads", |connection| read::threads(connection, filter))
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, CheckpointError> {
        self.read("listing namespaces", |connection| read::namespaces(connection, thread))
    }

    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        self.read_row("reading a checkpoint", |connection| {
            read::checkpoint(connection, &self.inner.names, thread, ns, number)
        })
    }

    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError> {
        self.read("listing checkpoints", |connection| {
            read::checkpoints(connection, &self.inner.names, thread, ns, filter)
        })
    }

    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.read("reading a field", |connection| {
            chain::field(connection, &self.inner.names, thread, ns, field, version, None)
        })
    }

    async fn field_after(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
        known: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.read("reading a field", |connection| {
            chain::field(connection, &self.inner.names, thread, ns, field, version, Some(known))
        })
    }

    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.read("reading task records", |connection| read::task_records(connection, thread, ns))
    }

    async fn open_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.read("reading task records", |connection| read::open_records(connection, thread, ns))
    }

    async fn once_records(
        &self,
        thread: &str,
        ns: &str,
        tasks: &[Arc<str>],
    ) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.read("reading task records", |connection| read::once_records(connection, thread, ns, tasks))
    }

    async fn load(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
        known: Option<&Known>,
    ) -> Result<Option<Loaded>, CheckpointError> {
        self.read("loading a thread", |connection| read::load(connection, &self.inner.names, thread, ns, number, known))
    }

    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError> {
        self.read("reading the journal", |connection| read::journal(connection, thread, after, limit))
    }

    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        self.read_row("reading the journal", |connection| read::last_seq(connection, thread))
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), CheckpointError> {
        // Under a lease of our own, so that nobody writes the thread meanwhile.
        let lease = HeldLease { store: self, lease: self.acquire(thread).await? };
        let deleted = lease.lease.clone();
        let writer = &self.inner.database.writer;
        let result = writer.write(Box::new(move |connection| upkeep::delete_thread(connection, &deleted))).await;
        result.map_err(|failure| self.error(failure, "deleting a thread"))
    }

    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), CheckpointError> {
        let from = HeldLease { store: self, lease: self.acquire(from).await? };
        if from.lease.thread.as_ref() == to {
            return Err(CheckpointError::ThreadExists { thread: to.to_owned() });
        }
        let to = HeldLease { store: self, lease: self.acquire(to).await? };
        let (source, target) = (from.lease.clone(), to.lease.clone());
        let writer = &self.inner.database.writer;
        let result =
            writer.write(Box::new(move |connection| upkeep::copy_thread(connection, &source, &target.thread))).await;
        result.map_err(|failure| self.error(failure, "copying a thread"))
    }

    async fn outline(&self, thread: &str, ns: &str) -> Result<Vec<FieldOutline>, CheckpointError> {
        self.read("reading an outline", |connection| read::outline(connection, &self.inner.names, thread, ns))
    }

    async fn prune(&self, lease: &Lease, pruning: Pruning) -> Result<(), CheckpointError> {
        let claim = self.inner.leases.claim(lease).map_err(|detail| Refusal::Stale {
            thread: lease.thread.to_string(),
            ns: String::new(),
            epoch: lease.epoch,
            detail,
        });
        claim.map_err(CheckpointError::from)?;
        let under = lease.clone();
        let work = Box::new(move |connection: &Connection| prune::apply(connection, &under, &pruning));
        self.inner.database.writer.write(work).await.map_err(|failure| self.error(failure, "pruning a thread"))
    }

    async fn stats(&self) -> Result<Stats, CheckpointError> {
        self.read("measuring the store", upkeep::stats)
    }

    async fn compact(&self) -> Result<(), CheckpointError> {
        let result = self.inner.database.writer.alone(|connection| upkeep::compact(connection)).await;
        result.map_err(|failure| self.error(failure, "compacting the store"))
    }
}

/// A lease that is given back at the end, also when the future that holds it is dropped.
struct HeldLease<'s> {
    store: &'s SqliteCheckpointer,
    lease: Lease,
}

impl Drop for HeldLease<'_> {
    fn drop(&mut self) {
        self.store.release(&self.lease);
    }
}
