//! The main function that all binaries share.

use std::future::Future;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use graphloom_llm::providers::without_user;

use crate::config::ConfigFiles;
use crate::line::{self, Line};
use crate::spans::Spans;
use crate::store::Chosen;
use crate::{BaseArgs, ExitStatus, Failure, Progress, Session, corpus, log};

/// Reads the command line, sets up logging and a runtime, runs the application, and ends with its status.
///
/// A program that was started to read a document apart does only that, see [`graphloom_retrieval::serve_reader`].
///
/// An error is told on stderr with its causes; a wrong command line ends with status 2, a signal outside a run with 130.
pub fn main<A, F, Fut>(run: F) -> ExitCode
where
    A: Parser + AsRef<BaseArgs>,
    F: FnOnce(A, Session) -> Fut,
    Fut: Future<Output = Result<ExitStatus, Failure>>,
{
    if let Some(ended) = graphloom_retrieval::serve_reader(std::env::args_os()) {
        return ended;
    }
    corpus::READER.get_or_init(|| std::env::current_exe().ok());
    match line::read::<A>(std::env::args_os().collect()) {
        Ok(Line::Run(args)) => start(args, run).into(),
        Ok(Line::Describe(described)) => {
            let progress = Progress::new(&described.base);
            match described.print(&progress) {
                Ok(status) => status.into(),
                Err(failure) => {
                    progress.failure(&failure);
                    failure.status().into()
                }
            }
        }
        Err(mut error) => {
            hide_password(&mut error);
            // Help and version go to stdout and are no error; nobody is left to tell when neither can be written.
            error.print().ok();
            u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
        }
    }
}

/// A wrong value is repeated in the message about it; an address in it may hold a password.
fn hide_password(error: &mut clap::Error) {
    if let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) {
        let shown = ContextValue::String(without_user(value));
        error.insert(ContextKind::InvalidValue, shown);
    }
}

fn start<A, F, Fut>(args: A, run: F) -> ExitStatus
where
    A: Parser + AsRef<BaseArgs>,
    F: FnOnce(A, Session) -> Fut,
    Fut: Future<Output = Result<ExitStatus, Failure>>,
{
    let progress = Progress::new(args.as_ref());
    let program = A::command().get_name().to_owned();
    // How the network is reached comes before the first client, that for spans.
    let spans = args.as_ref().outbound.install().map_err(Failure::from).and_then(|()| Spans::from_env(&program));
    let prepared = spans.and_then(|spans| {
        log::start(args.as_ref(), &progress, &spans)?;
        Ok((spans, ConfigFiles::read(&program, args.as_ref())?))
    });
    let ended = prepared.and_then(|(spans, files)| {
        if let Some(notice) = files.notice() {
            progress.note(notice);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|source| Failure::new(ExitStatus::Failed, source))?;
        let session_progress = progress.clone();
        let base = args.as_ref().clone();
        let chosen = Chosen::new(files.store(base.store), base.data_dir.clone());
        let ended = runtime.block_on(Box::pin(async move {
            let session = Session::new(program, base, session_progress, files, chosen.clone());
            let mut interrupt = session.interrupt.clone();
            let ended = tokio::select! {
                ended = run(args, session) => ended,
                () = interrupt.signal_without_subscriber() => Err(Failure::new(ExitStatus::Interrupted, "stopped by the user")),
            };
            chosen.close().await;
            ended
        }));
        // Tasks are dropped, which ends the programs that they started; blocking work that nobody waits for any more must not
        // hold up the end for longer.
        runtime.shutdown_timeout(Duration::from_millis(200));
        spans.shutdown();
        ended
    });
    match ended {
        Ok(status) => {
            progress.clear();
            status
        }
        Err(failure) => {
            progress.failure(&failure);
            failure.status()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_repeated() {
        #[derive(Parser, Debug)]
        struct Args {
            #[command(flatten)]
            models: crate::ModelArgs,
        }
        let wrong = ["x", "--model", "compatible:m@http://me:hunter22@127.0.0.1:1/v1"];
        let mut error = Args::try_parse_from(wrong).unwrap_err();
        assert!(error.to_string().contains("hunter22"), "nothing to hide: {error}");
        hide_password(&mut error);
        let message = error.to_string();
        assert!(!message.contains("hunter22") && message.contains("LLM_API_KEY"), "{message}");
    }
}
