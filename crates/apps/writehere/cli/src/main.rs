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
    match args.command {
        Command::Report(request) => write::write(&session, graphloom_writehere::Mode::Report, request).await,
        Command::Story(request) => write::write(&session, graphloom_writehere::Mode::Story, request).await,
        Command::Resume(resume) => write::resume(&session, resume).await,
        Command::Runs => open::runs(&session).list().await,
        Command::Show { thread, node } => inspect::show(&session, &thread, node.as_deref()).await,
        Command::Why { thread, node } => inspect::why(&session, &thread, &node).await,
        Command::Log { thread } => inspect::log(&session, &thread).await,
        Command::Tree(tree) => draw::tree(&session, tree).await,
        Command::Graph { format } => format.print(graphloom_writehere::graph().diagram(), &session),
        Command::Fork { thread, at } => open::runs(&session).fork(&thread, at).await,
    }
}
