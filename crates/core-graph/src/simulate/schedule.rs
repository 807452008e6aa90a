//! The order of tasks, drawn from a seed, and what was seen of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;

use super::store::KeptResults;
use crate::limits::TurnOrder;

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
pub(crate) struct Schedule(Mutex<Seen>);

#[derive(Debug)]
struct Seen {
    random: Random,
    started: Vec<Started>,
    onces: BTreeMap<(String, String), OnceRuns>,
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
const TURNS: u64 = 8;

impl Schedule {
    pub(super) fn new(seed: u64) -> Self {
        Self(Mutex::new(Seen { random: Random::new(seed), started: Vec::new(), onces: BTreeMap::new() }))
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    pub(super) fn repeated(&self) -> Vec<String> {
        let seen = self.lock();
        let repeated = seen.onces.iter().filter(|(_, once)| once.repeated > 0);
        repeated
            .map(|((task, key), _)| format!("durable step `{key}` of `{task}` ran again after it was stored"))
            .collect()
    }
}

impl TurnOrder for Schedule {
    /// Lets others go first, as the seed says.
    fn turn(&self, task: Arc<str>, attempt: u32) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let turns = self.lock().random.below(TURNS);
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            self.lock().started.push(Started { task: task.to_string(), attempt });
        })
    }

    fn once_ran(&self, task: &str, key: &str) {
        let mut seen = self.lock();
        let once = seen.onces.entry((task.to_owned(), key.to_owned())).or_default();
        once.ran += 1;
        once.repeated += u32::from(once.stored);
    }

    fn once_stored(&self, task: &str, key: &str) {
        self.lock().onces.entry((task.to_owned(), key.to_owned())).or_default().stored = true;
    }
}
