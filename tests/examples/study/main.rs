//! A section of DeepSearch and a run of WriteHERE as nodes of one new graph: research a question, then write a text for
//! newcomers from what was found.
//!
//! ```sh
//! cargo run -p graphloom-tests --example study -- "How does a log survive a crash?" --corpus docs --model embedded
//! ```

mod graph;

use std::process::ExitCode;

use clap::Parser;
use graphloom_cli::{
    BaseArgs, ExitStatus, Failure, ModelArgs, NetworkOptions, Session, SourceArgs, ThreadArgs, build_models, follow,
    new_thread_id, open_sources, time_text,
};
use graphloom_core_graph::Outcome;
use graphloom_deepsearch::search::Engines;
use graphloom_llm::layers::Spent;

use crate::graph::{Study, Tools, study};

/// Researches a question and tells newcomers what was found
#[derive(Parser, Debug)]
struct Args {
    /// The question
    question: String,
    #[command(flatten)]
    models: ModelArgs,
    #[command(flatten)]
    sources: SourceArgs,
    #[command(flatten)]
    thread: ThreadArgs,
    #[command(flatten)]
    base: BaseArgs,
}

impl AsRef<BaseArgs> for Args {
    fn as_ref(&self) -> &BaseArgs {
        &self.base
    }
}

fn main() -> ExitCode {
    graphloom_cli::main(run)
}

async fn run(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    let dirs = session.dirs()?;
    let models = build_models(&args.models, &dirs, &session.progress, Spent::default()).await?;
    let network = || NetworkOptions::from_environment(|name| std::env::var(name).ok());
    let sources = open_sources(&args.sources, network, &dirs, &session.progress, &args.models.consent).await?;
    let search = sources.search().map(Engines::of).unwrap_or_default();
    let tools = Tools::new(&models.models, search, &models.ledger, time_text)
        .map_err(|error| Failure::new(ExitStatus::Failed, error))?;
    let threads = study()?.with_context(tools).with_shared_checkpointer(session.store().await?.checkpointer());
    let thread = threads.thread(args.thread.thread.unwrap_or_else(|| new_thread_id("study")));
    let run = thread.run(Study::update().question(args.question));
    match follow(run, &session.interrupt, &session.progress, |_| {}).await? {
        Outcome::Done(state) => {
            let text = format!("{}\n\n{}", state.told, state.section);
            session.progress.result(ExitStatus::Done, &text, &*state)?;
            Ok(ExitStatus::Done)
        }
        other => Ok(ExitStatus::from(&other)),
    }
}
