//! The `pocketflow` command.

mod args;
mod chat;
mod export;
mod inspect;
mod lines;
mod open;
mod setup;
mod stop;
mod studio;
mod talk;
mod why;

use std::process::ExitCode;

use graphloom_cli::frame::AppRuns;
use graphloom_cli::{ExitStatus, Failure, Session};

use crate::args::{Args, Command};
use crate::setup::Setup;

fn main() -> ExitCode {
    graphloom_cli::main(run)
}

async fn run(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    match args.command {
        Command::Chat { conversation, id, studio, work } => match Setup::read(work, session)? {
            Some(setup) => chat::chat(&setup, conversation.or(id.thread), studio).await,
            None => Ok(ExitStatus::Done),
        },
        Command::Say { thread, message, work } => match Setup::read(work, session)? {
            Some(setup) => talk::say(&setup, &thread, &message).await,
            None => Ok(ExitStatus::Done),
        },
        Command::Resume { thread, answers, work } => match Setup::read(work, session)? {
            Some(setup) => talk::resume(&setup, &thread, &answers).await,
            None => Ok(ExitStatus::Done),
        },
        Command::Replay { thread, from, work } => match Setup::read(work, session)? {
            Some(setup) => talk::replay(&setup, &thread, from).await,
            None => Ok(ExitStatus::Done),
        },
        Command::Stop { thread } => stop::stop(&session, &thread).await,
        Command::Fork { thread, at } => talk::fork(&session, &thread, at).await,
        Command::Runs => {
            let graph = graphloom_pocketflow::graph().for_inspection();
            AppRuns::new(&session, [graph]).list().await
        }
        Command::Inspect { thread } => inspect::inspect(&session, &thread).await,
        Command::Why { thread, checkpoint } => why::why(&session, &thread, checkpoint).await,
        Command::History { thread } => inspect::history(&session, &thread).await,
        Command::Diff { thread, from, to } => inspect::diff(&session, &thread, from, to).await,
        Command::Graph { thread, format } => inspect::graph(&session, thread.as_deref(), format).await,
        Command::Export { thread, format, output } => export::export(&session, &thread, format, &output).await,
    }
}
