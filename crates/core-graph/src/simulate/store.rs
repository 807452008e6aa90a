//! A store that dies with its process, fails, delays and forgets, as a plan says.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Notify;

use super::faults::Faults;
use super::schedule::Random;
use crate::checkpoint::{
    Capabilities, CheckpointError, CheckpointRow, Checkpointer, Commit, FieldRecord, HistoryFilter, JournalRow, Lease,
    MemoryCheckpointer, TaskRecord, TaskRecordKind, ThreadFilter, ThreadRow,
};
use crate::lock::lock;

/// The longest delay of a call, in milliseconds.
const LONGEST_DELAY: u64 = 1000;

/// What goes wrong in all lives of a simulation.
#[derive(Debug)]
pub(super) struct FaultPlan {
    /// The one point at which the process dies, whatever the faults.
    at: Option<u64>,
    inner: Mutex<Progress>,
}

#[derive(Debug)]
struct Progress {
    faults: Faults,
    points: u64,
    injected: u64,
    random: Random,
    /// Checkpoints whose commit returned, with the place of the commit in the log.
    acknowledged: Vec<(usize, Arc<str>, CheckpointRow)>,
    /// Checkpoints that were written, by namespace and number, and the newest event of the journal that was.
    written: (BTreeSet<(Arc<str>, u64)>, u64),
    /// Everything that was written, when deaths forget.
    log: Vec<(Lease, Commit)>,
    /// How much of the log is synced.
    synced: usize,
}

/// The store as one process sees it.
pub(super) struct Life {
    store: MemoryCheckpointer,
    plan: Arc<FaultPlan>,
    death: Notify,
    dead: Mutex<bool>,
    /// Whether another process has taken its thread.
    replaced: AtomicBool,
    leases: Mutex<Vec<Lease>>,
}

impl FaultPlan {
    pub(super) fn new(faults: Faults, at: Option<u64>, seed: u64) -> Self {
        let progress = Progress {
            faults,
            points: 0,
            injected: 0,
            random: Random::new(!seed),
            acknowledged: Vec::new(),
            written: Default::default(),
            log: Vec::new(),
            synced: 0,
        };
        Self { at, inner: Mutex::new(progress) }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        lock(&self.inner)
    }

    /// Passes a point; whether the process dies there.
    fn dies(&self) -> bool {
        let mut progress = self.lock();
        let point = progress.points;
        progress.points += 1;
        // A commit has two points.
        let one_in = 2 * progress.faults.crash;
        self.at == Some(point) || progress.random.one_in(one_in)
    }

    /// After how many wake-ups the process dies.
    pub(super) fn doom(&self) -> Option<u64> {
        let mut progress = self.lock();
        let most = 2 * progress.faults.sudden;
        (most > 0).then(|| progress.random.below(most))
    }

    /// Whether a process that is about to die goes on beside the one that takes its place.
    pub(super) fn lingers(&self) -> bool {
        self.draw(|faults| faults.linger)
    }

    /// Whether anything happens to workers and their messages.
    pub(super) fn troubles_workers(&self) -> bool {
        let faults = self.lock().faults;
        faults.lose_message > 0 || faults.end_worker > 0
    }

    /// Whether a message is lost, and whether those after it are, too.
    pub(super) fn loses_message(&self) -> (bool, bool) {
        let lost = self.draw(|faults| faults.lose_message);
        (lost, lost && self.lock().random.one_in(2))
    }

    /// Whether a message comes twice.
    pub(super) fn repeats(&self) -> bool {
        self.draw(|faults| faults.repeat_message)
    }

    /// After how many wake-ups a worker ends.
    pub(super) fn end_of_worker(&self) -> Option<u64> {
        let mut progress = self.lock();
        let most = 2 * progress.faults.end_worker;
        (most > 0).then(|| progress.random.below(most))
    }

    /// How long something takes, if it takes long.
    pub(super) fn delay(&self) -> Option<Duration> {
        self.draw(|faults| faults.delay).then(|| Duration::from_millis(self.lock().random.below(LONGEST_DELAY)))
    }

    fn draw(&self, one_in: impl FnOnce(&Faults) -> u64) -> bool {
        let mut progress = self.lock();
        let one_in = one_in(&progress.faults);
        progress.random.one_in(one_in)
    }

    /// Nothing goes wrong from now on.
    pub(super) fn calm(&self) {
        let mut progress = self.lock();
        progress.faults = Faults { sync: progress.faults.sync, ..Faults::default() };
    }

    pub(super) fn points(&self) -> u64 {
        self.lock().points
    }

    /// How many calls failed because the plan said so.
    pub(super) fn injected(&self) -> u64 {
        self.lock().injected
    }

    pub(super) fn has_written(&self, ns: &str, checkpoint: u64) -> bool {
        self.lock().written.0.contains(&(ns.into(), checkpoint))
    }

    pub(super) fn has_written_event(&self, seq: u64) -> bool {
        self.lock().written.1 >= seq
    }

    pub(super) fn acknowledged(&self) -> Vec<(Arc<str>, CheckpointRow)> {
        self.lock().acknowledged.iter().map(|(_, ns, row)| (Arc::clone(ns), row.clone())).collect()
    }

    /// The store after a death, and the durable steps that it knows, when the death made it forget something.
    pub(super) async fn forget(&self) -> Result<Option<(MemoryCheckpointer, KeptResults)>, CheckpointError> {
        let log = {
            let mut progress = self.lock();
            let unsynced = progress.log.len() - progress.synced;
            if unsynced == 0 {
                return Ok(None);
            }
            let kept = progress.synced + progress.random.below(unsynced as u64 + 1) as usize;
            progress.log.truncate(kept);
            progress.acknowledged.retain(|(at, _, _)| *at < kept);
            progress.synced = kept;
            progress.written = Default::default();
            let log = progress.log.clone();
            log.iter().for_each(|(_, commit)| progress.note_written(commit));
            log
        };
        let store = MemoryCheckpointer::new();
        let mut kept = KeptResults::new();
        // The owner that wrote, and the lease that writes it again.
        let mut held: Option<(Arc<str>, Lease)> = None;
        for (lease, commit) in log {
            let onces = commit.tasks.iter().filter(|record| record.kind == TaskRecordKind::Once);
            kept.extend(onces.map(|record| (record.task.to_string(), record.key.to_string())));
            let again = match held.take() {
                Some((owner, again)) if owner == lease.owner => again,
                before => {
                    if let Some((_, before)) = before {
                        store.release(&before);
                    }
                    store.acquire(&lease.thread).await?
                }
            };
            let released = commit.release;
            store.commit(&again, commit).await?;
            held = (!released).then_some((lease.owner, again));
        }
        if let Some((_, again)) = held {
            store.release(&again);
        }
        Ok(Some((store, kept)))
    }
}

impl Progress {
    fn note_written(&mut self, commit: &Commit) {
        let (checkpoints, last_seq) = &mut self.written;
        checkpoints.extend(commit.checkpoint.iter().map(|row| (Arc::clone(&commit.ns), row.number)));
        *last_seq = commit.journal.iter().map(|row| row.seq).fold(*last_seq, u64::max);
    }
}

/// Durable steps by task and key.
pub(super) type KeptResults = BTreeSet<(String, String)>;

impl Life {
    pub(super) fn new(store: MemoryCheckpointer, plan: Arc<FaultPlan>) -> Self {
        Self {
            store,
            plan,
            death: Notify::new(),
            dead: Mutex::new(false),
            replaced: AtomicBool::new(false),
            leases: Mutex::default(),
        }
    }

    /// Resolves when the process dies.
    pub(super) async fn died(&self) {
        self.death.notified().await;
    }

    /// The process ends: whatever of it still runs does not reach the store, and its locks are free.
    pub(super) fn bury(&self) {
        *lock(&self.dead) = true;
        for lease in lock(&self.leases).drain(..) {
            self.store.release(&lease);
        }
    }

    /// Another process takes its thread, and it goes on.
    pub(super) fn replace(&self) {
        self.replaced.store(true, Ordering::Relaxed);
        for lease in lock(&self.leases).drain(..) {
            self.store.release(&lease);
        }
    }

    /// Whether another process has taken its thread.
    pub(super) fn is_replaced(&self) -> bool {
        self.replaced.load(Ordering::Relaxed)
    }

    fn is_dead(&self) -> bool {
        *lock(&self.dead)
    }

    /// Dies, when the plan says so: the caller never goes on.
    async fn pass(&self) {
        if self.is_dead() || self.plan.dies() {
            *lock(&self.dead) = true;
            self.death.notify_one();
            std::future::pending::<()>().await;
        }
    }

    /// Takes its time, when the plan says so.
    async fn take_time(&self) {
        if let Some(delay) = self.plan.delay() {
            tokio::time::sleep(delay).await;
        }
        if self.is_dead() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits and perhaps fails, before the store does anything.
    async fn asked(&self, action: &str) -> Result<(), CheckpointError> {
        self.take_time().await;
        let refused = {
            let mut progress = self.plan.lock();
            let one_in = progress.faults.refuse;
            let refused = progress.random.one_in(one_in);
            progress.injected += u64::from(refused);
            refused
        };
        if refused { Err(injected(action)) } else { Ok(()) }
    }

    /// Notes a commit that was written; its place in the log.
    fn note(&self, lease: &Lease, commit: Commit) -> usize {
        let mut progress = self.plan.lock();
        progress.note_written(&commit);
        let at = progress.log.len();
        if progress.faults.sync > 0 {
            progress.log.push((lease.clone(), commit));
            let one_in = progress.faults.sync;
            if progress.random.one_in(one_in) {
                progress.synced = at + 1;
            }
        }
        at
    }

    /// Whether an answer is lost.
    fn loses(&self) -> bool {
        let mut progress = self.plan.lock();
        let one_in = progress.faults.lose_answer;
        let lost = progress.random.one_in(one_in);
        progress.injected += u64::from(lost);
        lost
    }

    /// Writes commits in one transaction.
    async fn write(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        self.asked("committing").await?;
        self.pass().await;
        let mut written = Vec::new();
        for commit in commits {
            self.store.commit(lease, commit.clone()).await?;
            let row = commit.checkpoint.clone().map(|row| (Arc::clone(&commit.ns), row));
            let at = self.note(lease, commit);
            written.extend(row.map(|(ns, row)| (at, ns, row)));
        }
        let lost = self.loses();
        self.pass().await;
        self.take_time().await;
        if lost {
            return Err(injected("committing"));
        }
        self.plan.lock().acknowledged.extend(written);
        Ok(())
    }
}

fn injected(action: &str) -> CheckpointError {
    CheckpointError::Store { action: action.to_owned(), source: "the simulation says so".into() }
}

#[async_trait]
impl Checkpointer for Life {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    async fn acquire(&self, thread: &str) -> Result<Lease, CheckpointError> {
        self.asked("acquiring").await?;
        if self.is_replaced() {
            return Err(CheckpointError::ThreadBusy {
                thread: thread.to_owned(),
                owner: "the next process".to_owned(),
            });
        }
        let lease = self.store.acquire(thread).await?;
        lock(&self.leases).push(lease.clone());
        Ok(lease)
    }

    fn release(&self, lease: &Lease) {
        self.store.release(lease);
    }

    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        self.write(lease, vec![commit]).await
    }

    /// A store may write them in one transaction, or in one for each.
    async fn commit_all(&self, lease: &Lease, commits: Vec<Commit>) -> Result<(), CheckpointError> {
        if self.plan.lock().random.one_in(2) {
            return self.write(lease, commits).await;
        }
        for commit in commits {
            self.commit(lease, commit).await?;
        }
        Ok(())
    }

    async fn thread(&self, thread: &str) -> Result<Option<ThreadRow>, CheckpointError> {
        self.asked("reading a thread").await?;
        self.store.thread(thread).await
    }

    async fn threads(&self, filter: &ThreadFilter) -> Result<Vec<ThreadRow>, CheckpointError> {
        self.store.threads(filter).await
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, CheckpointError> {
        self.asked("listing namespaces").await?;
        self.store.namespaces(thread).await
    }

    async fn checkpoint(
        &self,
        thread: &str,
        ns: &str,
        number: Option<u64>,
    ) -> Result<Option<CheckpointRow>, CheckpointError> {
        self.asked("reading a checkpoint").await?;
        self.store.checkpoint(thread, ns, number).await
    }

    async fn checkpoints(
        &self,
        thread: &str,
        ns: &str,
        filter: &HistoryFilter,
    ) -> Result<Vec<CheckpointRow>, CheckpointError> {
        self.asked("listing checkpoints").await?;
        self.store.checkpoints(thread, ns, filter).await
    }

    async fn field(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.asked("reading a field").await?;
        self.store.field(thread, ns, field, version).await
    }

    async fn field_after(
        &self,
        thread: &str,
        ns: &str,
        field: &str,
        version: u64,
        known: u64,
    ) -> Result<Vec<FieldRecord>, CheckpointError> {
        self.asked("reading a field").await?;
        self.store.field_after(thread, ns, field, version, known).await
    }

    async fn task_records(&self, thread: &str, ns: &str) -> Result<Vec<TaskRecord>, CheckpointError> {
        self.asked("reading records of tasks").await?;
        self.store.task_records(thread, ns).await
    }

    async fn journal(&self, thread: &str, after: u64, limit: usize) -> Result<Vec<JournalRow>, CheckpointError> {
        self.asked("reading the journal").await?;
        self.store.journal(thread, after, limit).await
    }

    async fn last_seq(&self, thread: &str) -> Result<u64, CheckpointError> {
        self.asked("reading the journal").await?;
        self.store.last_seq(thread).await
    }
}
