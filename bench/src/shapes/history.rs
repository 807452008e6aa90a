//! Reading a thread of 1000 checkpoints: their rows, and the whole state at each.

use std::sync::Arc;

use graphloom_core_graph::Mode;
use graphloom_core_graph::checkpoint::HistoryFilter;

use crate::graphs::Count;
use crate::measure::{Clock, Measurements, Place, Row, Shape, Store, median};
use crate::{Failure, graphs};

const CHECKPOINTS: u64 = 1_000;

#[expect(clippy::print_stdout, reason = "a row is told when it is there")]
pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    let rows = Shape { name: "history1000", unit: "row", units: CHECKPOINTS };
    let states = Shape { name: "history1000-s", unit: "state", units: CHECKPOINTS };
    for store in [Store::Memory, Store::Normal] {
        for shape in [rows, states] {
            if !bench.wants(&format!("{} {}", shape.name, store.name()), true) {
                continue;
            }
            // One checkpoint is the input's.
            let app = graphs::looped(CHECKPOINTS - 1, Mode::Barrier)?;
            let thread = app.with_shared_checkpointer(Place::open(store, &bench.file())?).thread("bench");
            thread.run(Count::update()).await?;
            let thread = Arc::new(thread);
            let costs = tokio::spawn(async move {
                let mut costs = Vec::new();
                for _ in 0..5 {
                    let clock = Clock::start();
                    let history = thread.history(&HistoryFilter::default()).await?;
                    if history.len() as u64 != CHECKPOINTS {
                        return Err(format!("the thread has {} checkpoints", history.len()).into());
                    }
                    if shape.unit == "state" {
                        for row in &history {
                            let found = thread.at(row.number).state().await?;
                            if found.state.n + 1 != row.number {
                                return Err(format!("checkpoint {} has {}", row.number, found.state.n).into());
                            }
                        }
                    }
                    costs.push(clock.cost(CHECKPOINTS));
                }
                Ok::<_, Failure>(costs)
            })
            .await??;
            let row = Row::alone(shape, store, median(&costs).ok_or("nothing was measured")?);
            println!("{row}");
            bench.rows.push(row);
        }
    }
    Ok(())
}
