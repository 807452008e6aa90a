//! Several requests of one session, each a run of its own.

use graphloom_cli::{ExitStatus, Failure, Prompt, Session};
use graphloom_llm::layers::Spent;

use crate::args::Args;
use crate::consent::Consent;
use crate::lines;
use crate::memory::Memory;
use crate::open::{open, vault_of};
use crate::params::Params;
use crate::run::request_run;

/// Reads requests until the input ends or `/quit`. The status is that of the last run.
pub(crate) async fn chat(args: &Args, session: &Session, consent: Consent) -> Result<ExitStatus, Failure> {
    if args.common.thread.is_some() {
        return Err(Failure::usage("`--thread` names one run; a chat has many, use `--session`"));
    }
    let Some(params) = Params::read(args, session)? else { return Ok(ExitStatus::Done) };
    let opened = open(args, &args.common, session, &vault_of(args), Spent::default()).await?;
    let mut prompt = Prompt::open(&session.progress)?;
    let mut memory = Memory::load(args, &opened).await?;
    let mut status = ExitStatus::Done;
    loop {
        let line = match &mut prompt {
            None => lines::next().await?,
            Some(prompt) => {
                session.progress.note("\nWhat is to be done? (`/quit` ends)");
                prompt.ask("> ").await?.map(|typed| typed.text)
            }
        };
        let Some(line) = line else { return Ok(status) };
        let request = line.trim();
        if request == "/quit" {
            return Ok(status);
        }
        if request.is_empty() {
            continue;
        }
        match request_run(args, session, consent, &opened, &params, request, memory.known()).await {
            Ok((ended, answer)) => {
                status = ended;
                memory.remember(request, &answer);
            }
            // One request that failed does not end the session.
            Err(failure) => {
                status = failure.status();
                session.progress.warn(failure.to_string());
            }
        }
        if status == ExitStatus::Interrupted {
            return Ok(status);
        }
    }
}
