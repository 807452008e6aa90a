//! The `graphloom` command: what belongs to no single application.

#![forbid(unsafe_code)]

#[cfg(feature = "mcp")]
mod agent;
#[cfg(feature = "serve")]
mod cluster;
mod doctor;
#[cfg(feature = "serve")]
mod engine;
#[cfg(feature = "serve")]
mod graphs;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "embedded")]
mod model;
mod new;
mod runs;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "serve")]
mod worker;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use graphloom_cli::{BaseArgs, ExitStatus, Failure, Session};

/// Runs an agent with tools and skills, makes crates with a graph, tells what is there to work with, fetches the built-in model, serves graphs, and shows stored runs
#[derive(Parser, Debug)]
#[command(name = "graphloom", version, arg_required_else_help = true)]
struct Args {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    base: BaseArgs,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Work on a task by the tools of MCP servers and by skills; what can change something is asked for
    #[cfg(feature = "mcp")]
    Agent(Box<agent::AgentArgs>),
    /// Go on with a run of `graphloom agent`
    #[cfg(feature = "mcp")]
    Resume(Box<agent::ResumeArgs>),
    /// Make a crate with a graph, its tests and its CI
    New(new::NewArgs),
    /// Fetch, list and check the weights of the built-in model, and list the models of a provider
    #[cfg(feature = "embedded")]
    #[command(subcommand)]
    Model(model::ModelCommand),
    /// List what MCP servers have, and log in to those that ask for it
    #[cfg(feature = "mcp")]
    #[command(subcommand)]
    Mcp(mcp::McpCommand),
    /// Tell which models, keys, servers, search engines and stores are there, whether they answer, and what each allows
    Doctor(doctor::DoctorArgs),
    /// Serve graphs to chat pages, editors, agents and programs, until Ctrl-C
    #[cfg(feature = "serve")]
    Serve(Box<serve::ServeArgs>),
    /// Execute tasks of runs that `graphloom serve --workers` or `--engine` drives, until Ctrl-C
    #[cfg(feature = "serve")]
    Worker(Box<worker::WorkerArgs>),
    /// Show the processes that share a database, and what they do
    #[cfg(feature = "serve")]
    #[command(subcommand)]
    Cluster(cluster::ClusterCommand),
    /// List, show and draw the runs of a data directory
    #[command(subcommand)]
    Runs(runs::RunsCommand),
}

impl AsRef<BaseArgs> for Args {
    fn as_ref(&self) -> &BaseArgs {
        &self.base
    }
}

fn main() -> ExitCode {
    graphloom_cli::main(|args: Args, session| command(args, session))
}

async fn command(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    let dirs = session.dirs();
    match args.command {
        #[cfg(feature = "mcp")]
        Command::Agent(args) => Box::pin(agent::begin(*args, &session)).await,
        #[cfg(feature = "mcp")]
        Command::Resume(args) => Box::pin(agent::resume(*args, &session)).await,
        Command::New(args) => new::run(args, &session.progress),
        #[cfg(feature = "embedded")]
        Command::Model(command) => model::run(command, dirs?, &session.progress).await,
        #[cfg(feature = "mcp")]
        Command::Mcp(command) => mcp::run(command, &session).await,
        Command::Doctor(args) => doctor::run(args, &dirs?, &session).await,
        #[cfg(feature = "serve")]
        Command::Serve(args) => Box::pin(serve::run(*args, &session)).await,
        #[cfg(feature = "serve")]
        Command::Worker(args) => Box::pin(worker::run(*args, &session)).await,
        #[cfg(feature = "serve")]
        Command::Cluster(command) => cluster::run(command, &session).await,
        Command::Runs(command) => runs::run(command, &session).await,
    }
}
