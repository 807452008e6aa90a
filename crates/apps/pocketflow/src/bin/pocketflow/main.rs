//! The `pocketflow` command.

mod args;
mod chat;
mod export;
mod inspect;
mod lines;
mod open;
mod setup;
mod stop;
mod talk;
mod why;

use std::process::ExitCode;

use graphloom_cli::{ExitStatus, Failure, Session};

use crate::args::{Args, Command};
use crate::setup::Setup;

fn main() -> ExitCode {
    graphloom_cli::main(run)
}

async fn run(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    let Args { command, prompts, common } = args;
    let Some(setup) = Setup::read(&common, prompts, session)? else { return Ok(ExitStatus::Done) };
    match command {
        Command::Chat { conversation } => chat::chat(&setup, conversation).await,
        Command::Say { thread, message } => talk::say(&setup, &thread, &message).await,
        Command::Resume { thread, answers } => talk::resume(&setup, &thread, &answers).await,
        Command::Stop { thread } => stop::stop(&setup, &thread).await,
        Command::Replay { thread, from } => talk::replay(&setup, &thread, from).await,
        Command::Fork { thread, at } => talk::fork(&setup, &thread, at).await,
        Command::Runs => inspect::runs(&setup).await,
        Command::Inspect { thread } => inspect::inspect(&setup, &thread).await,
        Command::Why { thread, checkpoint } => why::why(&setup, &thread, checkpoint).await,
        Command::History { thread } => inspect::history(&setup, &thread).await,
        Command::Diff { thread, from, to } => inspect::diff(&setup, &thread, from, to).await,
        Command::Graph { thread, format } => inspect::graph(&setup, thread.as_deref(), format).await,
        Command::Export { thread, format } => export::export(&setup, &thread, format).await,
    }
}
