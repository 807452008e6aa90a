//! Threads in memory: commits, round trips, and reading what is kept.

use divan::Bencher;
use divan::counter::ItemsCount;
use graphloom_core_graph::checkpoint::{HistoryFilter, MemoryCheckpointer};
use graphloom_core_graph::{Answers, Mode, Thread};

use crate::graphs::{self, Count};
use crate::runtime;

const STEPS: u64 = 1_000;

/// A thread of [`STEPS`] super-steps.
fn kept() -> Thread<Count, ()> {
    let app = graphs::looped(Mode::Barrier, STEPS).expect("the graph is sound");
    let thread = app.with_checkpointer(MemoryCheckpointer::new()).thread("kept");
    runtime().block_on(async { thread.run(Count::update()).await }).expect("the run ends");
    thread
}

#[divan::bench]
fn commit_steps(bencher: Bencher<'_, '_>) {
    let (app, runtime) = (graphs::looped(Mode::Barrier, STEPS).expect("the graph is sound"), runtime());
    bencher
        .counter(ItemsCount::new(STEPS))
        .with_inputs(|| app.with_checkpointer(MemoryCheckpointer::new()).thread("new"))
        .bench_local_values(|thread| {
            runtime.block_on(async { thread.run(Count::update()).await }).expect("the run ends")
        });
}

#[divan::bench]
fn commit_fan_out(bencher: Bencher<'_, '_>) {
    let (app, runtime) = (graphs::tasks(100).expect("the graph is sound"), runtime());
    bencher
        .counter(ItemsCount::new(100_u32))
        .with_inputs(|| app.with_checkpointer(MemoryCheckpointer::new()).thread("new"))
        .bench_local_values(|thread| {
            runtime.block_on(async { thread.run(Count::update()).await }).expect("the run ends")
        });
}

#[divan::bench]
fn answer_a_question(bencher: Bencher<'_, '_>) {
    let (app, runtime) = (graphs::asking().expect("the graph is sound"), runtime());
    bencher
        .with_inputs(|| {
            let thread = app.with_checkpointer(MemoryCheckpointer::new()).thread("asked");
            runtime.block_on(async { thread.run(Count::update()).await }).expect("the run waits");
            (thread, Answers::new().and("more", 1).expect("a number is an answer"))
        })
        .bench_local_values(|(thread, answers)| {
            runtime.block_on(async { thread.resume(answers).await }).expect("the run waits")
        });
}

#[divan::bench]
fn read_the_state(bencher: Bencher<'_, '_>) {
    let (thread, runtime) = (kept(), runtime());
    bencher.bench_local(|| runtime.block_on(thread.state()).expect("the state is read"));
}

#[divan::bench]
fn read_the_history(bencher: Bencher<'_, '_>) {
    let (thread, runtime) = (kept(), runtime());
    let all = HistoryFilter::default();
    bencher
        .counter(ItemsCount::new(STEPS))
        .bench_local(|| runtime.block_on(thread.history(&all)).expect("the history is read"));
}
