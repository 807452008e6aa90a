//! What every store must do, as named cases that any author of a store can run.
//!
//! - [`run`] runs the cases of [`Checkpointer`], each on a new store; [`run_memory`] those of [`Store`].
//! - A [`ConformanceReport`] names every case and, for one that failed, what was expected.
//! - Cases of an ability that a store does not have only ask that it says so; see [`Ability`].
//!
//! ```
//! use graphloom_core_graph::checkpoint::MemoryCheckpointer;
//! use graphloom_core_graph::conformance;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let report = conformance::run(async || MemoryCheckpointer::new()).await;
//! assert!(report.is_green(), "{report}");
//! # }
//! ```
//!
//! # Beside LangGraph's suite
//! [`REFERENCE`] goes through the cases of `langgraph-checkpoint-conformance` 0.0.2 and of its extended suites, and names
//! for each the case here that asks the same of a store, or the reason why it has no meaning here: there are no
//! `versions_seen`, because what is left to do is stored as a frontier; metadata has no free keys; and a write is
//! either pending, as a record of its task, or part of a checkpoint, so that a history of values need not be put
//! together from both.
//!
//! # What is asked beyond it
//! Epochs and leases (`ThreadBusy`, `StaleHead`), refused commits that leave nothing behind, large values stored once,
//! results of durable steps, the journal, steps in compact form, retention that never cuts what is needed, and many writers at a time.

mod chains;
mod ground;
mod history;
mod memory;
mod ownership;
mod reading;
mod records;
mod reference;
mod report;
mod retention;
mod steps;
mod subgraphs;
mod threads;
mod together;
mod writing;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt;

pub use reference::{Correspondence, REFERENCE};
pub use report::{CaseReport, ConformanceReport, Verdict};

use self::ground::CaseFailure;
use self::ground::{Case, SharedStore};
use crate::checkpoint::{Capabilities, CheckpointError, Checkpointer};
use crate::clock::Clock;
use crate::store::Store;

/// What a case needs a store to be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ability {
    /// What every store can.
    Base,
    /// [`Capabilities::delete_thread`].
    DeleteThread,
    /// [`Capabilities::copy_thread`].
    CopyThread,
    /// [`Capabilities::prune`].
    Prune,
    /// [`Capabilities::shares_values`].
    SharedValues,
    /// [`Capabilities::stats`].
    Stats,
    /// [`Capabilities::compact`].
    Compact,
    /// The long-term store.
    Memory,
}

impl Ability {
    fn is_in(self, capabilities: Capabilities) -> bool {
        match self {
            Self::Base | Self::Memory => true,
            Self::DeleteThread => capabilities.delete_thread,
            Self::CopyThread => capabilities.copy_thread,
            Self::Prune => capabilities.prune,
            Self::SharedValues => capabilities.shares_values && capabilities.stats,
            Self::Stats => capabilities.stats,
            Self::Compact => capabilities.compact,
        }
    }
}

/// A clock that stands still until it is set, for stores that expire items.
#[derive(Debug, Default)]
pub struct SetClock(AtomicU64);

impl SetClock {
    /// Sets the time, in milliseconds since 1970.
    pub fn set(&self, now: u64) {
        self.0.store(now, Ordering::Relaxed);
    }
}

impl Clock for SetClock {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

fn cases() -> impl Iterator<Item = &'static Case> {
    [
        writing::CASES,
        together::CASES,
        steps::CASES,
        records::CASES,
        reading::CASES,
        history::CASES,
        chains::CASES,
        threads::CASES,
        retention::CASES,
        subgraphs::CASES,
        ownership::CASES,
    ]
    .into_iter()
    .flatten()
}

/// The names of the cases of [`run`].
pub fn case_names() -> Vec<&'static str> {
    cases().map(|case| case.name).collect()
}

/// Runs every case on a store of its own. `make` gives a store without threads each time; it needs a tokio runtime, in
/// which some cases spawn tasks.
pub async fn run<C: Checkpointer>(make: impl AsyncFn() -> C) -> ConformanceReport {
    let mut report = ConformanceReport::default();
    for case in cases() {
        let store: SharedStore = Arc::new(make().await);
        let verdict = if case.ability.is_in(store.capabilities()) {
            verdict((case.run)(store)).await
        } else {
            says_unsupported(store, case.ability).await
        };
        report.cases.push(CaseReport { name: case.name, ability: case.ability, verdict });
    }
    report
}

/// Runs every case of a long-term store on a store of its own, without items, that takes the time from the clock.
pub async fn run_memory<M: Store>(make: impl AsyncFn(Arc<dyn Clock>) -> M) -> ConformanceReport {
    let mut report = ConformanceReport::default();
    for (name, case) in memory::CASES {
        let clock = Arc::new(SetClock::default());
        let store: Arc<dyn Store> = Arc::new(make(Arc::clone(&clock) as _).await);
        let verdict = verdict(case(store, clock)).await;
        report.cases.push(CaseReport { name, ability: Ability::Memory, verdict });
    }
    report
}

async fn verdict(case: impl Future<Output = Result<(), CaseFailure>>) -> Verdict {
    match AssertUnwindSafe(case).catch_unwind().await {
        Ok(Ok(())) => Verdict::Passed,
        Ok(Err(fault)) => Verdict::Failed(fault.0),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Verdict::Failed(format!("the store panicked: {}", text.unwrap_or_default()))
        }
    }
}

/// A store without an ability answers with the typed error, and does not just do nothing.
async fn says_unsupported(store: SharedStore, ability: Ability) -> Verdict {
    let lease = crate::checkpoint::Lease { thread: "a".into(), owner: "nobody".into(), epoch: 1 };
    let answer = match ability {
        Ability::Base | Ability::Memory => return Verdict::Passed,
        Ability::SharedValues => return Verdict::Unsupported,
        Ability::DeleteThread => store.delete_thread("a").await,
        Ability::CopyThread => store.copy_thread("a", "b").await,
        Ability::Prune => match store.outline("a", "").await {
            Err(CheckpointError::Unsupported { .. }) => store.prune(&lease, Default::default()).await,
            other => other.map(drop),
        },
        Ability::Stats => store.stats().await.map(drop),
        Ability::Compact => store.compact().await,
    };
    match answer {
        Err(CheckpointError::Unsupported { .. }) => Verdict::Unsupported,
        other => Verdict::Failed(format!(
            "`capabilities()` does not have the ability, so the answer must be `Unsupported`; it is {other:?}"
        )),
    }
}
