//! The `writehere` command.

mod args;
mod columns;
mod draw;
mod inspect;
mod open;
mod output;
mod params;
mod watch;
mod write;

use std::process::ExitCode;

use graphloom_cli::{ExitStatus, Failure, Session};

use crate::args::{Args, Command};

fn main() -> ExitCode {
    graphloom_cli::main(run)
}

async fn run(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    let Args { command, common } = args;
    match command {
        Command::Report(request) => write::write(&common, &session, graphloom_writehere::Mode::Report, request).await,
        Command::Story(request) => write::write(&common, &session, graphloom_writehere::Mode::Story, request).await,
        Command::Resume(resume) => write::resume(&common, &session, resume).await,
        Command::Runs => inspect::runs(&session).await,
        Command::Show { thread, node } => inspect::show(&session, &thread, node.as_deref()).await,
        Command::Why { thread, node } => inspect::why(&session, &thread, &node).await,
        Command::Log { thread } => inspect::log(&session, &thread).await,
        Command::Tree(tree) => draw::tree(&session, tree).await,
        Command::Graph { format } => draw::graph(&session, format),
        Command::Fork { thread, at } => write::fork(&common, &session, &thread, at).await,
    }
}
