//! The writing side of a run: commits under a lease, by the run's durability.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::checkpoint::{
    CheckpointError, Checkpointer, Commit, DirectWriter, Lease, PlainStep, TaskRecord, Teller, ThreadRow,
};
use crate::driver::deferred::Deferred;
use crate::driver::policy::Durability;
use crate::driver::told::{Events, number};
use crate::machine::Heads;

/// A session's side of the store.
pub(crate) struct Attached {
    pub(crate) store: Arc<dyn Checkpointer>,
    pub(crate) lease: Lease,
    /// The thread's row without status: copied into the commits that set one.
    pub(crate) row: ThreadRow,
    /// The sequence number of the journal. Held while a commit is written, so that rows are stored in order.
    journal: tokio::sync::Mutex<u64>,
    /// The direct way into the store, if it has one. Commits that are waited for take it.
    direct: Option<Direct>,
    /// Task records that wait for the next commit, per namespace.
    waiting: Mutex<Waiting>,
    background: Mutex<Option<(mpsc::Sender<Order>, JoinHandle<()>)>>,
    failed: Arc<Failed>,
    deferred: Mutex<Deferred>,
}

/// A direct way into the store, and the sequence number of the journal on it. Held while a commit is written, which takes
/// no waiting.
struct Direct {
    writer: DirectWriter,
    seq: Mutex<u64>,
}

type Waiting = BTreeMap<Arc<str>, Vec<TaskRecord>>;

/// A commit for the background writer, and who waits for it.
type Order = (Box<Commit>, Option<oneshot::Sender<()>>);

/// The first failure of the store. After it nothing more is written under the lease.
#[derive(Debug, Default)]
struct Failed {
    is_set: AtomicBool,
    error: Mutex<Option<(Option<CheckpointError>, String)>>,
}

impl Failed {
    fn set(&self, error: CheckpointError) {
        let text = error.to_string();
        lock(&self.error).get_or_insert((Some(error), text));
        self.is_set.store(true, Ordering::Release);
    }

    fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Acquire)
    }

    fn check(&self) -> Result<(), CheckpointError> {
        if !self.is_set() {
            return Ok(());
        }
        match &mut *lock(&self.error) {
            None => Ok(()),
            Some((error, text)) => Err(error.take().unwrap_or_else(|| CheckpointError::Store {
                action: "an earlier commit of the run".to_owned(),
                source: text.clone().into(),
            })),
        }
    }
}

/// Records taken for a commit; they wait again when the task that writes them is stopped before it is done.
struct Taken<'a> {
    waiting: &'a Mutex<Waiting>,
    records: Waiting,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut waiting = lock(self.waiting);
        for (ns, records) in std::mem::take(&mut self.records) {
            waiting.entry(ns).or_default().splice(0..0, records);
        }
    }
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
            waiting: Mutex::default(),
            background: Mutex::default(),
            failed: Arc::default(),
            deferred: Mutex::default(),
        }
    }

    /// Ends the run with an error of the store: nothing more is written.
    pub(crate) fn fail(&self, error: CheckpointError) {
        self.failed.set(error);
    }

    /// Goes on with the journal after a sequence number.
    pub(crate) fn resume_journal(&mut self, last_seq: u64) {
        self.journal = tokio::sync::Mutex::new(last_seq);
        if let Some(direct) = &mut self.direct {
            direct.seq = Mutex::new(last_seq);
        }
    }

    /// The journal's sequence number; nobody else writes while it is held.
    pub(crate) async fn lock_journal(&self) -> tokio::sync::MutexGuard<'_, u64> {
        match self.journal.try_lock() {
            Ok(journal) => journal,
            Err(_) => self.journal.lock().await,
        }
    }

    /// Writes a commit that records `heads` of subgraphs; [`lock_journal`](Self::lock_journal) is held.
    pub(crate) async fn write(
        &self,
        commit: Box<Commit>,
        heads: &Heads,
        durability: Durability,
    ) -> Result<(), CheckpointError> {
        self.failed.check()?;
        match durability {
            Durability::Sync => self.put(commit).await,
            // A writer that is gone has left its error.
            Durability::Async => drop(self.writer().send((commit, None)).await),
            Durability::Exit => lock(&self.deferred).add(*commit, heads),
        }
        self.failed.check()
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
        if let Err(error) = self.failed.check() {
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
        if let Err(error) = self.failed.check() {
            return Some(Err(error));
        }
        commit.journal = number(events, &mut seq);
        let written = direct.writer.commit(std::mem::take(commit));
        Some(written.or_else(|error| {
            self.failed.set(error);
            self.failed.check()
        }))
    }

    /// Makes a task record durable at once, together with all records that wait at the same time, and after all that
    /// was committed before: a record belongs to a task that the store knows.
    pub(crate) async fn record(
        &self,
        ns: &Arc<str>,
        record: TaskRecord,
        durability: Durability,
    ) -> Result<(), CheckpointError> {
        if self.is_direct(durability) {
            let mut commit = Commit { ns: Arc::clone(ns), tasks: vec![record], ..Commit::default() };
            return self.write_directly(&mut commit, &mut Events::new(), durability).unwrap_or(Ok(()));
        }
        lock(&self.waiting).entry(Arc::clone(ns)).or_default().push(record);
        let _journal = self.lock_journal().await;
        self.failed.check()?;
        let mut taken = Taken { waiting: &self.waiting, records: std::mem::take(&mut *lock(&self.waiting)) };
        if durability == Durability::Exit && !taken.records.is_empty() {
            self.write_deferred().await;
            // Without the commits before it, the record would belong to a task that the store does not know.
            self.failed.check()?;
        }
        while let Some((ns, tasks)) = taken.records.first_key_value() {
            let commit = Box::new(Commit { ns: Arc::clone(ns), tasks: tasks.clone(), ..Commit::default() });
            if durability == Durability::Async {
                let (done, written) = oneshot::channel();
                if self.writer().send((commit, Some(done))).await.is_ok() {
                    // A writer that stops leaves its error.
                    let _ = written.await;
                }
            } else {
                self.put(commit).await;
            }
            self.failed.check()?;
            taken.records.pop_first();
        }
        self.failed.check()
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
            return self.failed.check();
        }
        let _journal = self.lock_journal().await;
        match durability {
            Durability::Sync => {}
            Durability::Async => {
                let (done, written) = oneshot::channel();
                if self.writer().send((Box::default(), Some(done))).await.is_ok() {
                    // A writer that stops leaves its error.
                    let _ = written.await;
                }
            }
            Durability::Exit => {
                let waits = lock(&self.deferred).has(ns);
                if waits {
                    self.write_deferred().await;
                }
            }
        }
        self.failed.check()
    }

    async fn put(&self, commit: Box<Commit>) {
        if let Err(error) = self.store.commit(&self.lease, *commit).await {
            self.failed.set(error);
        }
    }

    /// The background writer of asynchronous durability, started at its first use.
    fn writer(&self) -> mpsc::Sender<Order> {
        let mut background = lock(&self.background);
        if let Some((sender, _)) = &*background {
            return sender.clone();
        }
        let (sender, mut commits) = mpsc::channel::<Order>(64);
        let (store, lease, failed) = (Arc::clone(&self.store), self.lease.clone(), Arc::clone(&self.failed));
        let writer = tokio::spawn(async move {
            while let Some((commit, done)) = commits.recv().await {
                if let Err(error) = store.commit(&lease, *commit).await {
                    return failed.set(error);
                }
                if let Some(done) = done {
                    // The one who waited may be gone.
                    let _ = done.send(());
                }
            }
        });
        *background = Some((sender.clone(), writer));
        sender
    }

    /// Waits until all that was committed is durable.
    pub(crate) async fn flush(&self) -> Result<(), CheckpointError> {
        let background = lock(&self.background).take();
        if let Some((sender, writer)) = background {
            drop(sender);
            // It does not panic; its error is in `failed`.
            let _ = writer.await;
        }
        self.write_deferred().await;
        self.failed.check()
    }

    async fn write_deferred(&self) {
        let deferred = lock(&self.deferred).take();
        for commit in deferred {
            if !self.failed.is_set() {
                self.put(Box::new(commit)).await;
            }
        }
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
