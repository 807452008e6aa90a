//! Going on with a run.

use std::path::{Path, PathBuf};

use graphloom_agents::Verdict;
use graphloom_cli::{AnswerArgs, CommonArgs, ExitStatus, Failure, Session};
use graphloom_core_graph::checkpoint::{HistoryFilter, ThreadStatus};
use graphloom_core_graph::{Answers, ThreadState};
use graphloom_obsius::WorkflowState;

use crate::args::Args;
use crate::open::{Run, find, look, open};
use crate::review;
use crate::run::{conclude, deliver};

/// Goes on with a run that was stopped, killed, failed or waits.
pub(crate) async fn resume(
    args: &Args,
    session: &Session,
    id: &str,
    answers: &AnswerArgs,
) -> Result<ExitStatus, Failure> {
    let (_, before) = find(&args.common, id).await?;
    // A mistake in an answer is told before a model is made.
    let given = answers.read(&before.questions, &args.common, &session.progress).await?;
    let root = root_of(args, &before.state);
    let common = as_before(&args.common, &before.state, session)?;
    let opened = open(args, &common, session, &root, before.state.spent).await?;
    let thread = opened.runs.thread(id);
    let notes = before.state.notes.len();
    let run = match before.status {
        ThreadStatus::Done if before.state.failure.is_some() => {
            back_before_failure(&thread).await?;
            session.progress.note("the run goes on from before its failure");
            thread.continue_()
        }
        ThreadStatus::Done => {
            session.progress.note("the run is done already");
            return deliver(session, &thread, &before.state).map(|(status, _)| status);
        }
        ThreadStatus::Waiting => {
            let answers = match given {
                Some(given) => given.answers,
                None => match verdict(&common, session, &before).await? {
                    Some(verdict) => Answers::new().and("review", &verdict)?,
                    None => return Ok(ExitStatus::Waiting),
                },
            };
            thread.resume(answers)
        }
        _ => thread.continue_(),
    };
    conclude(&common, session, &thread, run, notes).await.map(|(status, _)| status)
}

/// Approves what a run waits with. No model is needed for that.
pub(crate) async fn apply(args: &Args, session: &Session, id: &str, only: &[String]) -> Result<ExitStatus, Failure> {
    let (_, before) = find(&args.common, id).await?;
    if before.status != ThreadStatus::Waiting {
        let message = match &before.state.applied {
            Some(applied) => format!("the changes of run `{id}` are written already: {}", applied.paths.join(", ")),
            None => format!("run `{id}` does not wait with changes; `obsius show {id}` says where it is"),
        };
        return Err(Failure::new(ExitStatus::Usage, message));
    }
    let root = root_of(args, &before.state);
    crate::open::open_vault(&root, session)?;
    let thread = look(&args.common, Some(&root))?.thread(id);
    let verdict = if only.is_empty() { Verdict::Approve } else { Verdict::Some { ids: only.to_vec() } };
    if let Some(request) = review::pending(&before.questions) {
        request.decide(&verdict).map_err(|error| Failure::usage(error.to_string()))?;
    }
    let run = thread.resume(Answers::new().and("review", &verdict)?);
    conclude(&args.common, session, &thread, run, before.state.notes.len()).await.map(|(status, _)| status)
}

async fn verdict(
    common: &CommonArgs,
    session: &Session,
    before: &ThreadState<WorkflowState>,
) -> Result<Option<Verdict>, Failure> {
    let Some(request) = review::pending(&before.questions) else {
        return Err(Failure::new(ExitStatus::Failed, "the run waits with a question that is no review"));
    };
    if common.yes {
        return Ok(Some(Verdict::Approve));
    }
    if common.may_ask() {
        return Ok(Some(review::ask(&request, &session.progress).await?));
    }
    session.progress.result(ExitStatus::Waiting, &review::shown(&request), &request)?;
    Ok(None)
}

/// Makes the newest checkpoint without the failure the head of the run.
async fn back_before_failure(thread: &Run) -> Result<(), Failure> {
    for row in thread.history(&HistoryFilter::default()).await? {
        let state = thread.at(row.number).state().await?;
        if state.state.failure.is_none() && !state.next.is_empty() {
            thread.at(row.number).fork().await?;
            return Ok(());
        }
    }
    Err(Failure::new(ExitStatus::Failed, "the run failed before its first step; begin it anew"))
}

pub(crate) fn root_of(args: &Args, state: &WorkflowState) -> PathBuf {
    args.vault.clone().unwrap_or_else(|| Path::new(&state.session.vault).to_owned())
}

/// The options of a run that goes on: its own models, unless others are given.
fn as_before(common: &CommonArgs, state: &WorkflowState, session: &Session) -> Result<CommonArgs, Failure> {
    let mut common = common.clone();
    match &common.model {
        Some(given) if given.to_string() != state.session.model => {
            let before = &state.session.model;
            session.progress.warn(format!("the run began with `{before}` and goes on with `{given}`"));
        }
        Some(_) => {}
        None => common.model = Some(state.session.model.parse()?),
    }
    Ok(common)
}
