//! What each fast path gains: a shape with it, and the same shape with it switched off.

use graphloom_core_graph::__private::FastPath;
use graphloom_core_graph::{App, CompileErrors, Mode, RunPolicy};

use super::behind::turns;
use super::flat::{AtSize, diamonds, run};
use crate::Failure;
use crate::graphs::{self, Count};
use crate::measure::{Cost, Measurements, Store, median};

/// A fast path, and a shape that takes it.
struct Path {
    name: &'static str,
    path: FastPath,
    store: Store,
    shape: fn() -> Result<(App<Count>, u64), CompileErrors>,
}

const PATHS: [Path; 7] = [
    Path { name: "single tasks", path: FastPath::SingleTasks, store: Store::None, shape: looped },
    Path { name: "single tasks", path: FastPath::SingleTasks, store: Store::Memory, shape: looped },
    Path { name: "compact steps", path: FastPath::CompactSteps, store: Store::Memory, shape: looped },
    Path { name: "compact steps", path: FastPath::CompactSteps, store: Store::Normal, shape: looped },
    Path { name: "inline calls", path: FastPath::InlineCalls, store: Store::None, shape: fan_out },
    Path { name: "inline dispatches, tasks", path: FastPath::InlineDispatches, store: Store::None, shape: tasks },
    Path { name: "inline dispatches, diamonds", path: FastPath::InlineDispatches, store: Store::None, shape: pairs },
];

/// Turns that a thread has behind it which is read again.
const TURNS: u64 = 1_000;

/// Measures the paths that are wanted.
pub(crate) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    for Path { name, path, store, shape } in PATHS {
        let label = format!("path {name} {}", store.name());
        if !bench.wants(&label, true) {
            continue;
        }
        let (app, units) = shape()?;
        let at = |policy| AtSize { app: app.clone(), policy, units, turns: false };
        let (with, without) = (at(RunPolicy::default()), at(RunPolicy::default().without(path)));
        let (mut taken, mut avoided) = (Vec::new(), Vec::new());
        for _ in 0..if store.is_file() { 3 } else { 15 } {
            taken.push(run(bench, &with, store).await?.0);
            avoided.push(run(bench, &without, store).await?.0);
        }
        tell(bench, label, &taken, &avoided);
    }
    for store in [Store::Memory, Store::Normal] {
        let label = format!("path known states {}", store.name());
        if !bench.wants(&label, true) {
            continue;
        }
        let (mut taken, mut avoided) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            let policy = RunPolicy::default();
            taken.push(turns(bench, TURNS, store, policy.clone()).await?);
            avoided.push(turns(bench, TURNS, store, policy.without(FastPath::KnownStates)).await?);
        }
        tell(bench, label, &taken, &avoided);
    }
    Ok(())
}

/// Prints what a unit costs with a path and without it, and keeps what it gains.
#[expect(clippy::print_stdout, reason = "a row is told when it is there")]
fn tell(bench: &mut Measurements, label: String, taken: &[Cost], avoided: &[Cost]) {
    let (Some(with), Some(without)) = (median(taken), median(avoided)) else { return };
    let gain = without.cpu / with.cpu;
    println!("{label}: {:.3} µs a unit with it, {:.3} without, {gain:.2} times", with.cpu, without.cpu);
    bench.found(label, gain);
}

fn looped() -> Result<(App<Count>, u64), CompileErrors> {
    Ok((graphs::looped(10_000, Mode::Barrier)?, 10_000))
}

fn tasks() -> Result<(App<Count>, u64), CompileErrors> {
    Ok((graphs::tasks(100)?, 100))
}

fn fan_out() -> Result<(App<Count>, u64), CompileErrors> {
    Ok((graphs::fan_out(100)?, 100))
}

fn pairs() -> Result<(App<Count>, u64), CompileErrors> {
    diamonds(100).map(|shape| (shape.app, shape.units))
}
