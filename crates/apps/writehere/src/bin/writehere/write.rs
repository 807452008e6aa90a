//! Writing: begin a run, go on with one, fork one.

use std::path::PathBuf;

use graphloom_cli::{
    CommonArgs, ExitStatus, Failure, Session, check_thread_id, follow, new_thread_id, resume_line, time_text,
};
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{Answers, Clock, EventKind, Order, Outcome, Run, RunPolicy, SystemClock, Thread};
use graphloom_llm::ModelError;
use graphloom_llm::layers::Spent;
use graphloom_writehere::{Mode, Request, Resources, Writing};
use serde_json::{Value, json};

use crate::args::{ResumeArgs, WriteArgs};
use crate::open::{Opened, as_before, find, open};
use crate::output;
use crate::params::params;
use crate::watch::Watch;

/// Begins a run and follows it to its end.
pub(crate) async fn write(
    common: &CommonArgs,
    session: &Session,
    mode: Mode,
    args: WriteArgs,
) -> Result<ExitStatus, Failure> {
    let Some(params) = params(common, session, mode, Some(&args))? else { return Ok(ExitStatus::Done) };
    if args.request.trim().is_empty() {
        return Err(Failure::usage("the request is empty; say what shall be written"));
    }
    let id = common.thread.clone().unwrap_or_else(|| new_thread_id("writehere"));
    check_thread_id(&id)?;
    let opened = open(common, session, mode, Some(params.settings.clone()), args.debug, Spent::default()).await?;
    let mut request = Request::default();
    request.goal = args.request.trim().to_owned();
    request.mode = mode;
    (request.words, request.max_depth, request.max_nodes) = (params.length, params.max_depth, params.max_nodes);
    (request.schedule, request.seed) = (params.schedule, params.seed);
    request.today = today(&opened).await?;
    request.model = opened.models.chosen.specs.to_string();
    request.corpus = common.corpus.iter().map(|folder| absolute(folder).display().to_string()).collect();
    let out = common.out.clone().unwrap_or_else(|| PathBuf::from(format!("{id}-out")));
    request.unread.clone_from(&opened.unread);
    request.out = absolute(&out).display().to_string();
    output::prepare(&out)?;
    let policy = policy(&opened).await?;
    let thread = opened.runs.thread(id).policy(policy);
    let begun = thread.run(Writing::update().request(request));
    conclude(common, session, &opened, &thread, begun).await
}

/// Goes on with a run.
pub(crate) async fn resume(common: &CommonArgs, session: &Session, args: ResumeArgs) -> Result<ExitStatus, Failure> {
    let (_, before) = find(common, &args.thread).await?;
    let request = before.state.request.clone();
    let common = as_before(common, &request, session)?;
    let Some(params) = params(&common, session, request.mode, None)? else { return Ok(ExitStatus::Done) };
    let opened = open(&common, session, request.mode, Some(params.settings), args.debug, before.state.spent).await?;
    let thread = opened.runs.thread(args.thread);
    let run = match before.status {
        ThreadStatus::Done => {
            session.progress.note("the run is done already; its files are written again");
            return deliver(&common, session, &opened, &thread).await;
        }
        ThreadStatus::Waiting => {
            let mut answers = Answers::new();
            for answer in &args.answers {
                let (key, value) =
                    answer.split_once('=').ok_or_else(|| Failure::usage(format!("`{answer}` is not KEY=JSON")))?;
                let value: Value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
                answers = answers.and(key, value)?;
            }
            if args.answers.is_empty() {
                for question in before.questions.iter() {
                    answers = answers.and(&question.id, "continue")?;
                }
            }
            thread.resume(answers)
        }
        _ => thread.continue_(),
    };
    conclude(&common, session, &opened, &thread, run).await
}

/// Makes an older checkpoint the head of its run.
pub(crate) async fn fork(common: &CommonArgs, session: &Session, id: &str, at: u64) -> Result<ExitStatus, Failure> {
    let (run, _) = find(common, id).await?;
    run.at(at).fork().await?;
    let line = resume_line("writehere", id, &common.base);
    session.progress.result(
        ExitStatus::Done,
        &format!("checkpoint {at} is the head of `{id}` now; go on with: {line}"),
        &json!({ "at": at, "resume": line }),
    )?;
    Ok(ExitStatus::Done)
}

async fn conclude(
    common: &CommonArgs,
    session: &Session,
    opened: &Opened,
    thread: &Thread<Writing, Resources>,
    run: Run<Writing>,
) -> Result<ExitStatus, Failure> {
    let line = resume_line("writehere", thread.id(), &common.base);
    session.progress.note(format!("run `{}`; if it is stopped, go on with: {line}", thread.id()));
    let mut watch = Watch::new(session.progress.clone());
    let outcome = follow(run, &session.interrupt, &session.progress, |event| watch.see(event)).await;
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            session.progress.note(format!("what was committed is kept; go on with: {line}"));
            return Err(error.into());
        }
    };
    match &outcome {
        Outcome::Done(_) => {
            keep_order(opened, thread).await?;
            deliver(common, session, opened, thread).await
        }
        Outcome::Waiting(questions) => {
            let asked: Vec<_> =
                questions.iter().map(|question| json!({ "key": question.key, "question": question.payload })).collect();
            let shown = serde_json::to_string_pretty(&asked)?;
            session.progress.result(
                ExitStatus::Waiting,
                &format!("{shown}\nwaiting; go on with: {line}"),
                &json!({ "questions": asked, "resume": line }),
            )?;
            Ok(ExitStatus::Waiting)
        }
        other => {
            let status = ExitStatus::from(other);
            session.progress.result(status, &format!("stopped; go on with: {line}"), &json!({ "resume": line }))?;
            Ok(status)
        }
    }
}

/// Writes the files of a run that has ended and tells where they are.
async fn deliver(
    common: &CommonArgs,
    session: &Session,
    opened: &Opened,
    thread: &Thread<Writing, Resources>,
) -> Result<ExitStatus, Failure> {
    let state = thread.state().await?;
    let out = common.out.clone().unwrap_or_else(|| PathBuf::from(&state.state.request.out));
    let record = output::record(thread, &state, &opened.models.notes).await?;
    output::write(&out, &state.state, &record)?;
    let Some(finished) = &state.state.finished else {
        return Err(Failure::new(ExitStatus::Failed, "the run ended without a result"));
    };
    for note in &state.state.notes {
        session.progress.note(note);
    }
    let status = if state.state.budget_spent {
        ExitStatus::BudgetSpent
    } else if finished.is_done() {
        ExitStatus::Done
    } else {
        ExitStatus::Failed
    };
    session.progress.note(format!(
        "{}: {} words, {} sources, {} calls; written to `{}`",
        finished.status,
        finished.words,
        finished.references.len(),
        state.state.calls.len(),
        out.display()
    ));
    session.progress.result(status, &finished.text, &record)?;
    if status == ExitStatus::Failed {
        let why = if finished.explanation.is_empty() { "no text was written" } else { &finished.explanation };
        return Err(Failure::new(status, format!("the text is not complete: {why}")));
    }
    Ok(status)
}

fn setup(message: String) -> ModelError {
    ModelError::Setup { message }
}

/// The date that prompts state: today, or the recorded one.
async fn today(opened: &Opened) -> Result<String, Failure> {
    let today = time_text(SystemClock.now())[..10].to_owned();
    let Some(cassette) = &opened.models.cassette else { return Ok(today) };
    let work = || async { Ok::<_, ModelError>(Value::String(today)) };
    let today = cassette.exchange("today", &json!({}), work, setup).await?;
    Ok(today.as_str().unwrap_or_default().to_owned())
}

/// The policy of a run: a played back one commits in the recorded order.
async fn policy(opened: &Opened) -> Result<RunPolicy, Failure> {
    let Some(cassette) = opened.models.cassette.as_ref().filter(|cassette| cassette.is_replay()) else {
        return Ok(RunPolicy::default());
    };
    let nothing = || async { Ok::<_, ModelError>(Value::Null) };
    let order = cassette.exchange("commit-order", &json!({}), nothing, setup).await?;
    Ok(RunPolicy::default().order(Order::Recorded(serde_json::from_value(order).unwrap_or_default())))
}

/// Records in which order the tasks of the run were committed.
async fn keep_order(opened: &Opened, thread: &Thread<Writing, Resources>) -> Result<(), Failure> {
    let Some(cassette) = opened.models.cassette.as_ref().filter(|cassette| !cassette.is_replay()) else {
        return Ok(());
    };
    let mut order: Vec<String> = Vec::new();
    for event in output::journal(thread).await? {
        if let EventKind::Committed { tasks, .. } = event.kind
            && event.ns.is_empty()
        {
            order.extend(tasks.iter().map(ToString::to_string));
        }
    }
    let work = || async { Ok::<_, ModelError>(json!(order)) };
    cassette.exchange("commit-order", &json!({}), work, setup).await?;
    Ok(())
}

fn absolute(path: &std::path::Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
