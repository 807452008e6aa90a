//! Carrying out a request: begin a run, follow it, ask about its changes, deliver.

use graphloom_agents::Verdict;
use graphloom_cli::{
    CommonArgs, ExitStatus, Failure, Session, check_thread_id, follow, new_thread_id, resume_line, runs as stored,
    time_text,
};
use graphloom_core_graph::checkpoint::ThreadFilter;
use graphloom_core_graph::{Clock, Outcome, SystemClock};
use graphloom_llm::ModelError;
use graphloom_llm::layers::Spent;
use graphloom_obsius::state::{Exchanged, FailureClass};
use graphloom_obsius::{SessionInfo, WorkflowState};
use serde_json::{Value, json};

use crate::args::Args;
use crate::consent::Consent;
use crate::memory::Memory;
use crate::open::{Opened, Run, open, session_of, vault_of};
use crate::params::Params;
use crate::review;
use crate::watch::Watch;

/// How many unfinished runs of a session are told.
const OFFERED: usize = 5;

/// Carries out one request.
pub(crate) async fn run(
    args: &Args,
    session: &Session,
    consent: Consent,
    request: &str,
) -> Result<ExitStatus, Failure> {
    let Some(params) = Params::read(args, session)? else { return Ok(ExitStatus::Done) };
    let opened = open(args, &args.common, session, &vault_of(args), Spent::default()).await?;
    offer_unfinished(args, session, &opened).await?;
    let memory = Memory::load(args, &opened).await?;
    request_run(args, session, consent, &opened, &params, request, memory.known()).await.map(|(status, _)| status)
}

/// Begins a run for a request and follows it to its end.
pub(crate) async fn request_run(
    args: &Args,
    session: &Session,
    consent: Consent,
    opened: &Opened,
    params: &Params,
    request: &str,
    earlier: Vec<Exchanged>,
) -> Result<(ExitStatus, String), Failure> {
    if request.trim().is_empty() {
        return Err(Failure::usage("the request is empty; say what is to be done"));
    }
    let id = args.common.thread.clone().unwrap_or_else(|| new_thread_id("obsius"));
    check_thread_id(&id)?;
    let (config, told) = params.config(opened.small)?;
    let mut info = SessionInfo::default();
    info.session_id = session_of(args, &opened.root);
    info.workflow_id = id.clone();
    info.original_request = request.trim().to_owned();
    info.start_time = SystemClock.now();
    info.vault = opened.root.display().to_string();
    info.model = opened.models.chosen.specs.to_string();
    info.today = today(opened).await?;
    info.seed = args.seed;
    info.config = config;
    info.earlier = earlier;
    let thread = opened.runs.thread(id);
    let begun = thread.run(WorkflowState::update().session(info).notes(told));
    conclude(&args.common, session, consent, &thread, begun, 0).await
}

/// Follows a run to its end: answers its review where it may, and delivers. Returns the answer too.
pub(crate) async fn conclude(
    common: &CommonArgs,
    session: &Session,
    consent: Consent,
    thread: &Run,
    run: graphloom_core_graph::Run<WorkflowState>,
    notes: usize,
) -> Result<(ExitStatus, String), Failure> {
    let line = resume_line("obsius", thread.id(), &common.base);
    session.progress.note(format!("run `{}`; if it is stopped, go on with: {line}", thread.id()));
    let mut watch = Watch::new(session.progress.clone(), notes);
    let mut run = run;
    loop {
        let outcome = follow(run, &session.interrupt, &session.progress, |event| watch.see(event)).await;
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                session.progress.note(format!("what was committed is kept; go on with: {line}"));
                return Err(error.into());
            }
        };
        match outcome {
            Outcome::Done(state) => return deliver(session, thread, &state),
            Outcome::Waiting(questions) => {
                let Some(request) = review::pending(&questions) else {
                    return Err(Failure::new(ExitStatus::Failed, "the run waits with a question that is no review"));
                };
                let verdict = if consent.yes {
                    if let Some(reason) = consent.withheld(&thread.state().await?.state) {
                        session.progress.warn(reason);
                        return waiting(common, session, thread, &request);
                    }
                    Verdict::Approve
                } else if common.may_ask() {
                    match review::ask(&request, &session.progress).await? {
                        Some(verdict) => verdict,
                        None => return waiting(common, session, thread, &request),
                    }
                } else {
                    return waiting(common, session, thread, &request);
                };
                if let Err(error) = request.decide(&verdict) {
                    session.progress.warn(error.to_string());
                    return waiting(common, session, thread, &request);
                }
                run = thread.resume(questions.answer("review", &verdict)?);
            }
            other => {
                let status = ExitStatus::from(&other);
                session.progress.result(status, &format!("stopped; go on with: {line}"), &json!({ "resume": line }))?;
                return Ok((status, String::new()));
            }
        }
    }
}

/// Nobody approves: the plan is kept.
pub(crate) fn waiting(
    common: &CommonArgs,
    session: &Session,
    thread: &Run,
    request: &graphloom_agents::ReviewRequest,
) -> Result<(ExitStatus, String), Failure> {
    let quoted = resume_line("obsius", thread.id(), &common.base);
    let (apply, refuse) = (quoted.replacen("resume", "apply", 1), quoted);
    let text = format!(
        "{}\nnothing is written yet; write the changes with: {apply}\nor refuse them with: {refuse} --answer 'review={{\"reject\":{{\"reason\":\"…\"}}}}'",
        review::shown(request)
    );
    let value = json!({ "run": thread.id(), "review": request, "apply": apply, "resume": refuse });
    session.progress.result(ExitStatus::Waiting, &text, &value)?;
    Ok((ExitStatus::Waiting, String::new()))
}

/// Tells what a run came to.
pub(crate) fn deliver(session: &Session, thread: &Run, state: &WorkflowState) -> Result<(ExitStatus, String), Failure> {
    let Some(outcome) = &state.outcome else {
        return Err(Failure::new(ExitStatus::Failed, "the run ended without an outcome"));
    };
    if let Some(failure) = &state.failure {
        session.progress.event(&json!({ "v": 1, "event": "failure", "run": thread.id(), "failure": failure }));
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
    session.progress.result(status, &outcome.answer, &summary(thread.id(), state))?;
    Ok((status, outcome.answer.clone()))
}

/// What programs read of a run's end.
pub(crate) fn summary(id: &str, state: &WorkflowState) -> Value {
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
        "plan": state.task_plan.as_ref().map(|plan| plan.source),
        "notes": state.notes,
        "skipped": state.vault_context.skipped,
    })
}

/// Tells the unfinished runs of the session. A new request never goes on with them.
async fn offer_unfinished(args: &Args, session: &Session, opened: &Opened) -> Result<(), Failure> {
    let own = session_of(args, &opened.root);
    let mut filter = ThreadFilter::default();
    filter.graph = Some("obsius".to_owned());
    let known = stored::list(&**opened.runs.checkpointer(), &filter).await?;
    let mut told = 0;
    for run in known.iter().filter(|run| run.can_go_on()) {
        if told == OFFERED {
            break;
        }
        let state = opened.runs.thread(run.thread.as_str()).state().await?;
        if state.state.session.session_id != own {
            continue;
        }
        told += 1;
        let line = resume_line("obsius", &run.thread, &args.common.base);
        let request: String = state.state.session.original_request.chars().take(60).collect();
        session
            .progress
            .note(format!("run `{}` of this session is {}: {request}; go on with: {line}", run.thread, run.status));
    }
    Ok(())
}

/// The date that prompts state: today, or the recorded one.
async fn today(opened: &Opened) -> Result<String, Failure> {
    let today = time_text(SystemClock.now())[..10].to_owned();
    let Some(cassette) = &opened.models.cassette else { return Ok(today) };
    let work = || async { Ok::<_, ModelError>(Value::String(today)) };
    let today = cassette.exchange("today", &json!({}), work, |message| ModelError::Setup { message }).await?;
    Ok(today.as_str().unwrap_or_default().to_owned())
}
