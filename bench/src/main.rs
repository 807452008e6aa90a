//! Measures a super-step, and the index of a vault, against their floors, side by side in one run, and prints ratios.
//!
//! The floor of a super-step is a loop that boxes a future, polls it to its end and counts: what any graph of boxed async nodes pays.
//! The floor of the index is reading every file.
//! `citations` prints how well planted claims are told apart.
//! An argument chooses the rows whose names contain it; `vault index` are all rows of the index. Every row is the median of several rounds, in which floor and subject take turns.

mod citations;
#[path = "../../crates/citations/tests/corpus/mod.rs"]
mod corpus;
mod floor;
mod graphs;
mod rounds;
mod vault;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{App, CompileErrors, Mode};
use graphs::Count;

use crate::rounds::{Row, compare};

const STEPS: u64 = 10_000;
const CHAIN: usize = 1_000;
const FAN: u64 = 100;

#[expect(clippy::print_stdout, reason = "the table is the program's result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    println!("{}", Row::head());
    let folder = tempfile::tempdir()?;
    runtime.block_on(async {
        let rows: [(&str, Make, u64); 5] = [
            ("loop of one node, barrier", || graphs::looped(STEPS, Mode::Barrier), STEPS),
            ("loop of one node, eager", || graphs::looped(STEPS, Mode::Eager), STEPS),
            ("loop of one node with a context", || graphs::looped_with_context(STEPS), STEPS),
            ("chain of nodes", || graphs::chain(CHAIN), CHAIN as u64),
            ("fan-out and join, per branch", || graphs::fan_out(FAN), FAN),
        ];
        for (name, make, steps) in rows.into_iter().filter(|(name, ..)| name.contains(&wanted)) {
            let app = make()?;
            println!("{}", compare(name, steps, || run_once(&app)).await?);
        }
        if !"checkpointer".contains(&wanted) {
            return Ok(());
        }
        let app = graphs::looped(STEPS, Mode::Barrier)?;
        println!(
            "{}",
            compare("loop, memory checkpointer", STEPS, || run_stored(&app, MemoryCheckpointer::new())).await?
        );
        let app = graphs::looped(STEPS / 10, Mode::Barrier)?;
        let mut file = 0;
        let row = compare("loop, SQLite checkpointer (NORMAL)", STEPS / 10, || {
            file += 1;
            let store = SqliteCheckpointer::open(folder.path().join(format!("{file}.db")));
            let app = app.clone();
            async move { run_stored(&app, store?).await }
        });
        println!("{}", row.await?);
        Ok::<(), Failure>(())
    })?;
    if "citations".contains(&wanted) {
        println!("\n{}", runtime.block_on(citations::scores())?);
    }
    if "vault index".contains(&wanted) {
        println!("\n{}", vault::Row::head());
        for row in vault::measure()? {
            println!("{row}");
        }
    }
    Ok(())
}

type Make = fn() -> Result<App<Count>, CompileErrors>;
type Failure = Box<dyn std::error::Error>;

async fn run_once(app: &App<Count>) -> Result<(), Failure> {
    app.run_once(Count::update()).await?.done().map(drop).map_err(Failure::from)
}

async fn run_stored(
    app: &App<Count>,
    store: impl graphloom_core_graph::checkpoint::Checkpointer,
) -> Result<(), Failure> {
    let thread = app.with_checkpointer(store).thread("bench");
    thread.run(Count::update()).await?.done().map(drop).map_err(Failure::from)
}
