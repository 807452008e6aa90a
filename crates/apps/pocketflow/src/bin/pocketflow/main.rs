//! The `pocketflow` command.

mod args;
mod inspect;
mod open;
mod talk;

use std::process::ExitCode;

use graphloom_cli::{ExitStatus, Failure, Session};

use crate::args::{Args, Command};

fn main() -> ExitCode {
    graphloom_cli::main(run)
}

async fn run(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    let Args { command, common } = args;
    match command {
        Command::Chat { thread } => talk::chat(&common, &session, thread).await,
        Command::Say { thread, message } => talk::say(&common, &session, &thread, &message).await,
        Command::Resume { thread } => talk::resume(&common, &session, &thread).await,
        Command::Replay { thread, from } => talk::replay(&common, &session, &thread, from).await,
        Command::Fork { thread, at } => talk::fork(&common, &session, &thread, at).await,
        Command::Runs => inspect::runs(&common, &session).await,
        Command::Inspect { thread } => inspect::inspect(&common, &session, &thread).await,
        Command::History { thread } => inspect::history(&common, &session, &thread).await,
        Command::Diff { thread, from, to } => inspect::diff(&common, &session, &thread, from, to).await,
        Command::Graph { thread, format } => inspect::graph(&common, &session, thread.as_deref(), format).await,
        Command::Export { thread, format } => inspect::export(&common, &session, &thread, format).await,
    }
}
