//! Going on with a run, and forking one.

use graphloom_cli::{AnswerArgs, CommonArgs, ExitStatus, Failure, Session, resume_line};
use graphloom_core_graph::checkpoint::{HistoryFilter, ThreadStatus};
use graphloom_deepsearch::graph::policy;
use serde_json::json;

use crate::answer::{self, Answered};
use crate::open::{Run, as_before, find, open};
use crate::output;
use crate::params::params;
use crate::research::conclude;
use crate::web::Web;

/// Goes on with a run that was stopped, killed, failed or waits.
pub(crate) async fn resume(
    common: &CommonArgs,
    session: &Session,
    id: &str,
    answers: &AnswerArgs,
) -> Result<ExitStatus, Failure> {
    let (_, before) = find(session, id).await?;
    // A mistake in an answer is told before a model is made.
    let given = answers.read(&before.questions, common, &session.progress).await?;
    let common = as_before(common, &before.state.request, session)?;
    let Some(config) = params(&common, session, Some(before.state.request.config()))? else {
        return Ok(ExitStatus::Done);
    };
    if config.execution_method != before.state.request.config().execution_method {
        return Err(Failure::usage("`execution_method` is another graph; begin another run for it"));
    }
    let opened = open(&common, session, &config, before.state.spent, false).await?;
    let thread = opened.runs.thread(id).policy(policy(&config));
    let run = match before.status {
        ThreadStatus::Done if before.state.fatal().is_some() => {
            back_before_failure(&thread).await?;
            session.progress.note("the run goes on from before its failure");
            thread.continue_()
        }
        ThreadStatus::Done => {
            session.progress.note("the run is done already; its files are written again");
            return output::deliver(&common, session, &opened, &thread, &before.state).await;
        }
        ThreadStatus::Waiting => {
            let mut web = Web::new(false);
            let answers = match given {
                Some(given) => given.answers,
                None => match answer::ask(&common, session, &mut web, &config, &before.questions).await? {
                    Answered::Given(answers) => answers,
                    Answered::Nobody => {
                        let asked: Vec<_> = before
                            .questions
                            .iter()
                            .map(|question| json!({ "key": question.key, "question": question.payload }))
                            .collect();
                        let text = serde_json::to_string_pretty(&asked)?;
                        session.progress.result(
                            ExitStatus::Waiting,
                            &text,
                            &json!({ "run": id, "questions": asked }),
                        )?;
                        return Ok(ExitStatus::Waiting);
                    }
                },
            };
            thread.resume(answers)
        }
        _ => thread.continue_(),
    };
    conclude(&common, session, &opened, &thread, &config, run, before.state.notes.len()).await
}

/// Makes the newest checkpoint without the failure the head of the run.
async fn back_before_failure(thread: &Run) -> Result<(), Failure> {
    for row in thread.history(&HistoryFilter::default()).await? {
        let state = thread.at(row.number).state().await?;
        if state.state.fatal().is_none() && !state.next.is_empty() {
            thread.at(row.number).fork().await?;
            return Ok(());
        }
    }
    Err(Failure::new(ExitStatus::Failed, "the run failed before its first step; begin it anew"))
}

/// Makes an older checkpoint the head of its run.
pub(crate) async fn fork(common: &CommonArgs, session: &Session, id: &str, at: u64) -> Result<ExitStatus, Failure> {
    let (run, _) = find(session, id).await?;
    run.at(at).fork().await?;
    let line = resume_line("deepsearch", id, &common.base);
    session.progress.result(
        ExitStatus::Done,
        &format!("checkpoint {at} is the head of `{id}` now; go on with: {line}"),
        &json!({ "at": at, "resume": line }),
    )?;
    Ok(ExitStatus::Done)
}
