//! Going on with a run.

use graphloom_agents::Verdict;
use graphloom_cli::frame::{Origin, go_back};
use graphloom_cli::{ExitStatus, Failure, Session, Studio};
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{Answers, ThreadState};
use graphloom_obsius::state::StopReason;
use graphloom_obsius::{REVIEW, WorkflowState, continue_partial_work, why_limits_change_nothing};

use crate::args::{ApplyArgs, ResumeArgs};
use crate::consent::Consent;
use crate::limits::{self, Limits};
use crate::open::{Run, open_to_write, open_vault, open_with, runs};
use crate::review;
use crate::run::{conclude, deliver, open_studio, print_waiting};

/// Goes on with a run that was stopped, killed, failed or waits.
pub(crate) async fn resume(session: &Session, args: ResumeArgs) -> Result<ExitStatus, Failure> {
    let ResumeArgs { run: id, answers, studio: with_studio, mut work } = args;
    let id = id.as_str();
    let consent = Consent::of(&work.run.models.consent, work.approval, &session.progress)?;
    let (_, before) = runs(session).find(id).await?;
    // A mistake in an answer is told before a model is made.
    let elsewhere = with_studio.elsewhere(&work.run.models.consent);
    let given = answers.read(&before.questions, &elsewhere, &session.progress).await?;
    let limits = match limits::read(&work.run.parameters, &before.state.session.config, session)? {
        Limits::Own => None,
        Limits::Changed(config) => Some(config),
        Limits::Printed => return Ok(ExitStatus::Done),
    };
    let changed = limits.is_some();
    if changed {
        check_limits(id, &before.state, given.is_some())?;
    }
    let root = work.vault.or_of(&before.state);
    let info = &before.state.session;
    let origin = Origin {
        model: info.model.clone(),
        corpus: info.corpus.clone(),
        search: info.search.clone(),
        full_text: info.full_text,
        embeddings: info.embeddings.clone(),
        directory: info.directory.clone(),
        ..Origin::default()
    };
    origin.complete_models(&mut work.run.models, session)?;
    origin.complete_sources(&mut work.sources);
    let seed = work.seed.unwrap_or(before.state.session.seed);
    let opened = open_with(&work, session, &root, before.state.spent, seed, limits).await?;
    let thread = opened.runs.thread(id);
    let mut notes = before.state.notes.len();
    let run = match before.status {
        ThreadStatus::Done if before.state.failure.is_some() => {
            notes = back_before_end(&thread).await?;
            session.progress.note("the run goes on from before its failure");
            Some(thread.continue_())
        }
        ThreadStatus::Done if changed => {
            notes = back_before_end(&thread).await?;
            session.progress.note("the run goes on from before its end");
            Some(thread.continue_())
        }
        ThreadStatus::Done => {
            session.progress.note("the run is done already");
            if let Some(remedy) = before.state.stop.as_ref().and_then(StopReason::remedy) {
                session.progress.note(remedy);
            }
            return deliver(session, &opened.models.ledger, &thread, &before.state).map(|(status, _)| status);
        }
        ThreadStatus::Waiting if changed => {
            thread.update_state(REVIEW, continue_partial_work(&before.state)).await?;
            Some(thread.continue_())
        }
        ThreadStatus::Waiting => {
            let answers = match given {
                Some(given) => Some(given.answers),
                None if with_studio.studio && !consent.yes => None,
                None => match verdict(session, consent, &thread, &before).await? {
                    Some(verdict) => Some(Answers::new().and("review", &verdict)?),
                    None => return Ok(ExitStatus::Waiting),
                },
            };
            answers.map(|answers| thread.resume(answers))
        }
        _ => Some(thread.continue_()),
    };
    let mut studio = open_studio(with_studio, &work.run.models.consent, session, &opened.runs, id).await?;
    let run = match run {
        Some(run) => studio.begin(run).await?,
        None => match (studio.answered(session).await, review::pending(&before.questions)) {
            (Some(run), _) => run,
            (None, Some(request)) => return print_waiting(session, &thread, &request).map(|(status, _)| status),
            (None, None) => return Err(no_review()),
        },
    };
    let ended = conclude(session, consent, &opened.models.ledger, &thread, run, notes, &mut studio).await;
    studio.close().await;
    ended.map(|(status, _)| status)
}

/// Approves what a run waits with. No model is needed for that.
pub(crate) async fn apply(session: &Session, args: ApplyArgs) -> Result<ExitStatus, Failure> {
    let ApplyArgs { run: id, only, vault, consent, approval } = args;
    let id = id.as_str();
    let consent = Consent::of(&consent, approval, &session.progress)?;
    let (_, before) = runs(session).find(id).await?;
    if before.status != ThreadStatus::Waiting {
        let message = match &before.state.applied {
            Some(applied) => format!("the changes of run `{id}` are written already: {}", applied.paths.join(", ")),
            None => format!("run `{id}` does not wait with changes; `obsius show {id}` says where it is"),
        };
        return Err(Failure::new(ExitStatus::Usage, message));
    }
    let vault = open_vault(&vault.or_of(&before.state), session)?;
    let runs = open_to_write(session, vault).await?;
    let thread = runs.thread(id);
    let verdict = if only.is_empty() { Verdict::Approve } else { Verdict::Some { ids: only } };
    if let Some(request) = review::pending(&before.questions) {
        request.decide(&verdict).map_err(|error| Failure::usage(error.to_string()))?;
    }
    let run = thread.resume(Answers::new().and("review", &verdict)?).into();
    let (ledger, notes) = (&runs.app().resources().ledger, before.state.notes.len());
    let ended = conclude(session, consent, ledger, &thread, run, notes, &mut Studio::closed()).await;
    ended.map(|(status, _)| status)
}

/// Why a run that waits otherwise cannot go on here.
pub(crate) fn no_review() -> Failure {
    Failure::new(ExitStatus::Failed, "the run waits with a question that is no review")
}

async fn verdict(
    session: &Session,
    consent: Consent,
    thread: &Run,
    before: &ThreadState<WorkflowState>,
) -> Result<Option<Verdict>, Failure> {
    let Some(request) = review::pending(&before.questions) else {
        return Err(no_review());
    };
    if consent.yes {
        match consent.withheld(&before.state) {
            None => return Ok(Some(Verdict::Approve)),
            Some(reason) => session.progress.warn(reason),
        }
    } else if consent.may_ask
        && let Some(verdict) = review::ask(&request, &session.progress).await?
    {
        return Ok(Some(verdict));
    }
    print_waiting(session, thread, &request)?;
    Ok(None)
}

/// Refuses other limits where they would change nothing.
fn check_limits(id: &str, state: &WorkflowState, is_answered: bool) -> Result<(), Failure> {
    if is_answered {
        return Err(Failure::usage("answer the review, or let the run go on with other limits; not both"));
    }
    match why_limits_change_nothing(state) {
        Some(why) => Err(Failure::usage(format!("other limits change nothing for run `{id}`: {why}"))),
        None => Ok(()),
    }
}

/// Makes the newest checkpoint from before the end the head of the run. Returns how many notes it has.
async fn back_before_end(thread: &Run) -> Result<usize, Failure> {
    let is_open = |state: &ThreadState<WorkflowState>| {
        state.state.failure.is_none() && state.state.stop.is_none() && !state.next.is_empty()
    };
    match go_back(thread, is_open).await? {
        Some(state) => Ok(state.notes.len()),
        None => Err(Failure::new(ExitStatus::Failed, "the run failed before its first step; begin it anew")),
    }
}
