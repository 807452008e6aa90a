//! A hundred threads at once, of a chain of twenty nodes each, in one store.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::try_join_all;
use graphloom_core_graph::checkpoint::Checkpointer;

use super::check;
use crate::graphs::Count;
use crate::measure::{Floor, Measurements, OnStore, Shape, Store};
use crate::{Failure, graphs};

const THREADS: u64 = 100;
const STEPS: u64 = 20;

pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    let shape = Shape { name: "threads100x20", unit: "super-step", units: THREADS * STEPS };
    let app = graphs::chain(STEPS)?;
    let alone = app.clone();
    bench
        .transient(shape, Floor::None, move || {
            let runs: Vec<_> = (0..THREADS).map(|_| alone.run_once(Count::update()).into_future()).collect();
            all(runs).boxed()
        })
        .await?;
    let on_store: OnStore = Arc::new(move |store: Arc<dyn Checkpointer>| {
        let threads = app.with_shared_checkpointer(store);
        let runs = (0..THREADS).map(|at| threads.thread(format!("t{at}")).run(Count::update()).into_future());
        all(runs.collect()).boxed()
    });
    for store in Store::DURABLE {
        bench.durable(shape, store, true, Floor::None, &on_store).await?;
    }
    Ok(())
}

async fn all(runs: Vec<graphloom_core_graph::RunFuture<Count>>) -> Result<(), Failure> {
    for outcome in try_join_all(runs).await? {
        check(outcome, |count| count.n == STEPS)?;
    }
    Ok(())
}
