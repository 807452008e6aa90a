//! Several requests of one session, each a run of its own.

use graphloom_cli::{ExitStatus, Failure, Prompt, Session, StudioArgs, next_line};

use crate::args::SessionWorkArgs;
use crate::consent::Consent;
use crate::memory::SessionMemory;
use crate::open::open;
use crate::params::Params;
use crate::run::{RunRequest, request_run};

/// Reads requests until the input ends or `/quit`. The status is that of the last run.
pub(crate) async fn chat(session: &Session, args: SessionWorkArgs) -> Result<ExitStatus, Failure> {
    let SessionWorkArgs { session: of, mut work } = args;
    session.files.fill_models(&mut work.run.models);
    session.files.fill_sources(&mut work.sources);
    let consent = Consent::of(&work.run.models.consent, work.approval, &session.progress)?;
    let Some(params) = Params::read(&work.run.parameters, session)? else { return Ok(ExitStatus::Done) };
    let opened = open(&work, session).await?;
    let mut prompt = Prompt::open(&session.progress)?;
    let mut memory = SessionMemory::load(of.session.as_deref(), &opened).await?;
    let mut status = ExitStatus::Done;
    loop {
        let line = match &mut prompt {
            None => next_line().await?,
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
        let about = RunRequest {
            request,
            id: None,
            session: of.session.as_deref(),
            seed: work.seed.unwrap_or_default(),
            sources: &work.sources,
            studio: StudioArgs::default(),
            asks: &work.run.models.consent,
        };
        match request_run(session, consent, &opened, &params, about, memory.known()).await {
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
