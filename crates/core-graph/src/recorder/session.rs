//! What a run shares with its children: the store and its lease, the journal, subscribers, control and budget.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use tokio::time::Instant;
use xxhash_rust::xxh3::xxh3_64;

use crate::checkpoint::{CheckpointError, Commit, TaskRecord, TaskRecordKind, ThreadRow, ThreadStatus};
use crate::clock::Clock;
use crate::event::{EVENT_VERSION, Event, EventKind, EventMode};
use crate::limits::{Budget, Control, Durability, RunPolicy, TurnOrder};
use crate::record::Heads;
use crate::recorder::commit_log::CommitLog;
use crate::recorder::events::{Events, tell};
use crate::recorder::replays::Replays;
use crate::recorder::subscriber::Queue;
use crate::recorder::thread_scoped::ThreadScopedCalls;
use crate::store::Store;

pub(crate) struct Session {
    pub(crate) thread: Arc<str>,
    /// Tells the run's thread from others in waits that vary: always the same for a thread with a name, and another for
    /// each run without one.
    pub(crate) seed: u64,
    /// What the run's waits are measured from. The wall clock may be set meanwhile.
    started: Instant,
    pub(crate) attached: Option<CommitLog>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) control: Arc<Control>,
    pub(crate) policy: RunPolicy,
    pub(crate) memory: Option<Arc<dyn Store>>,
    pub(crate) queue: Option<Arc<Queue>>,
    /// Tasks that count against the budget.
    pub(crate) budget: Arc<Budget>,
    /// Where subgraphs that are kept per thread stand.
    pub(crate) calls: Arc<ThreadScopedCalls>,
    /// Which calls of subgraphs go on from a checkpoint of an earlier call.
    pub(crate) replays: Replays,
    /// Whether attempts that failed before this run are forgotten.
    pub(crate) forget_attempts: bool,
    /// In a simulation, decides when tasks take their turns.
    pub(crate) schedule: Option<Arc<dyn TurnOrder>>,
    /// Answers to questions, as JSON, by task and key.
    pub(crate) answers: BTreeMap<(Arc<str>, Arc<str>), Arc<[u8]>>,
}

impl Session {
    #[expect(clippy::too_many_arguments, reason = "the parts of a session, put together in one place")]
    pub(crate) fn new(
        thread: Arc<str>,
        attached: Option<CommitLog>,
        clock: Arc<dyn Clock>,
        control: Arc<Control>,
        policy: RunPolicy,
        memory: Option<Arc<dyn Store>>,
        queue: Option<Arc<Queue>>,
        answers: BTreeMap<(Arc<str>, Arc<str>), Arc<[u8]>>,
    ) -> Self {
        let seed = if thread.is_empty() { RandomState::new().hash_one(0) } else { xxh3_64(thread.as_bytes()) };
        Self {
            thread,
            seed,
            started: Instant::now(),
            attached,
            clock,
            control,
            policy,
            memory,
            queue,
            budget: Arc::default(),
            calls: Arc::default(),
            replays: Replays::default(),
            forget_attempts: false,
            schedule: None,
            answers,
        }
    }

    /// The same run without a store, for a subgraph of which nothing is kept.
    pub(crate) fn detached(&self) -> Self {
        Self {
            thread: Arc::clone(&self.thread),
            seed: self.seed,
            started: self.started,
            attached: None,
            clock: Arc::clone(&self.clock),
            control: Arc::clone(&self.control),
            policy: self.policy.clone(),
            memory: self.memory.clone(),
            queue: self.queue.clone(),
            budget: Arc::clone(&self.budget),
            calls: Arc::clone(&self.calls),
            replays: Replays::default(),
            forget_attempts: false,
            schedule: self.schedule.clone(),
            answers: BTreeMap::new(),
        }
    }

    /// Whether anybody reads live events.
    pub(crate) fn is_watched(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| !queue.is_closed())
    }

    /// Whether a reader is told what happens in this mode.
    pub(crate) fn tells(&self, mode: EventMode) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.wants(mode) && !queue.is_closed())
    }

    /// Whether a reader is told of single steps, and not only of the beginning and the end of runs and subgraphs, and what
    /// nodes tell themselves.
    pub(crate) fn tells_steps(&self) -> bool {
        const OF_STEPS: [EventMode; 4] =
            [EventMode::Tasks, EventMode::Updates, EventMode::Checkpoints, EventMode::Values];
        self.is_watched() && OF_STEPS.into_iter().any(|mode| self.tells(mode))
    }

    /// Whether nobody stores or reads what is committed.
    pub(crate) fn is_silent(&self) -> bool {
        self.attached.is_none() && !self.is_watched()
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

    /// Returns the milliseconds since the run began, for waits. No change of the wall clock changes them.
    pub(crate) fn elapsed(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    // ===== budget =====

    /// How many tasks may still be dispatched; `None` without a budget.
    pub(crate) fn room(&self) -> Option<u64> {
        self.policy.budget.map(|budget| self.budget.room(budget))
    }

    /// Counts tasks against the budget, all or none.
    pub(crate) fn reserve(&self, tasks: &[Arc<str>]) -> bool {
        self.policy.budget.is_none_or(|budget| self.budget.reserve_tasks(budget, tasks))
    }

    // ===== events =====

    pub(crate) fn event(&self, ns: &Arc<str>, step: u64, task: Option<(&Arc<str>, u32)>, kind: EventKind) -> Event {
        self.event_at(self.clock.now(), ns, step, task, kind)
    }

    pub(crate) fn event_at(
        &self,
        time: u64,
        ns: &Arc<str>,
        step: u64,
        task: Option<(&Arc<str>, u32)>,
        kind: EventKind,
    ) -> Event {
        Event {
            v: EVENT_VERSION,
            seq: None,
            ns: Arc::clone(ns),
            step,
            task: task.map(|(id, _)| Arc::clone(id)),
            attempt: task.map_or(0, |(_, attempt)| attempt),
            time,
            kind,
        }
    }

    /// Tells a live event.
    pub(crate) fn tell(&self, event: Event) -> impl Future<Output = ()> + Send + '_ {
        let told = self.queue.as_ref().map(|queue| queue.send(event));
        async move {
            if let Some(told) = told {
                told.await;
            }
        }
    }

    // ===== store =====

    /// Writes a commit, which records `heads` of subgraphs, with its events, by the run's durability, and tells the
    /// events.
    pub(crate) async fn commit(
        &self,
        commit: Box<Commit>,
        heads: &Heads,
        events: &mut Events,
    ) -> Result<(), CheckpointError> {
        match &self.attached {
            Some(attached) => {
                let checkpoint = self.schedule.as_deref().and_then(|_| Some(commit.checkpoint.as_ref()?.number));
                let ns = checkpoint.map(|_| Arc::clone(&commit.ns));
                attached.write_commit(commit, heads, events, self.policy.durability, self.queue.as_ref()).await?;
                if let (Some(schedule), Some(ns), Some(checkpoint)) = (&self.schedule, ns, checkpoint)
                    && self.policy.durability == Durability::Sync
                {
                    schedule.acknowledged(&ns, checkpoint);
                }
                Ok(())
            }
            None => {
                tell(self.queue.as_deref(), events).await;
                Ok(())
            }
        }
    }

    /// Makes a task record durable at once, in every durability.
    pub(crate) async fn record(&self, ns: &Arc<str>, record: TaskRecord) -> Result<(), CheckpointError> {
        match &self.attached {
            Some(attached) => attached.record(ns, record, self.policy.durability).await,
            None => Ok(()),
        }
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

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("thread", &self.thread).field("policy", &self.policy).finish_non_exhaustive()
    }
}
