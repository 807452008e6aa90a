//! What a run shares with its children: the store and its lease, the journal, subscribers, control and budget.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::checkpoint::{
    CheckpointError, Checkpointer, Commit, JournalRow, Lease, TaskRecord, TaskRecordKind, ThreadRow, ThreadStatus,
};
use crate::clock::Clock;
use crate::driver::control::Control;
use crate::driver::policy::{Durability, RunPolicy};
use crate::driver::sink::Queue;
use crate::event::{EVENT_VERSION, Event, EventKind};
use crate::store::Store;

pub(crate) struct Session {
    pub(crate) thread: Arc<str>,
    pub(crate) attached: Option<Attached>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) control: Arc<Control>,
    pub(crate) policy: RunPolicy,
    pub(crate) memory: Option<Arc<dyn Store>>,
    pub(crate) queue: Option<Arc<Queue>>,
    /// Tasks that count against the budget.
    spent: AtomicU64,
    /// Answers to questions, as JSON, by task and key.
    pub(crate) answers: BTreeMap<(Arc<str>, Arc<str>), Arc<[u8]>>,
}

/// A session's side of the store.
pub(crate) struct Attached {
    pub(crate) store: Arc<dyn Checkpointer>,
    pub(crate) lease: Lease,
    /// The thread's row without status: copied into the commits that set one.
    pub(crate) row: ThreadRow,
    /// Held while a commit is written, so that journal rows are stored in order.
    writing: tokio::sync::Mutex<u64>,
    /// Task records that wait for the next commit, per namespace.
    waiting: Mutex<BTreeMap<Arc<str>, Vec<TaskRecord>>>,
    background: Mutex<Option<(mpsc::Sender<Commit>, JoinHandle<()>)>>,
    failed: Arc<Failed>,
    deferred: Mutex<BTreeMap<Arc<str>, Commit>>,
}

/// The first failure of the store. After it nothing more is written under the lease.
#[derive(Debug, Default)]
struct Failed(Mutex<Option<(Option<CheckpointError>, String)>>);

impl Failed {
    fn set(&self, error: CheckpointError) {
        let text = error.to_string();
        lock(&self.0).get_or_insert((Some(error), text));
    }

    fn check(&self) -> Result<(), CheckpointError> {
        match &mut *lock(&self.0) {
            None => Ok(()),
            Some((error, text)) => Err(error.take().unwrap_or_else(|| CheckpointError::Store {
                action: "an earlier commit of the run".to_owned(),
                source: text.clone().into(),
            })),
        }
    }
}

impl Attached {
    pub(crate) fn new(store: Arc<dyn Checkpointer>, lease: Lease, row: ThreadRow, last_seq: u64) -> Self {
        Self {
            store,
            lease,
            row,
            writing: tokio::sync::Mutex::new(last_seq),
            waiting: Mutex::default(),
            background: Mutex::default(),
            failed: Arc::default(),
            deferred: Mutex::default(),
        }
    }
}

impl Attached {
    /// Goes on with the journal after a sequence number.
    pub(crate) fn resume_journal(&mut self, last_seq: u64) {
        self.writing = tokio::sync::Mutex::new(last_seq);
    }
}

impl Session {
    #[expect(clippy::too_many_arguments, reason = "the parts of a session, put together in one place")]
    pub(crate) fn new(
        thread: Arc<str>,
        attached: Option<Attached>,
        clock: Arc<dyn Clock>,
        control: Arc<Control>,
        policy: RunPolicy,
        memory: Option<Arc<dyn Store>>,
        queue: Option<Arc<Queue>>,
        answers: BTreeMap<(Arc<str>, Arc<str>), Arc<[u8]>>,
    ) -> Self {
        Self { thread, attached, clock, control, policy, memory, queue, spent: AtomicU64::new(0), answers }
    }

    /// Whether anybody reads live events.
    pub(crate) fn is_watched(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| !queue.is_closed())
    }

    /// All answers as records, for namespaces to match against their questions.
    pub(crate) fn answer_records(&self) -> Vec<TaskRecord> {
        let mut records: Vec<_> = self
            .answers
            .iter()
            .map(|((task, key), payload)| TaskRecord {
                task: Arc::clone(task),
                kind: TaskRecordKind::Answer,
                key: Arc::clone(key),
                payload: Arc::clone(payload),
            })
            .collect();
        records.sort_by(|a, b| (&a.task, &a.key).cmp(&(&b.task, &b.key)));
        records
    }

    // ===== budget =====

    /// Counts tasks that a restored namespace had executed or dispatched.
    pub(crate) fn count_spent(&self, tasks: u64) {
        self.spent.fetch_add(tasks, Ordering::SeqCst);
    }

    /// How many tasks may still be dispatched; `None` without a budget.
    pub(crate) fn room(&self) -> Option<u64> {
        self.policy.budget.map(|budget| budget.saturating_sub(self.spent.load(Ordering::SeqCst)))
    }

    /// Takes `tasks` from the budget, all or none.
    pub(crate) fn reserve(&self, tasks: u64) -> bool {
        let Some(budget) = self.policy.budget else { return true };
        self.spent
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |spent| {
                (spent + tasks <= budget).then_some(spent + tasks)
            })
            .is_ok()
    }

    // ===== events =====

    pub(crate) fn event(&self, ns: &Arc<str>, step: u64, task: Option<(&Arc<str>, u32)>, kind: EventKind) -> Event {
        Event {
            v: EVENT_VERSION,
            seq: None,
            ns: Arc::clone(ns),
            step,
            task: task.map(|(id, _)| Arc::clone(id)),
            attempt: task.map_or(0, |(_, attempt)| attempt),
            time: self.clock.now(),
            kind,
        }
    }

    /// Tells a live event.
    pub(crate) async fn tell(&self, event: Event) {
        if let Some(queue) = &self.queue {
            queue.send(event).await;
        }
    }

    // ===== store =====

    /// Writes a commit with its events, by the run's durability, and tells the events.
    pub(crate) async fn commit(&self, mut commit: Commit, mut events: Vec<Event>) -> Result<(), CheckpointError> {
        let Some(attached) = &self.attached else {
            for event in events {
                self.tell(event).await;
            }
            return Ok(());
        };
        {
            let mut seq = attached.writing.lock().await;
            for event in events.iter_mut().filter(|event| event.kind.is_journal()) {
                *seq += 1;
                event.seq = Some(*seq);
                let event = serde_json::to_vec(event).unwrap_or_default().into();
                commit.journal.push(JournalRow { seq: *seq, event });
            }
            attached.write(commit, self.policy.durability).await?;
        }
        for event in events {
            self.tell(event).await;
        }
        Ok(())
    }

    /// Writes a task record at once, in every durability, together with all records that wait at the same time.
    pub(crate) async fn record(&self, ns: &Arc<str>, record: TaskRecord) -> Result<(), CheckpointError> {
        let Some(attached) = &self.attached else { return Ok(()) };
        lock(&attached.waiting).entry(Arc::clone(ns)).or_default().push(record);
        let _writing = attached.writing.lock().await;
        attached.failed.check()?;
        let waiting = std::mem::take(&mut *lock(&attached.waiting));
        for (ns, tasks) in waiting {
            let commit = Commit { ns, tasks, ..Commit::default() };
            if let Err(error) = attached.store.commit(&attached.lease, commit).await {
                attached.failed.set(error);
            }
        }
        attached.failed.check()
    }

    /// The commit that ends a run: status, reason, release of the lease.
    pub(crate) fn ending(&self, status: ThreadStatus, detail: &str) -> Option<ThreadRow> {
        let attached = self.attached.as_ref()?;
        Some(ThreadRow { status, detail: detail.to_owned(), updated: self.clock.now(), ..attached.row.clone() })
    }

    /// Waits until all that was committed is durable.
    pub(crate) async fn flush(&self) -> Result<(), CheckpointError> {
        match &self.attached {
            Some(attached) => attached.flush().await,
            None => Ok(()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Attached {
    async fn write(&self, commit: Commit, durability: Durability) -> Result<(), CheckpointError> {
        self.failed.check()?;
        match durability {
            Durability::Sync => {
                if let Err(error) = self.store.commit(&self.lease, commit).await {
                    self.failed.set(error);
                }
            }
            // A writer that is gone has left its error.
            Durability::Async => drop(self.writer().send(commit).await),
            Durability::Exit => {
                let mut deferred = lock(&self.deferred);
                match deferred.get_mut(&commit.ns) {
                    Some(earlier) => merge(earlier, commit),
                    None => drop(deferred.insert(Arc::clone(&commit.ns), commit)),
                }
            }
        }
        self.failed.check()
    }

    /// The background writer of asynchronous durability, started at its first use.
    fn writer(&self) -> mpsc::Sender<Commit> {
        let mut background = lock(&self.background);
        if let Some((sender, _)) = &*background {
            return sender.clone();
        }
        let (sender, mut commits) = mpsc::channel::<Commit>(64);
        let (store, lease, failed) = (Arc::clone(&self.store), self.lease.clone(), Arc::clone(&self.failed));
        let writer = tokio::spawn(async move {
            while let Some(commit) = commits.recv().await {
                if let Err(error) = store.commit(&lease, commit).await {
                    return failed.set(error);
                }
            }
        });
        *background = Some((sender.clone(), writer));
        sender
    }

    async fn flush(&self) -> Result<(), CheckpointError> {
        let background = lock(&self.background).take();
        if let Some((sender, writer)) = background {
            drop(sender);
            // It does not panic; its error is in `failed`.
            let _ = writer.await;
        }
        let deferred = std::mem::take(&mut *lock(&self.deferred));
        // Children first: a parent's checkpoint may build on theirs.
        for (_, commit) in deferred.into_iter().rev() {
            self.failed.check()?;
            if let Err(error) = self.store.commit(&self.lease, commit).await {
                self.failed.set(error);
            }
        }
        self.failed.check()
    }
}

/// Folds a later commit of a namespace into an earlier one that is not written yet.
fn merge(earlier: &mut Commit, later: Commit) {
    for record in later.fields {
        if record.kind == crate::checkpoint::RecordKind::Whole {
            earlier.fields.retain(|other| other.field != record.field);
        }
        earlier.fields.push(record);
    }
    if let Some(mut row) = later.checkpoint {
        if let Some(skipped) = &earlier.checkpoint {
            row.parent = skipped.parent;
        }
        earlier.checkpoint = Some(row);
    }
    earlier.tasks.retain(|record| record.kind == TaskRecordKind::Once || !later.settled.contains(&record.task));
    earlier.tasks.extend(later.tasks);
    earlier.settled.extend(later.settled);
    earlier.journal.extend(later.journal);
    earlier.thread = later.thread.or(earlier.thread.take());
    earlier.release |= later.release;
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.store.release(&self.lease);
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("thread", &self.thread).field("policy", &self.policy).finish_non_exhaustive()
    }
}
