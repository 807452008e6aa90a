//! Super-steps of runs that nobody stores.

use divan::Bencher;
use divan::counter::ItemsCount;
use graphloom_core_graph::{App, CompileErrors, Mode, StateGraph};

use crate::graphs::{self, Count};
use crate::runtime;

const STEPS: u64 = 1_000;

/// Runs a graph again and again; `items` are its super-steps or branches.
fn run(bencher: Bencher<'_, '_>, app: Result<App<Count>, CompileErrors>, items: u64) {
    let (app, runtime) = (app.expect("the graph is sound"), runtime());
    bencher
        .counter(ItemsCount::new(items))
        .bench_local(|| runtime.block_on(async { app.run_once(Count::update()).await }).expect("the run ends"));
}

#[divan::bench]
fn looped_barrier(bencher: Bencher<'_, '_>) {
    run(bencher, graphs::looped(Mode::Barrier, STEPS), STEPS);
}

#[divan::bench]
fn looped_eager(bencher: Bencher<'_, '_>) {
    run(bencher, graphs::looped(Mode::Eager, STEPS), STEPS);
}

#[divan::bench]
fn looped_with_context(bencher: Bencher<'_, '_>) {
    run(bencher, graphs::looped_with_context(STEPS), STEPS);
}

#[divan::bench]
fn looped_with_once(bencher: Bencher<'_, '_>) {
    run(bencher, graphs::looped_with_once(STEPS), STEPS);
}

#[divan::bench(args = [10, 1_000])]
fn chain(bencher: Bencher<'_, '_>, nodes: u64) {
    let app = graphs::chain(nodes).compile().map(|graph| graph.with_context(()));
    run(bencher, app, nodes);
}

#[divan::bench(args = [10, 1_000])]
fn compile_chain(bencher: Bencher<'_, '_>, nodes: u64) {
    bencher
        .counter(ItemsCount::new(nodes))
        .with_inputs(|| graphs::chain(nodes))
        .bench_local_values(StateGraph::compile);
}

#[divan::bench(args = [10, 1_000])]
fn fan_out_to_tasks(bencher: Bencher<'_, '_>, branches: u64) {
    run(bencher, graphs::tasks(branches), branches);
}

#[divan::bench(args = [10, 1_000])]
fn fan_out_to_subgraphs(bencher: Bencher<'_, '_>, branches: u64) {
    run(bencher, graphs::subgraphs(branches), branches);
}
