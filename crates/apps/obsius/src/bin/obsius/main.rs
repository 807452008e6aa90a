//! The `obsius` command.

#![forbid(unsafe_code)]

mod args;
mod chat;
mod inspect;
mod open;
mod params;
mod resume;
mod review;
mod run;
mod vault;
mod watch;

use graphloom_cli::{ExitStatus, Failure, Session};

use args::{Args, Command};

fn main() -> std::process::ExitCode {
    graphloom_cli::main(|args: Args, session: Session| async move { act(args, session).await })
}

async fn act(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    match &args.command {
        Command::Run { request } => run::run(&args, &session, request).await,
        Command::Chat => chat::chat(&args, &session).await,
        Command::Runs => inspect::runs(&args, &session).await,
        Command::Show { run } => inspect::show(&args, &session, run).await,
        Command::Resume { run, answers } => resume::resume(&args, &session, run, answers).await,
        Command::Diff { run } => vault::diff(&args, &session, run).await,
        Command::Apply { run, only } => resume::apply(&args, &session, run, only).await,
        Command::Undo { run, force } => vault::undo(&args, &session, run, *force).await,
        Command::Find { query, limit } => vault::search(&args, &session, query, *limit),
        Command::Graph { format } => inspect::graph(&session, *format),
    }
}
