//! One node after another: a chain of 1000 nodes, and a loop of 10 000 super-steps.

use graphloom_core_graph::Mode;

use super::{once, stored};
use crate::measure::{Floor, Measurements, Shape, Store};
use crate::{Failure, graphs};

const UNIT: &str = "super-step";

pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    let chain = Shape { name: "chain1000", unit: UNIT, units: 1_000 };
    bench.transient(chain, Floor::BoxedFutures, once(graphs::chain(1_000)?, |count| count.n == 1_000)).await?;
    let on_store = stored(graphs::chain(1_000)?, |count| count.n == 1_000);
    for store in Store::DURABLE {
        bench.durable(chain, store, true, Floor::BoxedFutures, &on_store).await?;
    }

    let ten = Shape { name: "loop10k", unit: UNIT, units: 10_000 };
    let looped = |mode| graphs::looped(10_000, mode);
    bench.transient(ten, Floor::BoxedFutures, once(looped(Mode::Barrier)?, |count| count.n == 10_000)).await?;
    let eager = Shape { name: "loop10k-eager", ..ten };
    bench.transient(eager, Floor::BoxedFutures, once(looped(Mode::Eager)?, |count| count.n == 10_000)).await?;
    let on_store = stored(looped(Mode::Barrier)?, |count| count.n == 10_000);
    for store in [Store::Memory, Store::Normal] {
        bench.durable(ten, store, true, Floor::BoxedFutures, &on_store).await?;
    }
    let one = Shape { name: "loop1000", unit: UNIT, units: 1_000 };
    let on_store = stored(graphs::looped(1_000, Mode::Barrier)?, |count| count.n == 1_000);
    for store in Store::DURABLE {
        bench.durable(one, store, false, Floor::BoxedFutures, &on_store).await?;
    }
    Ok(())
}
