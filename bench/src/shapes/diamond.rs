//! A diamond of unequal branches, in virtual time: eager, barrier, and the critical path.
//!
//! One branch takes 10, 1 and 10 seconds, the other 1, 10 and 1; both are joined. In super-steps every pair waits for its
//! slower half: 30 seconds. The longest path takes 21.

use std::time::Duration;

use graphloom_core_graph::{END, Mode, Node, NodeError, START, Snapshot, StateGraph};

use crate::Failure;
use crate::graphs::{Count, CountUpdate, tick};
use crate::measure::Measurements;

const BRANCHES: [[u64; 3]; 2] = [[10, 1, 10], [1, 10, 1]];
const JOIN: Node = Node::named("join");

async fn sleep(_: Snapshot<Count>, seconds: u64) -> Result<CountUpdate, NodeError> {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    Ok(Count::update().sum(1))
}

async fn seconds(mode: Mode) -> Result<u64, Failure> {
    let mut graph = StateGraph::<Count>::new("diamond");
    graph.mode(mode);
    let mut ends = Vec::new();
    for (branch, durations) in BRANCHES.iter().enumerate() {
        let mut before = START;
        for (at, seconds) in durations.iter().copied().enumerate() {
            let node = Node::owned(format!("n{branch}-{at}"));
            graph.add_node(node.clone(), move |count: Snapshot<Count>| sleep(count, seconds));
            graph.add_edge(before, node.clone());
            before = node;
        }
        ends.push(before);
    }
    graph.add_node(JOIN, tick);
    graph.add_join(ends, JOIN);
    graph.add_edge(JOIN, END);
    let app = graph.compile()?.with_context(());
    let begun = tokio::time::Instant::now();
    let state = app.run_once(Count::update()).await?.done()?;
    if (state.sum, state.n) != (6, 1) {
        return Err(format!("the run ended in the wrong state: {state:?}").into());
    }
    Ok(begun.elapsed().as_secs())
}

#[expect(clippy::print_stdout, reason = "a finding is told when it is there")]
pub(super) fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    if !bench.wants("diamond", true) {
        return Ok(());
    }
    let path = BRANCHES.iter().map(|branch| branch.iter().sum::<u64>()).max().unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let (eager, barrier) =
        runtime.block_on(async { Ok::<_, Failure>((seconds(Mode::Eager).await?, seconds(Mode::Barrier).await?)) })?;
    println!("diamond: {eager} s eager, {barrier} s in super-steps, {path} s on the critical path (virtual time)");
    bench.found("diamond eager", eager as f64);
    bench.found("diamond path", path as f64);
    Ok(())
}
