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

use crate::args::{Args, Command, ResumeArgs};

fn main() -> ExitCode {
    graphloom_cli::main(run)
}

async fn run(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    match args.command {
        None => research::research(&session, args.request).await,
        Some(Command::Resume(resume)) => match *resume {
            ResumeArgs { thread, recheck: true, work, .. } => recheck::recheck(work, &session, &thread).await,
            ResumeArgs { thread, rewrite: true, work, .. } => rewrite::rewrite(work, &session, &thread).await,
            ResumeArgs { thread, answers, work, .. } => resume::resume(work, &session, &thread, &answers).await,
        },
        Some(Command::Runs) => open::runs(&session).list().await,
        Some(Command::Show { thread }) => inspect::show(&session, &thread).await,
        Some(Command::Graph { format, graph }) => draw::graph(&session, format, graph),
        Some(Command::Fork { thread, at }) => open::runs(&session).fork(&thread, at).await,
    }
}
