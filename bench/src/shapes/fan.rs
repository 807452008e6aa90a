//! Fan-outs with a join: to tasks, and to subgraphs of three nodes.

use super::{once, stored};
use crate::graphs::Count;
use crate::measure::{Floor, Measurements, Shape, Store};
use crate::{Failure, graphs};

pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    for (name, branches) in [("tasks100", 100), ("tasks1000", 1_000)] {
        let shape = Shape { name, unit: "branch", units: branches };
        let floor = Floor::JoinSet { branches, nodes: 0 };
        bench.transient(shape, floor, once(graphs::tasks(branches)?, |count| count.n == 2)).await?;
    }
    let shapes: [(_, _, fn(&Count) -> bool); 2] =
        [("fanout100", 100, |count| count.sum == 10_100), ("fanout1000", 1_000, |count| count.sum == 1_001_000)];
    for (name, branches, right) in shapes {
        let shape = Shape { name, unit: "branch", units: branches };
        let floor = Floor::JoinSet { branches, nodes: 3 };
        bench.transient(shape, floor.clone(), once(graphs::fan_out(branches)?, right)).await?;
        let on_store = stored(graphs::fan_out(branches)?, right);
        for store in Store::DURABLE {
            let quick = branches == 100 && store != Store::Full;
            bench.durable(shape, store, quick, floor.clone(), &on_store).await?;
        }
    }
    Ok(())
}
