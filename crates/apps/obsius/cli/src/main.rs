//! The `obsius` command.

#![forbid(unsafe_code)]

mod args;
mod chat;
mod consent;
mod forget;
mod inspect;
mod limits;
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

use args::{Args, Command, Form};

fn main() -> std::process::ExitCode {
    graphloom_cli::main(|args: Args, session: Session| async move { act(args, session).await })
}

async fn act(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    match args.command {
        Command::Run(request) => run::run(&session, request).await,
        Command::Chat(chat) => chat::chat(&session, chat).await,
        Command::Runs(of) => inspect::runs(&session, of.session.as_deref()).await,
        Command::Show { run } => inspect::show(&session, &run).await,
        Command::Resume(resume) => Box::pin(resume::resume(&session, resume)).await,
        Command::Diff { run, vault } => vault::diff(&session, &run, &vault).await,
        Command::Apply(apply) => resume::apply(&session, apply).await,
        Command::Undo { run, force, vault } => undo::undo(&session, &run, force, &vault).await,
        Command::Forget { runs, older_than, all, vault } => forget::forget(&session, &runs, older_than, all, &vault),
        Command::Find { query, limit, vault } => vault::search(&session, &query, limit, &vault),
        Command::Graph { format: Form::Graph(format) } => format.print(graphloom_obsius::graph().diagram(), &session),
        Command::Graph { format: Form::Phases } => inspect::phases(&session),
    }
}
