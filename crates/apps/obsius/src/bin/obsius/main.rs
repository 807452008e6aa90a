//! The `obsius` command.

#![forbid(unsafe_code)]

mod args;
mod chat;
mod consent;
mod forget;
mod inspect;
mod limits;
mod lines;
mod memory;
mod open;
mod params;
mod resume;
mod review;
mod run;
mod undo;
mod vault;
mod watch;

use graphloom_cli::{ExitStatus, Failure, Session};

use args::{Args, Command};
use consent::Consent;

fn main() -> std::process::ExitCode {
    graphloom_cli::main(|args: Args, session: Session| async move { act(args, session).await })
}

async fn act(mut args: Args, session: Session) -> Result<ExitStatus, Failure> {
    args.common.without_sources("this program searches the notes of `--vault`")?;
    if matches!(args.command, Command::Run { .. } | Command::Chat) {
        args.common = session.files.for_new_run(&args.common);
    }
    let consent = Consent::of(&args)?;
    match &args.command {
        Command::Run { request } => run::run(&args, &session, consent, request).await,
        Command::Chat => chat::chat(&args, &session, consent).await,
        Command::Runs => inspect::runs(&args, &session).await,
        Command::Show { run } => inspect::show(&args, &session, run).await,
        Command::Resume { run, answers } => Box::pin(resume::resume(&args, &session, consent, run, answers)).await,
        Command::Diff { run } => vault::diff(&args, &session, run).await,
        Command::Apply { run, only } => resume::apply(&args, &session, consent, run, only).await,
        Command::Undo { run, force } => undo::undo(&args, &session, run, *force).await,
        Command::Forget { runs, older_than, all } => forget::forget(&args, &session, runs, *older_than, *all),
        Command::Find { query, limit } => vault::search(&args, &session, query, *limit),
        Command::Graph { format } => inspect::graph(&session, *format),
    }
}
