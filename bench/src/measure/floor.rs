//! Floors: the least that work of a shape costs on the same machine at the same time.

use std::hint::black_box;
use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::task::JoinSet;

use super::cost::{Clock, Cost};
use super::plain::PlainRows;
use crate::Failure;

/// What a row is compared with.
#[derive(Clone, Debug)]
pub(crate) enum Floor {
    /// Nothing.
    None,
    /// A loop that boxes a future, awaits it and counts: what any graph of boxed async nodes pays. A unit is a future.
    BoxedFutures,
    /// A `JoinSet` of boxed futures that hold two `Arc`s and await boxed futures, one for each node. A unit is a branch.
    JoinSet {
        /// Branches.
        branches: u64,
        /// Futures that each branch awaits; with none it only counts.
        nodes: u64,
    },
    /// Plain rusqlite, writing the same rows in a transaction for each commit, or in those that commits shared. A unit is
    /// one of the shape's.
    PlainRows(Arc<PlainRows>),
    /// The same in a transaction for each commit, for a subject that writes them one by one, too.
    OneByOne(Arc<PlainRows>),
}

impl Floor {
    /// How the floor is called in tables.
    pub(crate) fn name(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::BoxedFutures => Some("boxed futures"),
            Self::JoinSet { .. } => Some("JoinSet"),
            Self::PlainRows(rows) if rows.is_shared() => Some("plain rusqlite, shared transactions"),
            Self::PlainRows(_) => Some("plain rusqlite"),
            Self::OneByOne(_) => Some("plain rusqlite, both one by one"),
        }
    }

    pub(super) async fn cost(&self) -> Result<Option<Cost>, Failure> {
        match self {
            Self::None => Ok(None),
            Self::BoxedFutures => {
                const STEPS: u64 = 1_000_000;
                let cost = tokio::spawn(async {
                    let clock = Clock::start();
                    black_box(boxed_futures(STEPS).await);
                    clock.cost(STEPS)
                });
                Ok(Some(cost.await?))
            }
            &Self::JoinSet { branches, nodes } => {
                let repeats = 20_000_u64.div_ceil(branches.max(1));
                let cost = tokio::spawn(async move {
                    let clock = Clock::start();
                    for _ in 0..repeats {
                        black_box(join_set(branches, nodes).await?);
                    }
                    Ok::<_, Failure>(clock.cost(repeats * branches))
                });
                Ok(Some(cost.await??))
            }
            Self::PlainRows(rows) | Self::OneByOne(rows) => {
                let rows = Arc::clone(rows);
                Ok(Some(tokio::task::spawn_blocking(move || rows.cost()).await??))
            }
        }
    }
}

/// Boxes and awaits `steps` futures, each of which adds one.
async fn boxed_futures(steps: u64) -> u64 {
    let mut count = 0;
    for _ in 0..steps {
        let next: BoxFuture<'static, u64> = Box::pin(async move { black_box(count) + 1 });
        count = black_box(next).await;
    }
    count
}

async fn join_set(branches: u64, nodes: u64) -> Result<u64, Failure> {
    let (graph, state) = (Arc::new(1_u64), Arc::new(1_u64));
    let mut set = JoinSet::new();
    for branch in 0..branches {
        let (graph, state) = (Arc::clone(&graph), Arc::clone(&state));
        let work: BoxFuture<'static, u64> = Box::pin(async move {
            let held = black_box(*graph * *state + branch);
            boxed_futures(nodes).await + held
        });
        set.spawn(work);
    }
    let mut sum = 0;
    while let Some(done) = set.join_next().await {
        sum += done?;
    }
    Ok(sum)
}
