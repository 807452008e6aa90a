//! The `deepsearch` command.

mod answer;
mod args;
mod draw;
mod engines;
mod inspect;
mod models;
mod open;
mod output;
mod params;
mod recheck;
mod research;
mod resume;
mod rewrite;
mod statistics;
mod watch;
mod web;

use std::process::ExitCode;

use graphloom_cli::{ExitStatus, Failure, Session};

use crate::args::{Args, Command};

fn main() -> ExitCode {
    graphloom_cli::main(run)
}

async fn run(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    let Args { command, request, common } = args;
    match command {
        None => research::research(&common, &session, request).await,
        Some(Command::Resume { thread, recheck: true, .. }) => recheck::recheck(&common, &session, &thread).await,
        Some(Command::Resume { thread, rewrite: true, .. }) => rewrite::rewrite(&common, &session, &thread).await,
        Some(Command::Resume { thread, answers, .. }) => resume::resume(&common, &session, &thread, &answers).await,
        Some(Command::Runs) => inspect::runs(&session).await,
        Some(Command::Show { thread }) => inspect::show(&session, &thread).await,
        Some(Command::Graph { format, graph }) => draw::graph(&session, format, graph),
        Some(Command::Fork { thread, at }) => resume::fork(&common, &session, &thread, at).await,
    }
}
