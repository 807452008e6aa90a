//! Going on with a run.

use graphloom_cli::frame::{go_back, waiting_result};
use graphloom_cli::{AnswerArgs, ExitStatus, Failure, Session};
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_deepsearch::graph::policy;

use crate::answer::{self, Answered};
use crate::args::WorkArgs;
use crate::open::{Run, open, restore_options, runs};
use crate::output;
use crate::params::params;
use crate::research::conclude;
use crate::web::WebMessages;

/// Goes on with a run that was stopped, killed, failed or waits.
pub(crate) async fn resume(
    mut work: WorkArgs,
    session: &Session,
    id: &str,
    answers: &AnswerArgs,
) -> Result<ExitStatus, Failure> {
    let (_, before) = runs(session).find(id).await?;
    // A mistake in an answer is told before a model is made.
    let elsewhere = work.studio.elsewhere(&work.run.models.consent);
    let given = answers.read(&before.questions, &elsewhere, &session.progress).await?;
    restore_options(&mut work, &before.state.request, session)?;
    let Some(config) = params(&work.run, session, Some(before.state.request.config()))? else {
        return Ok(ExitStatus::Done);
    };
    if config.execution_method != before.state.request.config().execution_method {
        return Err(Failure::usage("`execution_method` is another graph; begin another run for it"));
    }
    let opened = open(&work, session, &config, before.state.spent, false).await?;
    let thread = opened.runs.thread(id).policy(policy(&config));
    let run = match before.status {
        ThreadStatus::Done if before.state.fatal().is_some() => {
            back_before_failure(&thread).await?;
            session.progress.note("the run goes on from before its failure");
            Some(thread.continue_())
        }
        ThreadStatus::Done => {
            session.progress.note("the run is done already; its files are written again");
            return output::deliver(&work.output, session, &opened, &thread, &before.state).await;
        }
        ThreadStatus::Waiting => {
            let mut web = WebMessages::new(false);
            match given {
                Some(given) => Some(thread.resume(given.answers)),
                None if work.studio.studio => None,
                None => {
                    match answer::ask(&work.run.models.consent, session, &mut web, &config, &before.questions).await? {
                        Answered::Given(answers) => Some(thread.resume(answers)),
                        Answered::Nobody => {
                            return waiting_result(session, id, &before.questions, true)?.print(session);
                        }
                    }
                }
            }
        }
        _ => Some(thread.continue_()),
    };
    conclude(&work, session, &opened, &thread, &config, run, before.state.notes.len()).await
}

/// Makes the newest checkpoint without the failure the head of the run.
async fn back_before_failure(thread: &Run) -> Result<(), Failure> {
    match go_back(thread, |state| state.state.fatal().is_none() && !state.next.is_empty()).await? {
        Some(_) => Ok(()),
        None => Err(Failure::new(ExitStatus::Failed, "the run failed before its first step; begin it anew")),
    }
}
