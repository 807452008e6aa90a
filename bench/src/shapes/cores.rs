//! Nodes that compute: they run on all cores at the same time.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use graphloom_core_graph::{END, Node, NodeError, START, Snapshot, StateGraph, Task};

use crate::Failure;
use crate::graphs::{Count, tick};
use crate::measure::{Clock, Measurements};

const BEGIN: Node = Node::named("begin");
const LAST: Node = Node::named("last");
const WORK: Task<u64> = Task::named("work");

#[expect(clippy::print_stdout, reason = "a finding is told when it is there")]
pub(super) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    if !bench.wants("cores", true) {
        return Ok(());
    }
    let cores = std::thread::available_parallelism()?.get();
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let mut graph = StateGraph::<Count>::new("cores");
    graph.add_node(BEGIN, tick);
    graph.add_node(LAST, tick);
    graph.add_task(WORK, move |input: u64, _: Snapshot<Count>| {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let sum = (0..20_000_000_u64).fold(input, |sum, at| black_box(sum.wrapping_mul(31).wrapping_add(at)));
            now.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, NodeError>(Count::update().sum(sum % 2))
        }
    });
    graph.add_edge(START, BEGIN);
    let tasks = 4 * cores as u64;
    graph.add_sends(BEGIN, WORK, move |_: &Count| (0..tasks).map(|at| WORK.send(at, at)).collect());
    graph.add_join(WORK, LAST);
    graph.add_edge(LAST, END);
    let app = graph.compile()?.with_context(());
    let cost = tokio::spawn(async move {
        let clock = Clock::start();
        app.run_once(Count::update()).await?;
        Ok::<_, Failure>(clock.cost(1))
    })
    .await??;
    let (most, busy) = (seen.load(Ordering::SeqCst), cost.cpu / cost.wall);
    println!("cores: of {tasks} computing tasks {most} ran at once on {cores} cores, {busy:.2} of which were used");
    bench.found("cores at once", most as f64);
    bench.found("cores", cores as f64);
    Ok(())
}
