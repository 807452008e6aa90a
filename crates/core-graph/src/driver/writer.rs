//! The writing side of a run: commits under a lease, by the run's durability.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::smallvec;

use crate::checkpoint::{
    CheckpointError, Checkpointer, Commit, DirectWriter, Lease, PlainStep, TaskRecord, Teller, ThreadRow,
};
use crate::driver::deferred::Deferred;
use crate::driver::line::{Commits, Line, Place, Progress};
use crate::driver::policy::Durability;
use crate::driver::sink::Queue;
use crate::driver::told::{Events, number, tell};
use crate::machine::Heads;

/// A session's side of the store.
pub(crate) struct Attached {
    pub(crate) store: Arc<dyn Checkpointer>,
    pub(crate) lease: Lease,
    /// The thread's row without status: copied into the commits that set one.
    pub(crate) row: ThreadRow,
    /// The sequence number of the journal. Held while a commit is written or put in the line, so that rows are stored in
    /// order.
    journal: tokio::sync::Mutex<u64>,
    /// The direct way into the store, if it has one. Commits that are waited for take it.
    direct: Option<Direct>,
    /// Where commits wait that are not written where they are made.
    line: Mutex<Option<Line>>,
    progress: Arc<Progress>,
    deferred: Mutex<Deferred>,
    /// How many tasks of the run are in flight beside others.
    beside: Arc<AtomicUsize>,
}

/// A direct way into the store, and the sequence number of the journal on it. Held while a commit is written, which takes
/// no waiting.
struct Direct {
    writer: DirectWriter,
    seq: Mutex<u64>,
}

impl Attached {
    pub(crate) fn new(store: Arc<dyn Checkpointer>, lease: Lease, row: ThreadRow, last_seq: u64) -> Self {
        let direct = store.direct_writer(&lease).map(|writer| Direct { writer, seq: Mutex::new(last_seq) });
        Self {
            store,
            lease,
            row,
            journal: tokio::sync::Mutex::new(last_seq),
            direct,
            line: Mutex::default(),
            progress: Arc::default(),
            deferred: Mutex::default(),
            beside: Arc::default(),
        }
    }

    /// Ends the run with an error of the store: nothing more is written.
    pub(crate) fn fail(&self, error: CheckpointError) {
        self.progress.fail(error);
    }

    /// Goes on with the journal after a sequence number.
    pub(crate) fn resume_journal(&mut self, last_seq: u64) {
        self.journal = tokio::sync::Mutex::new(last_seq);
        if let Some(direct) = &mut self.direct {
            direct.seq = Mutex::new(last_seq);
        }
    }

    /// Where tasks in flight beside others are counted.
    pub(crate) fn beside(&self) -> &Arc<AtomicUsize> {
        &self.beside
    }

    /// The journal's sequence number; nobody else writes or tells while it is held.
    async fn lock_journal(&self) -> tokio::sync::MutexGuard<'_, u64> {
        match self.journal.try_lock() {
            Ok(journal) => journal,
            Err(_) => self.journal.lock().await,
        }
    }

    /// Writes a commit that records `heads` of subgraphs, and tells its events to the reader of the run.
    pub(crate) async fn commit(
        &self,
        mut commit: Box<Commit>,
        heads: &Heads,
        events: &mut Events,
        durability: Durability,
        reader: Option<&Arc<Queue>>,
    ) -> Result<(), CheckpointError> {
        if reader.is_none()
            && let Some(written) = self.write_directly(&mut commit, events, durability)
        {
            return written;
        }
        // Held until all is told, so that a reader is told in the order of the journal.
        let mut journal = self.lock_journal().await;
        self.progress.check()?;
        if let Some(written) = self.write_directly(&mut commit, events, durability) {
            written?;
        } else {
            commit.journal = number(events, &mut journal);
            match durability {
                Durability::Sync => {
                    if !self.is_alone() {
                        let place = self.end_of_line().await;
                        let events = if reader.is_some() { std::mem::take(events) } else { Events::new() };
                        let standing = place.stand(smallvec![commit], events, reader);
                        drop(journal);
                        return standing.written().await;
                    }
                    self.put(commit).await;
                }
                Durability::Async => {
                    drop(self.end_of_line().await.stand(smallvec![commit], Events::new(), None));
                }
                Durability::Exit => {
                    let is_full = {
                        let mut deferred = lock(&self.deferred);
                        deferred.add(*commit, heads);
                        deferred.is_full()
                    };
                    if is_full {
                        self.write_deferred().await?;
                    }
                }
            }
            self.progress.check()?;
        }
        tell(reader.map(|reader| &**reader), events).await;
        Ok(())
    }

    /// Whether commits of this durability take the direct way, and plain steps go in short.
    pub(crate) fn is_direct(&self, durability: Durability) -> bool {
        self.direct.is_some() && durability == Durability::Sync
    }

    /// Writes a plain step and its event the direct way; nothing when the step is to be a commit.
    pub(crate) fn write_step(
        &self,
        teller: &Arc<Teller>,
        step: &PlainStep,
        writes: &[u8],
    ) -> Option<Result<(), CheckpointError>> {
        let direct = self.direct.as_ref()?;
        let mut seq = lock(&direct.seq);
        if let Err(error) = self.progress.check() {
            return Some(Err(error));
        }
        direct.writer.write(teller, step, writes, *seq + 1).then(|| {
            *seq += 1;
            Ok(())
        })
    }

    /// Writes a commit with its events the direct way; nothing when there is none.
    pub(crate) fn write_directly(
        &self,
        commit: &mut Commit,
        events: &mut Events,
        durability: Durability,
    ) -> Option<Result<(), CheckpointError>> {
        let direct = self.direct.as_ref().filter(|_| self.is_direct(durability))?;
        let mut seq = lock(&direct.seq);
        if let Err(error) = self.progress.check() {
            return Some(Err(error));
        }
        commit.journal = number(events, &mut seq);
        let written = direct.writer.commit(std::mem::take(commit));
        Some(written.or_else(|error| {
            self.progress.fail(error);
            self.progress.check()
        }))
    }

    /// Makes a task record durable at once, and after all that was committed before: a record belongs to a task that the
    /// store knows. Its work is done, so what waits for the end of the run takes it along when this is given up.
    pub(crate) async fn record(
        &self,
        ns: &Arc<str>,
        record: TaskRecord,
        durability: Durability,
    ) -> Result<(), CheckpointError> {
        let mut commit = Box::new(Commit { ns: Arc::clone(ns), tasks: vec![record], ..Commit::default() });
        if let Some(written) = self.write_directly(&mut commit, &mut Events::new(), durability) {
            return written;
        }
        if durability == Durability::Exit {
            lock(&self.deferred).add(*commit, &Heads::default());
            let _journal = self.lock_journal().await;
            return self.write_deferred().await;
        }
        let journal = self.lock_journal().await;
        self.progress.check()?;
        if self.is_alone() {
            self.put(commit).await;
            return self.progress.check();
        }
        let standing = self.end_of_line().await.stand(smallvec![commit], Events::new(), None);
        drop(journal);
        standing.written().await
    }

    /// A task has ended, and with it the call of a subgraph, if it was one.
    pub(crate) fn end_call(&self, task: &str, durability: Durability) {
        if durability == Durability::Exit {
            lock(&self.deferred).end_call(task);
        }
    }

    /// Makes the store know what was committed of a namespace, for who reads it in the middle of a run.
    pub(crate) async fn settle(&self, ns: &str, durability: Durability) -> Result<(), CheckpointError> {
        if self.is_direct(durability) {
            return self.progress.check();
        }
        let journal = self.lock_journal().await;
        let waits = durability == Durability::Exit && lock(&self.deferred).has(ns);
        if waits {
            self.write_deferred().await?;
        }
        if self.is_idle() {
            return self.progress.check();
        }
        let standing = self.end_of_line().await.stand(Commits::new(), Events::new(), None);
        drop(journal);
        standing.written().await
    }

    /// Whether nothing waits in the line. While the journal's lock is held, that is so until something is put there.
    fn is_idle(&self) -> bool {
        self.progress.waiting.load(Ordering::Acquire) == 0
    }

    /// Whether what is written at once keeps nobody waiting who could share a transaction.
    fn is_alone(&self) -> bool {
        self.beside.load(Ordering::Relaxed) <= 1 && self.is_idle()
    }

    async fn put(&self, commit: Box<Commit>) {
        if let Err(error) = self.store.commit(&self.lease, *commit).await {
            self.progress.fail(error);
        }
    }

    /// The end of the line; the journal's lock is held until somebody stands there.
    async fn end_of_line(&self) -> Place {
        let orders = lock(&self.line)
            .get_or_insert_with(|| Line::start(Arc::clone(&self.store), self.lease.clone(), Arc::clone(&self.progress)))
            .orders();
        Place::last(orders, &self.progress).await
    }

    /// Waits until all that was committed is durable.
    pub(crate) async fn flush(&self) -> Result<(), CheckpointError> {
        let deferred = self.write_deferred().await;
        let line = lock(&self.line).take();
        if let Some(line) = line {
            line.close().await;
        }
        deferred.and_then(|()| self.progress.check())
    }

    /// Writes what was to wait for the end of the run, and waits for what stands in the line. What was to wait stands in the
    /// line or waits still, whoever stops waiting here.
    async fn write_deferred(&self) -> Result<(), CheckpointError> {
        self.progress.check()?;
        if lock(&self.deferred).is_empty() && self.is_idle() {
            return Ok(());
        }
        let place = self.end_of_line().await;
        let commits = lock(&self.deferred).take().into_iter().map(Box::new).collect();
        place.stand(commits, Events::new(), None).written().await
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.store.release(&self.lease);
    }
}

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attached").field("lease", &self.lease).finish_non_exhaustive()
    }
}
