//! Carrying out a request: begin a run, follow it, ask about its changes, deliver.

use graphloom_agents::Verdict;
use std::path::Path;

use graphloom_cli::frame::{Origin, announce, follow_run, stopped_result};
use graphloom_cli::{
    ConsentArgs, ExitStatus, Failure, FollowedRun, Session, SourceArgs, Studio, StudioArgs, check_thread_id,
    new_thread_id,
};
use graphloom_core_graph::{Clock, Outcome, RunPolicy, SystemClock};
use graphloom_llm::layers::{Ledger, Spent};
use graphloom_obsius::state::{FailureClass, PastRequest};
use graphloom_obsius::{SessionInfo, WorkflowState, answers};
use serde_json::{Value, json};

use crate::args::{RequestArgs, SessionWorkArgs};
use crate::consent::Consent;
use crate::memory::SessionMemory;
use crate::open::{Opened, Run, Runs, open, runs, session_of};
use crate::params::Params;
use crate::review;
use crate::watch::Watch;

/// How many unfinished runs of a session are listed.
const OFFERED: usize = 5;

/// Carries out one request.
pub(crate) async fn run(session: &Session, args: RequestArgs) -> Result<ExitStatus, Failure> {
    let RequestArgs { request, thread, studio, work: SessionWorkArgs { session: of, mut work } } = args;
    session.files.fill_models(&mut work.run.models);
    session.files.fill_sources(&mut work.sources);
    let consent = Consent::of(&work.run.models.consent, work.approval, &session.progress)?;
    let Some(params) = Params::read(&work.run.parameters, session)? else { return Ok(ExitStatus::Done) };
    let opened = open(&work, session).await?;
    let of = of.session.as_deref();
    offer_unfinished(of, session, &opened).await?;
    let memory = SessionMemory::load(of, &opened).await?;
    let about = RunRequest {
        request: &request,
        id: thread.thread,
        session: of,
        seed: work.seed.unwrap_or_default(),
        sources: &work.sources,
        studio,
        asks: &work.run.models.consent,
    };
    request_run(session, consent, &opened, &params, about, memory.known()).await.map(|(status, _)| status)
}

/// A request and the options of its run.
pub(crate) struct RunRequest<'r> {
    pub(crate) request: &'r str,
    /// The id of the run; a new one when not given.
    pub(crate) id: Option<String>,
    /// The session that was named.
    pub(crate) session: Option<&'r str>,
    pub(crate) seed: u64,
    /// What the run searches beside the notes.
    pub(crate) sources: &'r SourceArgs,
    pub(crate) studio: StudioArgs,
    pub(crate) asks: &'r ConsentArgs,
}

/// Begins a run for a request and follows it to its end.
pub(crate) async fn request_run(
    session: &Session,
    consent: Consent,
    opened: &Opened,
    params: &Params,
    about: RunRequest<'_>,
    earlier: Vec<PastRequest>,
) -> Result<(ExitStatus, String), Failure> {
    if about.request.trim().is_empty() {
        return Err(Failure::usage("the request is empty; say what is to be done"));
    }
    let id = about.id.unwrap_or_else(|| new_thread_id("obsius"));
    check_thread_id(&id)?;
    let (config, note) = params.config(opened.small)?;
    let mut info = SessionInfo::default();
    info.session_id = session_of(about.session, &opened.root);
    info.workflow_id = id.clone();
    info.original_request = about.request.trim().to_owned();
    info.start_time = SystemClock.now();
    info.vault = opened.root.display().to_string();
    info.model = opened.models.chosen.specs.to_string();
    info.today = opened.models.today().await?;
    info.seed = about.seed;
    let Origin { corpus, search, full_text, embeddings, directory, .. } =
        Origin::of(&opened.models, about.sources, Path::new("."));
    if !corpus.is_empty() {
        info.directory = directory;
    }
    (info.corpus, info.search) = (corpus, search);
    (info.full_text, info.embeddings) = (full_text, embeddings);
    info.config = config;
    info.earlier = earlier;
    let thread = opened.runs.thread(id);
    let begun = thread.run(WorkflowState::update().session(info).notes(note));
    let mut studio = open_studio(about.studio, about.asks, session, &opened.runs, thread.id()).await?;
    let begun = studio.begin(begun).await?;
    let ended = conclude(session, consent, &opened.models.ledger, &thread, begun, 0, &mut studio).await;
    studio.close().await;
    ended
}

/// The studio of a run.
pub(crate) async fn open_studio(
    args: StudioArgs,
    consent: &ConsentArgs,
    session: &Session,
    runs: &Runs,
    id: &str,
) -> Result<Studio<WorkflowState>, Failure> {
    let name = session.program();
    Studio::open(args, consent, session, runs, id, RunPolicy::default(), |server| server.answers(name, answers())).await
}

/// Follows a run to its end: answers its review where it may, and delivers. Returns the answer too.
pub(crate) async fn conclude(
    session: &Session,
    consent: Consent,
    ledger: &Ledger,
    thread: &Run,
    run: FollowedRun<WorkflowState>,
    notes: usize,
    studio: &mut Studio<WorkflowState>,
) -> Result<(ExitStatus, String), Failure> {
    announce(session, thread.id());
    let mut watch = Watch::new(session.progress.clone(), notes);
    let mut run = run;
    loop {
        let outcome = follow_run(session, thread.id(), run, |event| watch.observe(event)).await?;
        match outcome {
            Outcome::Done(state) => return deliver(session, ledger, thread, &state),
            Outcome::Waiting(questions) => {
                let Some(request) = review::pending(&questions) else {
                    return Err(crate::resume::no_review());
                };
                let verdict = if consent.yes {
                    if let Some(reason) = consent.withheld(&thread.state().await?.state) {
                        session.progress.warn(reason);
                        return print_waiting(session, thread, &request);
                    }
                    Verdict::Approve
                } else if studio.is_open() {
                    match studio.answered(session).await {
                        Some(next) => {
                            run = next;
                            continue;
                        }
                        None => return print_waiting(session, thread, &request),
                    }
                } else if consent.may_ask {
                    match review::ask(&request, &session.progress).await? {
                        Some(verdict) => verdict,
                        None => return print_waiting(session, thread, &request),
                    }
                } else {
                    return print_waiting(session, thread, &request);
                };
                if let Err(error) = request.decide(&verdict) {
                    session.progress.warn(error.to_string());
                    return print_waiting(session, thread, &request);
                }
                run = studio.begin(thread.resume(questions.answer("review", &verdict)?)).await?;
            }
            other => return Ok((stopped_result(session, thread.id(), &other).print(session)?, String::new())),
        }
    }
}

/// Prints the review that a run waits with, and the commands that approve or refuse it.
pub(crate) fn print_waiting(
    session: &Session,
    thread: &Run,
    request: &graphloom_agents::ReviewRequest,
) -> Result<(ExitStatus, String), Failure> {
    let quoted = session.resume_line(thread.id());
    let (apply, refuse) = (quoted.replacen("resume", "apply", 1), quoted);
    let text = format!(
        "{}\nnothing is written yet; write the changes with: {apply}\nor refuse them with: {refuse} --answer 'review={{\"reject\":{{\"reason\":\"…\"}}}}'",
        review::shown(request)
    );
    let value = json!({ "run": thread.id(), "review": request, "apply": apply, "resume": refuse });
    session.progress.result(ExitStatus::Waiting, &text, &value)?;
    Ok((ExitStatus::Waiting, String::new()))
}

/// Prints the outcome of a run.
pub(crate) fn deliver(
    session: &Session,
    ledger: &Ledger,
    thread: &Run,
    state: &WorkflowState,
) -> Result<(ExitStatus, String), Failure> {
    let spent = state.spent.or_later(ledger.spent());
    session.progress.note(spent.text());
    let Some(outcome) = &state.outcome else {
        return Err(Failure::new(ExitStatus::Failed, "the run ended without an outcome"));
    };
    if let Some(failure) = &state.failure {
        session
            .progress
            .event(&json!({ "v": 1, "event": "failure", "run": thread.id(), "failure": failure, "spent": spent }));
        let status = if failure.class == FailureClass::Budget { ExitStatus::BudgetSpent } else { ExitStatus::Failed };
        let class = serde_json::to_value(failure.class)?;
        let mut message = format!("{}: {}", class.as_str().unwrap_or("failure"), failure.message);
        if let Some(wait) = failure.retry_after_ms {
            message.push_str(&format!("; try again in {:.0} s", wait as f64 / 1000.0));
        }
        if failure.class == FailureClass::Timeout {
            let id = thread.id();
            message.push_str(&format!("; `obsius resume {id} --set ITERATION_TIMEOUT_MS=…` goes on with more time"));
        }
        if failure.retryable {
            message.push_str(&format!("; `obsius resume {}` goes on from before the failure", thread.id()));
        }
        return Err(Failure::new(status, message));
    }
    let status = match &outcome.stop {
        stop if stop.is_success() => ExitStatus::Done,
        stop if stop.is_limit() => ExitStatus::BudgetSpent,
        _ => ExitStatus::Failed,
    };
    if let Some(applied) = &state.applied {
        session.progress.note(format!(
            "{} notes written; `obsius undo {}` gives back what was before",
            applied.paths.len(),
            thread.id()
        ));
    }
    session.progress.note(outcome.stop.text());
    session.progress.result(status, &outcome.answer, &summary(thread.id(), state, spent))?;
    Ok((status, outcome.answer.clone()))
}

/// The outcome of a run as JSON for programs.
fn summary(id: &str, state: &WorkflowState, spent: Spent) -> Value {
    json!({
        "run": id,
        "session": state.session.session_id,
        "request": state.session.original_request,
        "complexity": state.assessment.as_ref().map(|assessment| assessment.complexity),
        "phase": state.phases.current(),
        "outcome": state.outcome,
        "applied": state.applied,
        "iterations": state.iteration.number,
        "confidence": state.confidence,
        "metrics": state.execution_metrics,
        "spent": spent,
        "plan": state.task_plan.as_ref().map(|plan| plan.source),
        "notes": state.notes,
        "skipped": state.vault_context.skipped,
    })
}

/// Lists the unfinished runs of the session. A new request never resumes one of them.
async fn offer_unfinished(named: Option<&str>, session: &Session, opened: &Opened) -> Result<(), Failure> {
    let own = session_of(named, &opened.root);
    let runs = runs(session);
    let known = runs.summaries().await?;
    let mut listed = 0;
    for run in known.iter().filter(|run| run.can_go_on()) {
        if listed == OFFERED {
            break;
        }
        let (_, state) = runs.find(&run.thread).await?;
        if state.state.session.session_id != own {
            continue;
        }
        listed += 1;
        let line = session.resume_line(&run.thread);
        let request: String = state.state.session.original_request.chars().take(60).collect();
        session
            .progress
            .note(format!("run `{}` of this session is {}: {request}; go on with: {line}", run.thread, run.status));
    }
    Ok(())
}
