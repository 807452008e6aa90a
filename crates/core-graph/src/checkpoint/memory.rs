//! A store of threads in this process's memory.

mod columns;
mod hasher;
mod journal;
mod namespace;
mod pages;
mod steps;
mod thread;
mod writer;

use crate::lock::lock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use async_trait::async_trait;
use dashmap::{DashMap, Entry};

use self::hasher::Seeded;
use self::thread::MemoryThread;
use self::writer::MemoryWriter;
use super::{
    Blob, Capabilities, CheckpointError, CheckpointRow, Checkpointer, Commit, FieldOutline, FieldPayload, FieldRecord,
    HistoryFilter, JournalRow, Lease, LeaseWriter, Pruning, Stats, TaskRecord, ThreadFilter, ThreadRow,
};

/// A [`Checkpointer`] that keeps threads in memory, for as long as a handle lives.
///
/// Threads outlive runs but not the process: good for tests, and for apps that want interrupts and time travel
/// without a file. A clone is another handle to the same store. A commit costs what it carries, whatever the length
/// of the thread's history.
#[derive(Clone, Debug, Default)]
pub struct MemoryCheckpointer {
    inner: Arc<StoreParts>,
}

#[derive(Debug, Default)]
struct StoreParts {
    threads: DashMap<Arc<str>, Arc<Mutex<ThreadSlot>>, Seeded>,
    /// Large values by content. A value lives as long as a record holds it.
    blobs: DashMap<Arc<str>, Weak<[u8]>>,
    leases: AtomicU64,
    writes: AtomicU64,
}

/// What is known under a thread's id: who may write it, and what has been written.
#[derive(Debug, Default)]
struct ThreadSlot {
    /// The owner of the live lease.
    lease: Option<Arc<str>>,
    /// `None` before the first commit and after deletion.
    thread: Option<MemoryThread>,
}

impl MemoryCheckpointer {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a thread's data under its lock; `None` when there is no such thread.
    fn read<T>(&self, thread: &str, read: impl FnOnce(&MemoryThread) -> T) -> Option<T> {
        let slot = self.slot(thread)?;
        lock(&slot).thread.as_ref().map(read)
    }

    /// The chain of records behind a version of a field, without what a known version has.
    fn chain(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
        known: Option<u64>,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.read(thread, |data| data.field(ns, field, version, known))
            .unwrap_or_else(|| Err("there is no such thread".to_owned()))
            .map_err(|message| CheckpointError::Corrupt {
                place: format!("thread `{thread}`, namespace `{ns}`, field `{field}`"),
                message,
            })
    }

    fn slot(&self, thread: &str) -> Option<Arc<Mutex<ThreadSlot>>> {
        self.inner.threads.get(thread).map(|slot| Arc::clone(&slot))
    }

    fn slot_or_new(&self, thread: &str) -> Arc<Mutex<ThreadSlot>> {
        match self.slot(thread) {
            Some(slot) => slot,
            None => Arc::clone(&self.inner.threads.entry(Arc::from(thread)).or_default()),
        }
    }

    /// Forgets an id that holds neither data nor lease. References to a slot are taken only under the map's lock, so a
    /// count of one means that nobody else holds it.
    fn forget_if_empty(&self, thread: &str) {
        self.inner.threads.remove_if(thread, |_, slot| {
            let slot_unused = Arc::strong_count(slot) == 1;
            slot_unused && {
                let slot = lock(slot);
                slot.lease.is_none() && slot.thread.is_none()
            }
        });
    }

    /// The stored bytes of the same content, when there are any.
    fn share(&self, record: &mut FieldRecord) {
        let FieldPayload::Blob(Blob { hash, bytes }) = &mut record.payload else { return };
        match self.inner.blobs.entry(Arc::clone(hash)) {
            Entry::Occupied(mut held) => match held.get().upgrade() {
                Some(stored) => *bytes = stored,
                None => *held.get_mut() = Arc::downgrade(bytes),
            },
            Entry::Vacant(free) => {
                free.insert(Arc::downgrade(bytes));
            }
        }
    }

    fn commit_to(&self, slot: &Mutex<ThreadSlot>, lease: &Lease, commit: &mut Commit) -> Result<(), CheckpointError> {
        let stale = |ns: &str, detail: &str| stale(lease, ns, detail.to_owned());
        let mut slot = lock(slot);
        if !slot.lease.as_ref().is_some_and(|owner| Arc::ptr_eq(owner, &lease.owner) || *owner == lease.owner) {
            return Err(stale(&commit.ns, GIVEN_BACK));
        }
        if slot.thread.as_mut().is_some_and(|thread| thread.add_step(lease, commit)) {
            return Ok(());
        }
        commit.expand();
        if let Some(thread) = &slot.thread {
            thread.check(lease, commit).map_err(|detail| stale(&commit.ns, &detail))?;
        } else {
            if commit.thread.is_none() {
                return Err(CheckpointError::UnknownThread { thread: lease.thread.to_string() });
            }
            MemoryThread::default().check(lease, commit).map_err(|detail| stale(&commit.ns, &detail))?;
        }
        for record in &mut commit.fields {
            self.share(record);
        }
        let release = commit.release;
        let write = self.inner.writes.fetch_add(1, Ordering::Relaxed);
        slot.thread.get_or_insert_default().apply(lease, commit, write);
        if release {
            slot.lease = None;
        }
        Ok(())
    }
}

#[async_trait]
impl Checkpointer for MemoryCheckpointer {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            delete_thread: true,
            copy_thread: true,
            prune: true,
            shares_values: true,
            stats: true,
            compact: true,
            compact_steps: true,
        }
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        let slot = self.slot_or_new(thread);
        let mut slot = lock(&slot);
        if let Some(owner) = &slot.lease {
            return Err(CheckpointError::ThreadBusy { thread: thread.to_owned(), owner: owner.to_string() });
        }
        let number = self.inner.leases.fetch_add(1, Ordering::Relaxed) + 1;
        let owner: Arc<str> = format!("memory/{number}").into();
        let epoch = slot.thread.as_ref().map_or(0, MemoryThread::epoch) + 1;
        slot.lease = Some(Arc::clone(&owner));
        Ok(Lease { thread: thread.into(), owner, epoch })
    }

    fn release(&self, lease: &Lease) {
        if let Some(slot) = self.slot(&lease.thread) {
            let mut slot = lock(&slot);
            if slot.lease.as_ref() == Some(&lease.owner) {
                slot.lease = None;
                if let Some(thread) = &mut slot.thread {
                    thread.disown(&lease.owner);
                }
            }
        }
        self.forget_if_empty(&lease.thread);
    }

    async fn commit(&self, lease: &Lease, mut commit: Commit) -> Result<(), CheckpointError> {
        let slot = self.slot(&lease.thread).ok_or_else(|| stale(lease, &commit.ns, GIVEN_BACK.to_owned()))?;
        self.commit_to(&slot, lease, &mut commit)
    }

    fn writer(&self, lease: &Lease) -> Option<Box<dyn LeaseWriter>> {
        let slot = self.slot(&lease.thread)?;
        Some(Box::new(MemoryWriter { store: self.clone(), slot, lease: lease.clone() }))
    }

    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        Ok(self.read(thread, MemoryThread::row).flatten())
    }

    async fn threads(&self, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, CheckpointError> {
        let slots: Vec<_> = self.inner.threads.iter().map(|slot| Arc::clone(slot.value())).collect();
        let mut rows: Vec<(u64, ThreadRow)> = slots
            .iter()
            .filter_map(|slot| {
                let slot = lock(slot);
                let thread = slot.thread.as_ref()?;
                Some((thread.written(), thread.row()?))
            })
            .filter(|(_, row)| filter.graph.as_ref().is_none_or(|graph| *graph == row.graph))
            .filter(|(_, row)| filter.status.is_none_or(|status| status == row.status))
            .collect();
        rows.sort_by_key(|(written, _)| std::cmp::Reverse(*written));
        Ok(rows.into_iter().map(|(_, row)| row).take(filter.limit.unwrap_or(usize::MAX)).collect())
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, CheckpointError> {
        Ok(self.read(thread, MemoryThread::namespaces).unwrap_or_default())
    }

    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        Ok(self.read(thread, |thread| thread.checkpoint(ns, number)).flatten())
    }

    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError> {
        Ok(self.read(thread, |thread| thread.checkpoints(ns, filter)).unwrap_or_default())
    }

    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.chain(thread, ns, field, version, None)
    }

    async fn field_after(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
        known: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.chain(thread, ns, field, version, Some(known))
    }

    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(self.read(thread, |thread| thread.task_records(ns)).unwrap_or_default())
    }

    async fn open_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(self.read(thread, |thread| thread.open_records(ns)).unwrap_or_default())
    }

    async fn once_records(
        &self,
        thread: &str,
        ns: &str,
        tasks: &[Arc<str>],
    ) -> Result<Vec<TaskRecord>, CheckpointError> {
        Ok(self.read(thread, |thread| thread.once_records(ns, tasks)).unwrap_or_default())
    }

    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError> {
        Ok(self.read(thread, |thread| thread.journal(after, limit)).unwrap_or_default())
    }

    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        Ok(self.read(thread, MemoryThread::last_seq).unwrap_or(0))
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), CheckpointError> {
        let unknown = || CheckpointError::UnknownThread { thread: thread.to_owned() };
        {
            let slot = self.slot(thread).ok_or_else(unknown)?;
            let mut slot = lock(&slot);
            if let Some(owner) = &slot.lease {
                return Err(CheckpointError::ThreadBusy { thread: thread.to_owned(), owner: owner.to_string() });
            }
            slot.thread.take().ok_or_else(unknown)?;
        }
        self.forget_if_empty(thread);
        Ok(())
    }

    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), CheckpointError> {
        let busy = |thread: &str, owner: &str| CheckpointError::ThreadBusy {
            thread: thread.to_owned(),
            owner: owner.to_owned(),
        };
        let unknown = || CheckpointError::UnknownThread { thread: from.to_owned() };
        // One lock at a time: two copies in opposite directions must not wait for each other.
        let copy = {
            let slot = self.slot(from).ok_or_else(unknown)?;
            let slot = lock(&slot);
            let thread = slot.thread.as_ref().ok_or_else(unknown)?;
            if let Some(owner) = &slot.lease {
                return Err(busy(from, owner));
            }
            thread.copy_as(to, self.inner.writes.fetch_add(1, Ordering::Relaxed))
        };
        let slot = self.slot_or_new(to);
        let mut slot = lock(&slot);
        if slot.thread.is_some() {
            return Err(CheckpointError::ThreadExists { thread: to.to_owned() });
        }
        if let Some(owner) = &slot.lease {
            return Err(busy(to, owner));
        }
        slot.thread = Some(copy);
        Ok(())
    }

    async fn outline(&self, thread: &str, ns: &str) -> Result<Vec<FieldOutline>, CheckpointError> {
        Ok(self.read(thread, |thread| thread.outline(ns)).unwrap_or_default())
    }

    async fn prune(&self, lease: &Lease, pruning: Pruning) -> Result<(), CheckpointError> {
        let stale = |detail: String| stale(lease, "", detail);
        let slot = self.slot(&lease.thread).ok_or_else(|| stale(GIVEN_BACK.to_owned()))?;
        let mut slot = lock(&slot);
        if slot.lease.as_ref() != Some(&lease.owner) {
            return Err(stale(GIVEN_BACK.to_owned()));
        }
        let unknown = || CheckpointError::UnknownThread { thread: lease.thread.to_string() };
        let thread = slot.thread.as_mut().ok_or_else(unknown)?;
        thread.check(lease, &Commit::default()).and_then(|()| thread.check_cuts(&pruning)).map_err(stale)?;
        let write = self.inner.writes.fetch_add(1, Ordering::Relaxed);
        thread.apply(lease, &mut Commit { thread: pruning.thread.clone(), ..Commit::default() }, write);
        thread.prune(&pruning);
        Ok(())
    }

    async fn stats(&self) -> Result<Stats, CheckpointError> {
        let slots: Vec<_> = self.inner.threads.iter().map(|slot| Arc::clone(slot.value())).collect();
        let mut stats = Stats::default();
        for slot in slots {
            if let Some(thread) = &lock(&slot).thread {
                stats.threads += 1;
                thread.add_to(&mut stats);
            }
        }
        let blobs = self.inner.blobs.iter().filter_map(|blob| blob.upgrade());
        stats.bytes += blobs.map(|bytes| bytes.len() as u64).sum::<u64>();
        Ok(stats)
    }

    async fn compact(&self) -> Result<(), CheckpointError> {
        self.inner.blobs.retain(|_, bytes| bytes.strong_count() > 0);
        Ok(())
    }
}

const GIVEN_BACK: &str = "the lease was given back";

fn stale(lease: &Lease, ns: &str, detail: String) -> CheckpointError {
    let (thread, ns) = (lease.thread.to_string(), ns.to_owned());
    CheckpointError::StaleHead { thread, ns, epoch: lease.epoch, detail }
}

#[cfg(test)]
mod tests;
