//! Shapes that are to cost the same for each branch or step however large they are.

use futures::future::BoxFuture;
use graphloom_core_graph::{
    App, CompileErrors, Context, Durability, END, Mode, Node, NodeError, RunPolicy, START, Snapshot, StateGraph, Task,
};

use crate::Failure;
use crate::graphs::{self, Count, tick};
use crate::measure::{Clock, Measurements, Place, Store, median};

const BEGIN: Node = Node::named("begin");
const LAST: Node = Node::named("last");
const WORK: Task<u64> = Task::named("work");

/// A shape at one size: a graph, how it runs, and how many units that makes.
pub(super) struct AtSize {
    pub(super) app: App<Count>,
    pub(super) policy: RunPolicy,
    pub(super) units: u64,
    /// Whether a unit is a turn of a thread that has a run of the size behind it: its state is read, and it is run again.
    pub(super) turns: bool,
}

/// A shape, its sizes from the smallest to the largest, and where it runs.
struct Flat {
    name: &'static str,
    sizes: [u64; 3],
    store: Store,
    of_size: fn(u64) -> Result<AtSize, CompileErrors>,
}

const FLAT: [Flat; 9] = [
    Flat { name: "diamonds", sizes: [10, 100, 1_000], store: Store::Memory, of_size: diamonds },
    Flat { name: "reached", sizes: [10, 100, 1_000], store: Store::None, of_size: reached },
    Flat { name: "eager", sizes: [500, 4_000, 32_000], store: Store::Memory, of_size: eager },
    Flat { name: "class", sizes: [500, 4_000, 32_000], store: Store::None, of_size: class },
    Flat { name: "one at a time", sizes: [500, 4_000, 32_000], store: Store::None, of_size: one_at_a_time },
    Flat { name: "budget", sizes: [500, 4_000, 32_000], store: Store::None, of_size: budget },
    Flat { name: "exit", sizes: [500, 4_000, 32_000], store: Store::Memory, of_size: exit },
    Flat { name: "durable steps behind", sizes: [500, 4_000, 16_000], store: Store::Memory, of_size: steps_behind },
    Flat {
        name: "durable steps behind, SQLite",
        sizes: [500, 4_000, 16_000],
        store: Store::Normal,
        of_size: steps_behind,
    },
];

/// The names of the shapes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FLAT.iter().map(|flat| flat.name).chain(super::behind::NAMES)
}

/// Prints what a unit of a shape costs at each size, and keeps how many times it is that at the smallest.
#[expect(clippy::print_stdout, reason = "a row is told when it is there")]
pub(super) fn tell(bench: &mut Measurements, name: &str, points: &[(u64, f64)]) {
    let told: Vec<_> = points.iter().map(|(size, cost)| format!("{size}: {cost:.3}")).collect();
    let times = points[points.len() - 1].1 / points[0].1;
    println!("flat {name}: cpu µs a unit at {}; {times:.2} times", told.join(", "));
    bench.found(format!("flat {name}"), times);
}

/// Measures the shapes that are wanted, and prints what a unit costs at each size.
#[expect(clippy::print_stdout, reason = "a row is told when it is there")]
pub(crate) async fn measure(bench: &mut Measurements) -> Result<(), Failure> {
    for Flat { name, sizes, store, of_size } in FLAT {
        if !bench.wants(&format!("flat {name}"), true) {
            continue;
        }
        let mut points = Vec::new();
        let mut bytes = Vec::new();
        for size in sizes {
            let shape = of_size(size)?;
            let mut costs = Vec::new();
            for _ in 0..if size > 10_000 { 3 } else { 9 } {
                let (cost, stored) = run(bench, &shape, store).await?;
                costs.push(cost);
                bytes.push(stored as f64 / shape.units as f64);
            }
            points.push((size, median(&costs).ok_or("nothing was measured")?.cpu));
        }
        tell(bench, name, &points);
        if let (Store::Memory, Some(first), Some(last)) = (store, bytes.first(), bytes.last()) {
            println!("flat {name}: {first:.0} bytes a unit at the fewest, {last:.0} at the most");
            bench.found(format!("flat {name} bytes"), last / first);
        }
    }
    Ok(())
}

/// The cost of a unit of one run, and how many bytes it stored.
pub(super) async fn run(
    bench: &Measurements,
    shape: &AtSize,
    store: Store,
) -> Result<(crate::measure::Cost, u64), Failure> {
    let (app, policy, units, file) = (shape.app.clone(), shape.policy.clone(), shape.units, bench.file());
    let turns = shape.turns;
    let run: BoxFuture<'static, Result<_, Failure>> = Box::pin(async move {
        let opened = Place::open(store, &file)?;
        let thread =
            app.with_shared_checkpointer(std::sync::Arc::clone(&opened)).thread("bench").policy(policy.clone());
        if turns {
            thread.run(Count::update()).await?.done()?;
        }
        let before = opened.stats().await?.bytes;
        let clock = Clock::start();
        match store {
            Store::None => drop(app.run_once_with(Count::update(), policy).await?.done()?),
            _ if turns => {
                for _ in 0..units {
                    thread.state().await?;
                    thread.run(Count::update()).await?.done()?;
                }
            }
            _ => drop(thread.run(Count::update()).await?.done()?),
        }
        let cost = clock.cost(units);
        Ok((cost, opened.stats().await?.bytes.saturating_sub(before)))
    });
    tokio::spawn(run).await?
}

/// `size` diamonds in a row, each with a join.
pub(super) fn diamonds(size: u64) -> Result<AtSize, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("diamonds");
    let node = |kind: char, at: u64| Node::owned(format!("{kind}{at:06}"));
    let nothing = |_: Snapshot<Count>| async { Ok::<_, NodeError>(Count::update().sum(1)) };
    for at in 0..size {
        for kind in ['a', 'b', 'c', 'd'] {
            graph.add_node(node(kind, at), nothing);
        }
        graph.add_edge(node('a', at), node('b', at)).add_edge(node('a', at), node('c', at));
        graph.add_join((node('b', at), node('c', at)), node('d', at));
        if at > 0 {
            graph.add_edge(node('d', at - 1), node('a', at));
        }
    }
    graph.add_edge(START, node('a', 0)).add_edge(node('d', size - 1), END);
    Ok(AtSize { app: graph.compile()?.with_context(()), policy: RunPolicy::default(), units: 3 * size, turns: false })
}

/// The same with joins of what is reached.
fn reached(size: u64) -> Result<AtSize, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("reached");
    let node = |kind: char, at: u64| Node::owned(format!("{kind}{at:06}"));
    let nothing = |_: Snapshot<Count>| async { Ok::<_, NodeError>(Count::update().sum(1)) };
    for at in 0..size {
        for kind in ['a', 'b', 'c', 'd'] {
            graph.add_node(node(kind, at), nothing);
        }
        graph.add_edge(node('a', at), node('b', at)).add_edge(node('a', at), node('c', at));
        graph.add_join_reached((node('b', at), node('c', at)), node('d', at));
        if at > 0 {
            graph.add_edge(node('d', at - 1), node('a', at));
        }
    }
    graph.add_edge(START, node('a', 0)).add_edge(node('d', size - 1), END);
    Ok(AtSize { app: graph.compile()?.with_context(()), policy: RunPolicy::default(), units: 3 * size, turns: false })
}

/// A fan-out to `size` tasks, which may be of a class of ten.
fn fan_out(size: u64, mode: Mode, class: bool, policy: RunPolicy) -> Result<AtSize, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("fan-out");
    graph.mode(mode);
    let work = |input: u64, _: Snapshot<Count>| async move {
        tokio::task::yield_now().await;
        Ok::<_, NodeError>(Count::update().sum(input))
    };
    let spec = graph.add_task(WORK, work);
    if class {
        spec.class("ten");
    }
    graph.limit("ten", 10);
    graph.add_node(BEGIN, tick);
    graph.add_node(LAST, tick);
    graph.add_edge(START, BEGIN);
    graph.add_sends(BEGIN, WORK, move |_: &Count| (0..size).map(|at| WORK.send(at, at)).collect());
    graph.add_join(WORK, LAST);
    graph.add_edge(LAST, END);
    Ok(AtSize { app: graph.compile()?.with_context(()), policy, units: size, turns: false })
}

fn eager(size: u64) -> Result<AtSize, CompileErrors> {
    fan_out(size, Mode::Eager, false, RunPolicy::default())
}

fn class(size: u64) -> Result<AtSize, CompileErrors> {
    fan_out(size, Mode::Barrier, true, RunPolicy::default())
}

fn one_at_a_time(size: u64) -> Result<AtSize, CompileErrors> {
    fan_out(size, Mode::Barrier, false, RunPolicy::default().max_concurrency(1))
}

fn budget(size: u64) -> Result<AtSize, CompileErrors> {
    fan_out(size, Mode::Barrier, false, RunPolicy::default().max_concurrency(10).budget(2 * size))
}

fn exit(size: u64) -> Result<AtSize, CompileErrors> {
    let policy = RunPolicy::default().durability(Durability::Exit);
    Ok(AtSize { app: graphs::looped(size, Mode::Barrier)?, policy, units: size, turns: false })
}

/// Turns of a thread that has made `size` durable steps.
fn steps_behind(size: u64) -> Result<AtSize, CompileErrors> {
    let mut graph = StateGraph::<Count>::new("steps behind");
    graph.add_node(BEGIN, async |count: Snapshot<Count>, cx: Context| {
        let n = cx.once("step", async { Ok(count.n + 1) }).await?;
        Ok(Count::update().n(n))
    });
    graph.add_edge(START, BEGIN);
    graph.add_conditional_edges(BEGIN, (BEGIN, END), move |count: &Count| if count.n < size { BEGIN } else { END });
    Ok(AtSize { app: graph.compile()?.with_context(()), policy: RunPolicy::default(), units: 100, turns: true })
}
