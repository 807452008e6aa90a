//! The writing side of a run: commits under a lease, by the run's durability.

use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use smallvec::smallvec;

use crate::checkpoint::{CheckpointError, Checkpointer, Commit, Lease, LeaseWriter, TaskRecord, ThreadRow};
use crate::limits::{Durability, TurnOrder};
use crate::record::Heads;
use crate::recorder::events::{Events, number, tell};
use crate::recorder::exit_buffer::ExitBuffer;
use crate::recorder::group_commit::{
    BegunCommit, CommitStatus, CommitTicket, Commits, GroupCommit, Permit, QueuedWrites,
};
use crate::recorder::subscriber::Queue;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, lock};

/// A session's side of the store.
pub(crate) struct CommitLog {
    pub(crate) store: Arc<dyn Checkpointer>,
    pub(crate) lease: Lease,
    /// The thread's row without status: copied into the commits that set one.
    pub(crate) row: ThreadRow,
    /// Whether the store takes steps in compact form.
    pub(crate) takes_steps: bool,
    /// The sequence number of the journal. Its lock is held while a commit is written or enqueued, so that rows are stored
    /// in order.
    journal: tokio::sync::Mutex<u64>,
    /// The direct way into the store, if it has one, which does not wait. Commits that are waited for take it.
    direct: Option<Direct>,
    /// The queue of commits that are not written where they are made.
    group_commit: Mutex<Option<GroupCommit>>,
    status: Arc<CommitStatus>,
    exit_buffer: Mutex<ExitBuffer>,
    /// How many tasks of the run are in flight beside others.
    beside: Arc<AtomicUsize>,
    /// In a simulation, decides which commits share a transaction.
    schedule: Option<Arc<dyn TurnOrder>>,
}

/// A direct way into the store, and the sequence number of the journal on it. Held while a commit is written, which takes
/// no waiting.
struct Direct {
    writer: Box<dyn LeaseWriter>,
    seq: Mutex<u64>,
}

impl CommitLog {
    pub(crate) fn new(store: Arc<dyn Checkpointer>, lease: Lease, row: ThreadRow, last_seq: u64) -> Self {
        let takes_steps = store.capabilities().compact_steps;
        let direct = store.writer(&lease).map(|writer| Direct { writer, seq: Mutex::new(last_seq) });
        Self {
            store,
            lease,
            row,
            takes_steps,
            journal: tokio::sync::Mutex::new(last_seq),
            direct,
            group_commit: Mutex::default(),
            status: Arc::default(),
            exit_buffer: Mutex::default(),
            beside: Arc::default(),
            schedule: None,
        }
    }

    /// Ends the run with an error of the store: nothing more is written.
    pub(crate) fn fail(&self, error: CheckpointError) {
        self.status.fail(error);
    }

    /// Goes on with the journal after a sequence number.
    pub(crate) fn resume_journal(&mut self, last_seq: u64) {
        self.journal = tokio::sync::Mutex::new(last_seq);
        if let Some(direct) = &mut self.direct {
            direct.seq = Mutex::new(last_seq);
        }
    }

    /// In a simulation, goes by its schedule.
    pub(crate) fn go_by(&mut self, schedule: Option<&Arc<dyn TurnOrder>>) {
        self.schedule = schedule.map(Arc::clone);
    }

    /// Where tasks in flight beside others are counted.
    pub(crate) fn beside(&self) -> &Arc<AtomicUsize> {
        &self.beside
    }

    /// Locks the journal's sequence number. Nobody else writes commits or sends their events meanwhile.
    async fn lock_journal(&self) -> tokio::sync::MutexGuard<'_, u64> {
        match self.journal.try_lock() {
            Ok(journal) => journal,
            Err(_) => self.journal.lock().await,
        }
    }

    /// Writes a commit that records `heads` of subgraphs, and sends its events to the subscriber of the run.
    pub(crate) async fn write_commit(
        &self,
        mut commit: Box<Commit>,
        heads: &Heads,
        events: &mut Events,
        durability: Durability,
        reader: Option<&Arc<Queue>>,
    ) -> Result<(), CheckpointError> {
        if reader.is_none()
            && let Some(written) =
                self.write_directly(&mut commit, durability, |commit, seq| number(events, commit, seq))
        {
            return written;
        }
        // Held until all events are sent, so that a subscriber gets them in the order of the journal.
        let mut journal = self.lock_journal().await;
        self.status.check()?;
        if let Some(written) = self.write_directly(&mut commit, durability, |commit, seq| number(events, commit, seq)) {
            written?;
        } else {
            number(events, &mut commit, &mut journal);
            match durability {
                Durability::Sync => {
                    if let Some(writes) = self.put(commit) {
                        let events = if reader.is_some() { std::mem::take(events) } else { Events::new() };
                        let ticket = self.enqueue(writes, events, reader).await;
                        drop(journal);
                        return ticket.written().await;
                    }
                }
                Durability::Async => {
                    let commits = QueuedWrites::Commits(smallvec![commit]);
                    drop(self.enqueue(commits, Events::new(), None).await);
                }
                Durability::Exit => {
                    let is_full = {
                        let mut exit_buffer = lock(&self.exit_buffer);
                        exit_buffer.add(*commit, heads);
                        exit_buffer.is_full()
                    };
                    if is_full {
                        self.write_exit_buffer().await?;
                    }
                }
            }
            self.status.check()?;
        }
        tell(reader.map(|reader| &**reader), events).await;
        Ok(())
    }

    /// Whether commits of this durability take the direct way.
    fn is_direct(&self, durability: Durability) -> bool {
        self.direct.is_some() && durability == Durability::Sync
    }

    /// Writes a commit the direct way; `number` gives its events their places in the journal. Returns `None` when the store
    /// has no direct way.
    pub(crate) fn write_directly(
        &self,
        commit: &mut Commit,
        durability: Durability,
        number: impl FnOnce(&mut Commit, &mut u64),
    ) -> Option<Result<(), CheckpointError>> {
        let direct = self.direct.as_ref().filter(|_| self.is_direct(durability))?;
        let mut seq = lock(&direct.seq);
        if let Err(error) = self.status.check() {
            return Some(Err(error));
        }
        number(commit, &mut seq);
        let written = direct.writer.commit(commit);
        Some(written.or_else(|error| {
            self.status.fail(error);
            self.status.check()
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
        if let Some(written) = self.write_directly(&mut commit, durability, |_, _| {}) {
            return written;
        }
        if durability == Durability::Exit {
            lock(&self.exit_buffer).add(*commit, &Heads::default());
            let _journal = self.lock_journal().await;
            return self.write_exit_buffer().await;
        }
        let journal = self.lock_journal().await;
        self.status.check()?;
        let Some(writes) = self.put(commit) else { return self.status.check() };
        let ticket = self.enqueue(writes, Events::new(), None).await;
        drop(journal);
        ticket.written().await
    }

    /// A task has ended, and with it the call of a subgraph, if it was one.
    pub(crate) fn end_call(&self, task: &str, durability: Durability) {
        if durability == Durability::Exit {
            lock(&self.exit_buffer).end_call(task);
        }
    }

    /// Makes the store know what was committed of a namespace, for who reads it in the middle of a run.
    pub(crate) async fn settle(&self, ns: &str, durability: Durability) -> Result<(), CheckpointError> {
        if self.is_direct(durability) {
            return self.status.check();
        }
        let journal = self.lock_journal().await;
        let waits = durability == Durability::Exit && lock(&self.exit_buffer).has(ns);
        if waits {
            self.write_exit_buffer().await?;
        }
        if self.is_idle() {
            return self.status.check();
        }
        let ticket = self.enqueue(QueuedWrites::Commits(Commits::new()), Events::new(), None).await;
        drop(journal);
        ticket.written().await
    }

    /// Whether the queue is empty. While the caller holds the journal's lock, nobody else enqueues.
    fn is_idle(&self) -> bool {
        self.status.waiting.load(Ordering::Acquire) == 0
    }

    /// Whether what is written at once keeps nobody waiting who could share a transaction.
    fn is_alone(&self) -> bool {
        self.beside.load(Ordering::Relaxed) <= 1 && self.is_idle()
    }

    /// Writes a commit where it is made, if that keeps nobody waiting, and as far as it takes no waiting. Returns what is to
    /// be enqueued otherwise: a commit that waits for the store goes on there when the caller is dropped. The caller holds
    /// the journal's lock until it has enqueued.
    fn put(&self, commit: Box<Commit>) -> Option<QueuedWrites> {
        let waits = self.schedule.as_ref().is_some_and(|schedule| schedule.draw(2) == 0);
        if waits || !self.is_alone() {
            return Some(QueuedWrites::Commits(smallvec![commit]));
        }
        let (store, lease) = (Arc::clone(&self.store), self.lease.clone());
        let mut begun: BegunCommit = Box::pin(async move { store.commit(&lease, *commit).await });
        match (&mut begun).now_or_never() {
            None => return Some(QueuedWrites::Begun(begun)),
            Some(Err(error)) => self.status.fail(error),
            Some(Ok(())) => {}
        }
        None
    }

    /// Enqueues in the next place of the queue. The caller holds the journal's lock.
    async fn enqueue(&self, writes: QueuedWrites, events: Events, reader: Option<&Arc<Queue>>) -> CommitTicket {
        self.permit().await.enqueue(writes, events, reader)
    }

    /// Reserves the next place in the queue. The caller holds the journal's lock until it has enqueued.
    async fn permit(&self) -> Permit {
        let requests = lock(&self.group_commit)
            .get_or_insert_with(|| {
                let schedule = self.schedule.as_ref().map(Arc::clone);
                GroupCommit::start(Arc::clone(&self.store), self.lease.clone(), Arc::clone(&self.status), schedule)
            })
            .requests();
        Permit::last(requests, &self.status).await
    }

    /// Waits until all that was committed is durable.
    pub(crate) async fn flush(&self) -> Result<(), CheckpointError> {
        let exit_buffer = self.write_exit_buffer().await;
        let group_commit = lock(&self.group_commit).take();
        if let Some(group_commit) = group_commit {
            group_commit.close().await;
        }
        exit_buffer.and_then(|()| self.status.check())
    }

    /// Enqueues what was to wait for the end of the run, and waits until the queue is written. When the caller stops
    /// waiting, what was to wait is either enqueued or still in the buffer.
    async fn write_exit_buffer(&self) -> Result<(), CheckpointError> {
        self.status.check()?;
        if lock(&self.exit_buffer).is_empty() && self.is_idle() {
            return Ok(());
        }
        let permit = self.permit().await;
        let commits = lock(&self.exit_buffer).take().into_iter().map(Box::new).collect();
        permit.enqueue(QueuedWrites::Commits(commits), Events::new(), None).written().await
    }
}

impl Drop for CommitLog {
    fn drop(&mut self) {
        // First, so that the store can forget a thread that it holds nothing of.
        self.direct = None;
        self.store.release(&self.lease);
    }
}

impl fmt::Debug for CommitLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommitLog").field("lease", &self.lease).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod races;
