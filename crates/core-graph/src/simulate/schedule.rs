//! The order of tasks, drawn from a seed, and what was seen of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::future::BoxFuture;

use super::store::{FaultPlan, KeptResults, Life};
use crate::limits::TurnOrder;
use crate::lock::lock;

/// An attempt of a task that began.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Started {
    /// The task.
    pub task: String,
    /// Counts from 1.
    pub attempt: u32,
}

/// What became of a durable step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OnceRuns {
    /// How often its work ran to its end.
    pub ran: u32,
    /// How often it ran to its end after a result had been stored, which must not be.
    pub repeated: u32,
    /// Whether a result was stored and acknowledged.
    pub stored: bool,
}

/// Shared by all lives of a simulation.
#[derive(Debug)]
pub(crate) struct Schedule {
    seen: Mutex<Seen>,
    /// Knows what is written.
    plan: Arc<FaultPlan>,
}

#[derive(Debug)]
struct Seen {
    random: Random,
    started: Vec<Started>,
    onces: BTreeMap<(String, String), OnceRuns>,
    /// What was told before it was so.
    early: Vec<String>,
}

/// `SplitMix64` (Steele, Lea, Flood 2014).
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Whether it happens, once in `times`; never for 0.
    pub(super) fn one_in(&mut self, times: u64) -> bool {
        times > 0 && self.below(times) == 0
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % limit.max(1)
    }
}

/// A task passes up to this many turns before it begins.
const TURNS: usize = 8;

/// The task that writes lets others go first up to this many times.
const PAUSES: usize = 4;

impl Schedule {
    pub(super) fn new(seed: u64, plan: &Arc<FaultPlan>) -> Self {
        let random = Random::new(seed);
        let seen = Seen { random, started: Vec::new(), onces: BTreeMap::new(), early: Vec::new() };
        Self { seen: Mutex::new(seen), plan: Arc::clone(plan) }
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        lock(&self.seen)
    }

    /// Whether a subscriber reads a process.
    pub(super) fn is_read(&self) -> bool {
        self.draw(2) == 0
    }

    /// Whether the subscriber goes away now.
    pub(super) fn is_over(&self) -> bool {
        self.draw(50) == 0
    }

    /// A subscriber of a run under [`Durability::Sync`](crate::Durability::Sync) was told an event of the journal.
    pub(super) fn told(&self, seq: u64) {
        if !self.plan.has_written_event(seq) {
            self.lock().early.push(format!("event {seq} of the journal was told before it was written"));
        }
    }

    /// Lets others go first, less often than so many times.
    async fn give_way(&self, times: usize) {
        for _ in 0..self.draw(times) {
            tokio::task::yield_now().await;
        }
    }

    /// Only these results are stored.
    pub(super) fn keep(&self, kept: &KeptResults) {
        for (place, once) in &mut self.lock().onces {
            once.stored &= kept.contains(place);
        }
    }

    pub(super) fn started(&self) -> Vec<Started> {
        self.lock().started.clone()
    }

    pub(super) fn onces(&self) -> BTreeMap<(String, String), OnceRuns> {
        self.lock().onces.clone()
    }

    /// What was promised and is not so.
    pub(super) fn violations(&self) -> Vec<String> {
        let seen = self.lock();
        let repeated = seen.onces.iter().filter(|(_, once)| once.repeated > 0);
        let repeated =
            repeated.map(|((task, key), _)| format!("durable step `{key}` of `{task}` ran again after it was stored"));
        seen.early.iter().cloned().chain(repeated).collect()
    }
}

impl TurnOrder for Schedule {
    fn draw(&self, limit: usize) -> usize {
        self.lock().random.below(limit as u64) as usize
    }

    fn turn(&self, task: Arc<str>, attempt: u32) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.give_way(TURNS).await;
            self.starts(task, attempt);
        })
    }

    fn starts(&self, task: Arc<str>, attempt: u32) {
        self.lock().started.push(Started { task: task.to_string(), attempt });
    }

    fn pause(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.give_way(PAUSES))
    }

    fn acknowledged(&self, ns: &str, checkpoint: u64) {
        if !self.plan.has_written(ns, checkpoint) {
            let early = format!("checkpoint {checkpoint} of namespace `{ns}` was acknowledged before it was written");
            self.lock().early.push(early);
        }
    }

    fn once_ran(&self, task: &str, key: &str) {
        let mut seen = self.lock();
        let once = seen.onces.entry((task.to_owned(), key.to_owned())).or_default();
        once.ran += 1;
        once.repeated += u32::from(once.stored);
    }

    fn once_stored(&self, task: &str, key: &str) {
        let mut seen = self.lock();
        let once = seen.onces.entry((task.to_owned(), key.to_owned())).or_default();
        if std::mem::replace(&mut once.stored, true) {
            seen.early.push(format!("durable step `{key}` of `{task}` was stored twice"));
        }
    }
}

/// The order as one process has it.
pub(super) struct LifeOrder {
    schedule: Arc<Schedule>,
    life: Arc<Life>,
}

impl LifeOrder {
    pub(super) fn new(schedule: &Arc<Schedule>, life: &Arc<Life>) -> Self {
        Self { schedule: Arc::clone(schedule), life: Arc::clone(life) }
    }
}

impl TurnOrder for LifeOrder {
    fn draw(&self, limit: usize) -> usize {
        self.schedule.draw(limit)
    }

    fn turn(&self, task: Arc<str>, attempt: u32) -> BoxFuture<'_, ()> {
        self.schedule.turn(task, attempt)
    }

    fn starts(&self, task: Arc<str>, attempt: u32) {
        self.schedule.starts(task, attempt);
    }

    fn pause(&self) -> BoxFuture<'_, ()> {
        self.schedule.pause()
    }

    fn acknowledged(&self, ns: &str, checkpoint: u64) {
        self.schedule.acknowledged(ns, checkpoint);
    }

    /// A process that was replaced cannot know which results the next one has stored.
    fn once_ran(&self, task: &str, key: &str) {
        if !self.life.is_replaced() {
            self.schedule.once_ran(task, key);
        }
    }

    fn once_stored(&self, task: &str, key: &str) {
        self.schedule.once_stored(task, key);
    }
}

impl std::fmt::Debug for LifeOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LifeOrder").field("schedule", &self.schedule).finish_non_exhaustive()
    }
}
