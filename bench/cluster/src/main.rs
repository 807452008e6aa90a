//! Runs whose tasks workers execute, each worker a process, over one PostgreSQL: beside the same runs in place, and beside what the
//! database and the queue can do without a graph.
//!
//! usage: graphloom-bench-cluster URL [--quick] [--langgraph PYTHON]
//!
//! The database may be filled. `--langgraph` names a Python that has LangGraph with its saver for PostgreSQL, which is measured beside
//! it: `pip install langgraph==1.2.* langgraph-checkpoint-postgres 'psycopg[binary,pool]'`.

#![expect(clippy::print_stdout, reason = "the tables are printed")]

mod costs;
mod floors;
mod graphs;
mod langgraph;
mod processes;
mod takeover;

use std::error::Error;
use std::time::{Duration, Instant};

use clap::Parser;
use futures::future::try_join_all;
use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
use graphloom_core_graph::{Compiled, Threads};
use graphloom_worker::{QueueOptions, TaskQueue};

use costs::Costs;
use graphs::Work;
use processes::Workers;

/// How many tasks a worker executes at a time.
const PLACES: usize = 100;

type Outcome<T> = Result<T, Box<dyn Error>>;

#[derive(Parser, Debug)]
struct Options {
    /// The address of the database.
    url: String,
    /// Measures less, only to see that it works.
    #[arg(long)]
    quick: bool,
    /// A Python with LangGraph and its saver for PostgreSQL.
    #[arg(long, value_name = "PYTHON")]
    langgraph: Option<String>,
    /// Executes tasks, as a process that this program starts.
    #[arg(long, hide = true)]
    worker: bool,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let options = Options::parse();
    match options.worker {
        true => processes::work(&options.url, PLACES).await,
        false => measure(&options.url, options.langgraph.as_deref(), if options.quick { 10 } else { 1 }).await,
    }
}

/// Measures all; `less` times less where that is enough to see that it works.
async fn measure(url: &str, python: Option<&str>, less: u64) -> Outcome<()> {
    floors::tell(url, less).await?;
    let store = PostgresCheckpointer::connect_with(url, &PostgresOptions::default()).await?;
    let queue = TaskQueue::connect(url, &QueueOptions::default().max_connections(20)).await?;
    let driven = |graph: Compiled<Work>| {
        Ok::<_, Box<dyn Error>>(graph.executed_by(queue.clone())?.with_checkpointer(store.clone()))
    };
    let steps =
        [("in place", graphs::steps()?.with_checkpointer(store.clone())), ("workers", driven(graphs::steps()?)?)];
    let wide = driven(graphs::wide()?)?;

    println!("\nsteps of one task each; workers have {PLACES} places\n");
    println!(
        "{:>9} {:>8} {:>8} {:>10} {:>12} {:>12} {}",
        "tasks",
        "workers",
        "threads",
        "steps/s",
        "p50 ms/step",
        "p99 ms/step",
        Costs::HEAD
    );
    let costs = Costs::of(url).await?;
    for (place, threads) in &steps {
        let workers: &[usize] = if *place == "in place" { &[0] } else { &[1, 2, 4] };
        for &workers in workers {
            let _workers = Workers::start(url, workers)?;
            warm(threads).await?;
            for in_flight in [1, 10, 100, 1000_u64] {
                let length = length(in_flight, less);
                let before = costs.now().await?;
                let told = all(threads, in_flight, length).await?;
                let cost = costs.since(before, in_flight * length).await?;
                println!("{place:>9} {workers:>8} {in_flight:>8} {told} {cost}");
            }
        }
    }

    if let Some(python) = python {
        for in_flight in [1, 10, 100, 1000_u64] {
            let length = length(in_flight, less);
            let before = costs.now().await?;
            let told = langgraph::steps(python, url, in_flight, length)?;
            let cost = costs.since(before, in_flight * length).await?;
            println!("{:>9} {:>8} {in_flight:>8} {told} {cost}", "langgraph", "");
        }
    }

    println!("\na step of {} tasks that wait 50 ms each\n", 1000 / less);
    println!("{:>8} {:>10} {:>10} {:>6}", "workers", "ms", "ideal ms", "ratio");
    for workers in [1, 2, 4] {
        let _workers = Workers::start(url, workers)?;
        warm(&wide).await?;
        let (size, mut took) = (1000 / less, Vec::new());
        for _ in 0..3 {
            let began = Instant::now();
            let done = wide.thread(name()).run(Work::update().size(size).pause(50)).await?.done();
            let done = done.map_err(|other| format!("{other:?}"))?;
            assert_eq!(done.done, size, "every task counts once");
            took.push(began.elapsed());
        }
        took.sort();
        let ideal = Duration::from_millis(50) * u32::try_from(size.div_ceil((workers * PLACES) as u64))?;
        let (ms, ideal) = (took[1].as_secs_f64() * 1e3, ideal.as_secs_f64() * 1e3);
        println!("{workers:>8} {ms:>10.0} {ideal:>10.0} {:>6.2}", ms / ideal);
    }
    takeover::tell(url, &wide, if less > 1 { 2 } else { 9 }).await
}

/// How many steps a run has, of so many at a time.
fn length(in_flight: u64, less: u64) -> u64 {
    ((1000 / in_flight).clamp(5, 200) / less.min(5)).max(2)
}

/// A thread that nobody has used.
pub(crate) fn name() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{}", started.as_millis(), std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Waits until workers take tasks.
pub(crate) async fn warm(threads: &Threads<Work>) -> Outcome<()> {
    for _ in 0..3 {
        threads.thread(name()).run(Work::update().size(5)).await?;
    }
    Ok(())
}

/// Runs so many threads at a time, each of so many steps: steps a second, and how long a step of a thread takes.
async fn all(threads: &Threads<Work>, in_flight: u64, length: u64) -> Outcome<String> {
    let began = Instant::now();
    let runs = (0..in_flight).map(|_| async {
        let began = Instant::now();
        let done = threads.thread(name()).run(Work::update().size(length)).await?.done();
        let done = done.map_err(|other| format!("{other:?}"))?;
        assert_eq!(done.done, length, "every step counts once");
        Ok::<_, Box<dyn Error>>(began.elapsed().as_secs_f64() * 1e3 / length as f64)
    });
    let mut steps = try_join_all(runs).await?;
    let second = (in_flight * length) as f64 / began.elapsed().as_secs_f64();
    steps.sort_by(f64::total_cmp);
    let at = |share: f64| steps[((steps.len() - 1) as f64 * share) as usize];
    Ok(format!("{second:>10.0} {:>12.2} {:>12.2}", at(0.5), at(0.99)))
}
