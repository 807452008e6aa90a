//! Going on with a run.

use std::path::{Path, PathBuf};

use graphloom_agents::Verdict;
use graphloom_cli::{AnswerArgs, CommonArgs, ExitStatus, Failure, Session};
use graphloom_core_graph::checkpoint::{HistoryFilter, ThreadStatus};
use graphloom_core_graph::{Answers, ThreadState};
use graphloom_obsius::state::StopReason;
use graphloom_obsius::{REVIEW, WorkflowState, cannot_go_on, go_on_with_part};

use crate::args::Args;
use crate::consent::Consent;
use crate::limits;
use crate::open::{Run, find, look, open_with};
use crate::review;
use crate::run::{conclude, deliver, waiting};

/// Goes on with a run that was stopped, killed, failed or waits.
pub(crate) async fn resume(
    args: &Args,
    session: &Session,
    consent: Consent,
    id: &str,
    answers: &AnswerArgs,
) -> Result<ExitStatus, Failure> {
    let (_, before) = find(&args.common, session, id).await?;
    // A mistake in an answer is told before a model is made.
    let given = answers.read(&before.questions, &args.common, &session.progress).await?;
    let limits = limits::read(&args.common, &before.state.session.config)?;
    let changed = limits.is_some();
    if changed {
        check_limits(id, &before.state, given.is_some())?;
    }
    let root = root_of(args, &before.state);
    let common = as_before(&args.common, &before.state, session)?;
    let opened = open_with(args, &common, session, &root, before.state.spent, limits).await?;
    let thread = opened.runs.thread(id);
    let mut notes = before.state.notes.len();
    let run = match before.status {
        ThreadStatus::Done if before.state.failure.is_some() => {
            notes = back_before_end(&thread).await?;
            session.progress.note("the run goes on from before its failure");
            thread.continue_()
        }
        ThreadStatus::Done if changed => {
            notes = back_before_end(&thread).await?;
            session.progress.note("the run goes on from before its end");
            thread.continue_()
        }
        ThreadStatus::Done => {
            session.progress.note("the run is done already");
            if let Some(remedy) = before.state.stop.as_ref().and_then(StopReason::remedy) {
                session.progress.note(remedy);
            }
            return deliver(session, &thread, &before.state).map(|(status, _)| status);
        }
        ThreadStatus::Waiting if changed => {
            thread.update_state(REVIEW, go_on_with_part(&before.state)).await?;
            thread.continue_()
        }
        ThreadStatus::Waiting => {
            let answers = match given {
                Some(given) => given.answers,
                None => match verdict(&common, session, consent, &thread, &before).await? {
                    Some(verdict) => Answers::new().and("review", &verdict)?,
                    None => return Ok(ExitStatus::Waiting),
                },
            };
            thread.resume(answers)
        }
        _ => thread.continue_(),
    };
    conclude(&common, session, consent, &thread, run, notes).await.map(|(status, _)| status)
}

/// Approves what a run waits with. No model is needed for that.
pub(crate) async fn apply(
    args: &Args,
    session: &Session,
    consent: Consent,
    id: &str,
    only: &[String],
) -> Result<ExitStatus, Failure> {
    let (_, before) = find(&args.common, session, id).await?;
    if before.status != ThreadStatus::Waiting {
        let message = match &before.state.applied {
            Some(applied) => format!("the changes of run `{id}` are written already: {}", applied.paths.join(", ")),
            None => format!("run `{id}` does not wait with changes; `obsius show {id}` says where it is"),
        };
        return Err(Failure::new(ExitStatus::Usage, message));
    }
    let root = root_of(args, &before.state);
    crate::open::open_vault(&root, session)?;
    let thread = look(&args.common, session, Some(&root)).await?.thread(id);
    let verdict = if only.is_empty() { Verdict::Approve } else { Verdict::Some { ids: only.to_vec() } };
    if let Some(request) = review::pending(&before.questions) {
        request.decide(&verdict).map_err(|error| Failure::usage(error.to_string()))?;
    }
    let run = thread.resume(Answers::new().and("review", &verdict)?);
    conclude(&args.common, session, consent, &thread, run, before.state.notes.len()).await.map(|(status, _)| status)
}

async fn verdict(
    common: &CommonArgs,
    session: &Session,
    consent: Consent,
    thread: &Run,
    before: &ThreadState<WorkflowState>,
) -> Result<Option<Verdict>, Failure> {
    let Some(request) = review::pending(&before.questions) else {
        return Err(Failure::new(ExitStatus::Failed, "the run waits with a question that is no review"));
    };
    if consent.yes {
        match consent.withheld(&before.state) {
            None => return Ok(Some(Verdict::Approve)),
            Some(reason) => session.progress.warn(reason),
        }
    } else if common.may_ask()
        && let Some(verdict) = review::ask(&request, &session.progress).await?
    {
        return Ok(Some(verdict));
    }
    waiting(common, session, thread, &request)?;
    Ok(None)
}

/// Refuses other limits where they would change nothing.
fn check_limits(id: &str, state: &WorkflowState, is_answered: bool) -> Result<(), Failure> {
    if is_answered {
        return Err(Failure::usage("answer the review, or let the run go on with other limits; not both"));
    }
    match cannot_go_on(state) {
        Some(why) => Err(Failure::usage(format!("other limits change nothing for run `{id}`: {why}"))),
        None => Ok(()),
    }
}

/// Makes the newest checkpoint from before the end the head of the run. Returns how many notes it has.
async fn back_before_end(thread: &Run) -> Result<usize, Failure> {
    for row in thread.history(&HistoryFilter::default()).await? {
        let state = thread.at(row.number).state().await?;
        let is_open = state.state.failure.is_none() && state.state.stop.is_none();
        if is_open && !state.next.is_empty() {
            thread.at(row.number).fork().await?;
            return Ok(state.state.notes.len());
        }
    }
    Err(Failure::new(ExitStatus::Failed, "the run failed before its first step; begin it anew"))
}

pub(crate) fn root_of(args: &Args, state: &WorkflowState) -> PathBuf {
    args.vault.clone().unwrap_or_else(|| Path::new(&state.session.vault).to_owned())
}

/// The options of a run that goes on: its own models, unless others are given.
fn as_before(common: &CommonArgs, state: &WorkflowState, session: &Session) -> Result<CommonArgs, Failure> {
    let mut common = session.files.for_old_run(common);
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
