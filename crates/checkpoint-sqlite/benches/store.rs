//! What the store costs a run: `cargo bench -p graphloom-checkpoint-sqlite`. The ratios to plain SQLite are those of
//! `bench/`.

use divan::Bencher;
use divan::counter::ItemsCount;
use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteOptions, Synchronous};
use graphloom_core_graph::checkpoint::HistoryFilter;
use graphloom_core_graph::{END, Log, Node, NodeError, START, Snapshot, State, StateGraph, Thread};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Super-steps of a run.
const STEPS: u64 = 100;
const TICK: Node = Node::named("tick");

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Diary {
    days: u64,
    #[state(append)]
    lines: Log<String>,
}

async fn tick(diary: Snapshot<Diary>) -> Result<DiaryUpdate, NodeError> {
    Ok(Diary::update().days(diary.days + 1).lines([format!("day {}", diary.days)]))
}

fn main() {
    divan::main();
}

/// A thread in a new file, which goes with the directory.
fn thread(synchronous: Synchronous) -> (Thread<Diary, ()>, TempDir) {
    let place = tempfile::tempdir().expect("there is room for a directory");
    let options = SqliteOptions::synchronous(synchronous);
    let store = SqliteCheckpointer::open_with(place.path().join("threads.db"), options).expect("a new file opens");
    let mut graph = StateGraph::<Diary>::new("diary");
    graph.add_node(TICK, tick);
    graph.add_edge(START, TICK);
    graph.add_conditional_edges(
        TICK,
        (TICK, END),
        |diary: &Diary| if diary.days.is_multiple_of(STEPS) { END } else { TICK },
    );
    let app = graph.compile().expect("the graph is sound").with_context(());
    (app.with_checkpointer(store).thread("diary"), place)
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime of one thread starts")
}

fn run(runtime: &Runtime, thread: &Thread<Diary, ()>) {
    runtime.block_on(async { thread.run(Diary::update()).await }).expect("the run ends");
}

#[divan::bench(args = [Synchronous::Normal, Synchronous::Full])]
fn commit_steps(bencher: Bencher<'_, '_>, synchronous: Synchronous) {
    let runtime = runtime();
    bencher
        .counter(ItemsCount::new(STEPS))
        .with_inputs(|| thread(synchronous))
        .bench_local_refs(|(thread, _)| run(&runtime, thread));
}

#[divan::bench]
fn read_the_state(bencher: Bencher<'_, '_>) {
    let (runtime, (thread, _place)) = (runtime(), thread(Synchronous::Normal));
    run(&runtime, &thread);
    bencher.bench_local(|| runtime.block_on(thread.state()).expect("the state is read"));
}

#[divan::bench]
fn read_the_history(bencher: Bencher<'_, '_>) {
    let (runtime, (thread, _place)) = (runtime(), thread(Synchronous::Normal));
    run(&runtime, &thread);
    let all = HistoryFilter::default();
    bencher
        .counter(ItemsCount::new(STEPS))
        .bench_local(|| runtime.block_on(thread.history(&all)).expect("the history is read"));
}
