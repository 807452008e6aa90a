//! Curves: what a super-step costs as steps, nodes and threads grow. They are to be flat.

use graphloom_core_graph::{App, CompileErrors, END, Mode, Node, START, StateGraph};

use crate::Failure;
use crate::graphs::{self, Count, tick};
use crate::measure::{Clock, Cost, Measurements, Place, Store, median};

const TICK: Node = Node::named("tick");
const STEPS: u64 = 1_000;

#[expect(clippy::print_stdout, reason = "a curve is told when it is there")]
/// Measures the curves that are wanted.
pub(crate) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    for store in [Store::None, Store::Memory, Store::Normal] {
        if bench.wants(&format!("curve of steps {}", store.name()), false) {
            let mut points = Vec::new();
            for steps in [1_000, 10_000, 100_000, 1_000_000] {
                let app = graphs::looped(steps, Mode::Barrier)?;
                points.push((steps, run(bench, &app, store, steps).await?));
            }
            println!("{}", tell(bench, "steps", store, &points));
        }
    }
    for store in [Store::None, Store::Memory, Store::Normal] {
        if bench.wants(&format!("curve of nodes {}", store.name()), false) {
            let mut points = Vec::new();
            for nodes in [10, 1_000, 10_000, 100_000] {
                let app = loop_in(nodes)?;
                points.push((nodes, run(bench, &app, store, STEPS).await?));
            }
            println!("{}", tell(bench, "nodes", store, &points));
        }
    }
    for store in [Store::Memory, Store::Normal] {
        if bench.wants(&format!("curve of threads {}", store.name()), false) {
            let points = by_threads(bench, store).await?;
            println!("{}", tell(bench, "threads", store, &points));
        }
    }
    Ok(())
}

/// A loop of [`STEPS`] steps in a graph of `nodes` nodes, which it could go to.
fn loop_in(nodes: u64) -> Result<App<Count>, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("loop");
    graph.add_node(TICK, tick);
    graph.add_edge(START, TICK);
    let others: Vec<_> = (1..nodes).map(|at| Node::owned(format!("n{at:06}"))).collect();
    for node in &others {
        graph.add_node(node.clone(), tick);
    }
    for pair in others.windows(2) {
        graph.add_edge(pair[0].clone(), pair[1].clone());
    }
    let route = |count: &Count| if count.n < STEPS { TICK } else { END };
    graph.add_conditional_edges(TICK, [TICK, END, others[0].clone()], route);
    Ok(graph.compile()?.with_context(()))
}

/// The median cost of a step.
async fn run(bench: &Measurements, app: &App<Count>, store: Store, steps: u64) -> Result<Cost, Failure> {
    let rounds = (200_000 / steps).clamp(1, 9);
    let mut costs = Vec::new();
    for _ in 0..rounds {
        let (app, file) = (app.clone(), bench.file());
        let (cost, _) = tokio::spawn(async move {
            let opened = Place::open(store, &file)?;
            let thread = app.with_shared_checkpointer(opened).thread("bench");
            let clock = Clock::start();
            match store {
                Store::None => app.run_once(Count::update()).await?,
                _ => thread.run(Count::update()).await?,
            };
            Ok::<_, Failure>((clock.cost(steps), thread))
        })
        .await??;
        costs.push(cost);
    }
    median(&costs).ok_or_else(|| "nothing was measured".into())
}

/// The cost of a step of a new thread, beside so many others.
async fn by_threads(bench: &Measurements, store: Store) -> Result<Vec<(u64, Cost)>, Failure> {
    let short = graphs::chain(1)?.with_shared_checkpointer(Place::open(store, &bench.file())?);
    let long =
        graphs::looped(STEPS, Mode::Barrier)?.with_shared_checkpointer(std::sync::Arc::clone(short.checkpointer()));
    let points = tokio::spawn(async move {
        let (mut points, mut known) = (Vec::new(), 0);
        for threads in [10, 1_000, 10_000, 100_000] {
            while known < threads {
                short.thread(format!("t{known}")).run(Count::update()).await?;
                known += 1;
            }
            let mut costs = Vec::new();
            for round in 0..9 {
                let thread = long.thread(format!("at {threads}, {round}"));
                let clock = Clock::start();
                thread.run(Count::update()).await?;
                costs.push(clock.cost(STEPS));
            }
            points.push((threads, median(&costs).ok_or("nothing was measured")?));
        }
        Ok::<_, Failure>(points)
    });
    points.await?
}

/// A line for the curve, and how much its last point costs more than its first.
fn tell(bench: &mut Measurements, of: &str, store: Store, points: &[(u64, Cost)]) -> String {
    let costs = points.iter().map(|(at, cost)| format!("{at}: {:.3}", cost.cpu)).collect::<Vec<_>>().join(", ");
    if let (Some((_, first)), Some((_, last))) = (points.first(), points.last()) {
        bench.found(format!("curve of {of} {}", store.name()), last.cpu / first.cpu);
    }
    format!("curve of {of}, {}: cpu µs a step at {costs}", store.name())
}
