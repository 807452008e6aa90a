//! The bars that the runtime is held to, and whether this run meets them.
//!
//! A bar is a ratio within one run on one machine; a missed bar is told and fails nothing. Ratios are of the time of the
//! processors, which others on the machine disturb least.

use std::fmt;

use crate::measure::{Measurements, Store};
use crate::shapes::{GUARDS, PAYLOAD, flat_names};

/// One bar.
pub(crate) struct Bar {
    what: String,
    figure: f64,
    limit: f64,
    /// Whether the figure is to be at least the limit.
    at_least: bool,
}

/// The bars whose shapes were measured.
pub(crate) fn bars(bench: &Measurements) -> Vec<Bar> {
    let mut bars = Vec::new();
    let mut most = |what: String, figure: Option<f64>, limit| {
        bars.extend(figure.map(|figure| Bar { what, figure, limit, at_least: false }));
    };
    let ratio = |shape, store| bench.row(shape, store).and_then(|row| row.ratio_cpu);
    for shape in ["chain1000", "loop10k"] {
        most(format!("{shape}, boxed futures"), ratio(shape, Store::None), 16.0);
        most(format!("{shape} in memory, boxed futures"), ratio(shape, Store::Memory), 40.0);
    }
    for shape in ["tasks100", "tasks1000", "fanout100", "fanout1000"] {
        most(format!("{shape}, JoinSets"), ratio(shape, Store::None), 1.3);
    }
    // A round trip and a turn of a chat read the thread, too.
    for shape in ["chain1000", "loop10k", "fanout100", "fanout1000", "wide100"] {
        most(format!("{shape} in SQLite NORMAL, plain rusqlite"), ratio(shape, Store::Normal), 1.3);
    }
    for shape in ["growth200", "growth1000"] {
        for store in [Store::Normal, Store::Full] {
            let row = bench.row(shape, store);
            let share = row.and_then(|row| Some(row.bytes? as f64 / (row.units * PAYLOAD) as f64));
            most(format!("{shape} in {}, payloads on disk", store.name()), share, 2.0);
        }
    }
    most("diamond eager, critical paths".to_owned(), quotient(bench, "diamond eager", "diamond path"), 1.0);
    for store in [Store::None, Store::Normal] {
        let name = store.name();
        most(format!("cold start with store {name}, ms"), bench.figure(&format!("cold ms {name}")), 20.0);
        most(format!("cold start with store {name}, MB"), bench.figure(&format!("cold MB {name}")), 15.0);
    }
    most("a suspended thread, bytes of memory".to_owned(), bench.figure("suspended bytes"), 64.0);
    for of in ["steps", "nodes", "threads"] {
        for store in [Store::None, Store::Memory, Store::Normal] {
            let name = store.name();
            let figure = bench.figure(&format!("curve of {of} {name}"));
            most(format!("a step at the most {of} with store {name}, steps at the fewest"), figure, 1.5);
        }
    }
    for (guard, limit) in GUARDS {
        let name = Store::None.name();
        most(format!("a loop with {guard}, bare loops"), bench.figure(&format!("guarded {guard} {name}")), limit);
    }
    let in_sqlite = bench.figure(&format!("guarded all {}", Store::Normal.name()));
    most("a loop with all guards in SQLite NORMAL, bare loops".to_owned(), in_sqlite, 1.2);
    for shape in flat_names() {
        most(format!("{shape}, largest to smallest"), bench.figure(&format!("flat {shape}")), 1.5);
        most(format!("{shape}, bytes, largest to smallest"), bench.figure(&format!("flat {shape} bytes")), 1.5);
    }
    let cores = bench.figure("cores at once").zip(bench.figure("cores"));
    bars.extend(cores.map(|(figure, limit)| Bar {
        what: "computing nodes at once, cores".to_owned(),
        figure,
        limit,
        at_least: true,
    }));
    bars
}

fn quotient(bench: &Measurements, above: &str, below: &str) -> Option<f64> {
    Some(bench.figure(above)? / bench.figure(below)?)
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, figure, limit, at_least } = self;
        let met = if *at_least { figure >= limit } else { figure <= limit };
        let (met, side) = (if met { "met    " } else { "not met" }, if *at_least { "least" } else { "most" });
        write!(f, "{met}  {what}: {figure:.2}, at {side} {limit}")
    }
}
