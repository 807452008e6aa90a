//! Runs threads one after the other in a SQLite file, says what it was told is durable, and expects to be killed.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use graphloom_behaviour::killed::{ExternalEffects, QUESTION, graph, mode, say, thread};
use graphloom_behaviour::tally::Tally;
use graphloom_checkpoint_sqlite::{SqliteCheckpointer, SqliteOptions, Synchronous};
use graphloom_core_graph::checkpoint::{Checkpointer, ThreadStatus};
use graphloom_core_graph::{Answers, EventKind, Thread};

/// Runs threads in a file until they are done, or until it is killed.
#[derive(Debug, Parser)]
struct Options {
    /// The database.
    #[arg(long)]
    file: PathBuf,
    /// The file that takes a line for each effect.
    #[arg(long)]
    effects: PathBuf,
    /// The number of this life.
    #[arg(long)]
    life: u64,
    /// The first thread.
    #[arg(long)]
    from: u64,
    /// The thread before which it ends.
    #[arg(long)]
    until: u64,
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let synchronous = if options.life.is_multiple_of(2) { Synchronous::Normal } else { Synchronous::Full };
    let store = SqliteCheckpointer::open_with(&options.file, SqliteOptions::synchronous(synchronous))?;
    let store: Arc<dyn Checkpointer> = Arc::new(store);
    let world = ExternalEffects { effects: options.effects, life: options.life };
    for number in options.from..options.until {
        let app = graph(mode(number))?.with_context(world.clone());
        finish(&app.with_shared_checkpointer(Arc::clone(&store)).thread(thread(number))).await?;
        say(&format!("done {number}"))?;
    }
    Ok(())
}

/// Goes on with a thread until it is done.
async fn finish(thread: &Thread<Tally, ExternalEffects>) -> Result<(), Box<dyn Error>> {
    loop {
        let mut run = match thread.state().await?.status {
            ThreadStatus::Done => return Ok(()),
            ThreadStatus::New => thread.run(Tally::update()),
            ThreadStatus::Waiting => thread.resume(Answers::new().and(QUESTION, 1)?),
            _ => thread.continue_(),
        };
        while let Some(event) = run.next().await {
            if matches!(event.kind, EventKind::Committed { .. }) {
                say(&format!("committed {} {}", thread.id(), serde_json::to_string(&event)?))?;
            }
        }
        run.await?;
    }
}
