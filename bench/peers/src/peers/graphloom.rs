//! The runtime of this repository.

use futures::FutureExt;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{App, Mode, Outcome};

use super::check;
use crate::Failure;
use crate::graphs::{self, Count};
use crate::rounds::{CHAIN, Case, LOOP, SHORT_LOOP, Shape, TASKS};

pub(super) fn cases(by: &'static str) -> Vec<Case> {
    let mut cases = Vec::new();
    for (shape, stored) in
        [(CHAIN, false), (LOOP, false), (TASKS, false), (CHAIN, true), (SHORT_LOOP, true), (TASKS, true)]
    {
        let store = if stored { "memory" } else { "none" };
        cases.push(Case::new(by, shape, store, async move {
            let app = app(shape)?;
            Ok(move |_| {
                let run = if stored {
                    app.with_checkpointer(MemoryCheckpointer::new()).thread("bench").run(Count::update())
                } else {
                    app.run_once(Count::update())
                };
                async move { right(&run.await?, shape) }.boxed()
            })
        }));
    }
    cases
}

fn app(shape: Shape) -> Result<App<Count>, Failure> {
    Ok(match shape.name {
        "chain1000" => graphs::chain(shape.units)?,
        "tasks100" => graphs::tasks(shape.units)?,
        _ => graphs::looped(shape.units, Mode::Barrier)?,
    })
}

fn right(outcome: &Outcome<Count>, shape: Shape) -> Result<(), Failure> {
    match outcome {
        Outcome::Done(state) if shape.name == "tasks100" => check(state.sum, shape.units * (shape.units - 1) / 2),
        Outcome::Done(state) => check(state.n, shape.units),
        other => Err(format!("not done: {other:?}").into()),
    }
}
