//! Writing: begin a run, go on with one, fork one.

use std::path::{Path, PathBuf};

use graphloom_cli::{
    CommonArgs, ExitStatus, Failure, Session, check_thread_id, follow, new_thread_id, resume_line, time_text,
};
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{Clock, EventKind, Order, Outcome, Questions, Run, RunPolicy, SystemClock, Thread};
use graphloom_llm::ModelError;
use graphloom_llm::layers::Spent;
use graphloom_state_machine::TreeChange;
use graphloom_writehere::{Finished, Mode, Request, Resources, Shortage, Writing};
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
    let common = &session.files.for_new_run(common);
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
    request.corpus = common.corpus.iter().map(|folder| folder.display().to_string()).collect();
    request.search = common.search.iter().map(|engine| engine.name().to_owned()).collect();
    request.directory = absolute(Path::new(".")).display().to_string();
    let out = common.out.clone().unwrap_or_else(|| PathBuf::from(format!("{id}-out")));
    request.unread.clone_from(&opened.unread);
    request.out = absolute(&out).display().to_string();
    output::prepare(&out)?;
    let policy = policy(&opened).await?;
    let thread = opened.runs.thread(id).policy(policy);
    let begun = thread.run(Writing::update().request(request));
    conclude(common, session, &opened, &thread, begun, Watch::new(session.progress.clone(), &opened, 0)).await
}

/// Goes on with a run.
pub(crate) async fn resume(common: &CommonArgs, session: &Session, args: ResumeArgs) -> Result<ExitStatus, Failure> {
    let (_, before) = find(session, &args.thread).await?;
    // A mistake in an answer is told before a model is made. A budget asks no person.
    let asks_nobody = shortages(&before.questions).len() == before.questions.len();
    let given = match (asks_nobody, args.answers.answers.is_empty()) {
        (true, true) => None,
        _ => args.answers.read(&before.questions, common, &session.progress).await?,
    };
    let request = before.state.request.clone();
    let common = as_before(common, &request, session)?;
    let Some(params) = params(&common, session, request.mode, None)? else { return Ok(ExitStatus::Done) };
    // What unfinished tasks spent stands only in their questions.
    let short: Vec<Shortage> = shortages(&before.questions);
    let spent = short.iter().fold(before.state.spent, |spent, short| spent.or_later(short.spent));
    let opened = open(&common, session, request.mode, Some(params.settings), args.debug, spent).await?;
    let thread = opened.runs.thread(args.thread);
    let run = match before.status {
        // Nothing else is to be done for a run that has ended, unless tasks failed.
        ThreadStatus::Done if before.state.tree.clone().try_apply(TreeChange::Retried).is_ok() => {
            session.progress.note("the tasks that failed are tried again, and what was made without them is made anew");
            thread.run(Writing::update().tree(TreeChange::Retried))
        }
        ThreadStatus::Done => {
            session.progress.note("the run is done already; its files are written again");
            return deliver(&common, session, &opened, &thread, &[]).await;
        }
        ThreadStatus::Waiting => {
            // A budget needs no answer of a person: it is larger now, or refuses again.
            let answered = given.is_some();
            let mut answers = given.map(|given| given.answers).unwrap_or_default();
            for question in before.questions.iter() {
                if !answered || Shortage::read(&question.key, &question.payload).is_some() {
                    answers = answers.and(&question.id, "continue")?;
                }
            }
            thread.resume(answers)
        }
        _ => thread.continue_(),
    };
    let watch = Watch::new(session.progress.clone(), &opened, before.state.notes.len());
    conclude(&common, session, &opened, &thread, run, watch).await
}

/// Makes an older checkpoint the head of its run.
pub(crate) async fn fork(common: &CommonArgs, session: &Session, id: &str, at: u64) -> Result<ExitStatus, Failure> {
    let (run, _) = find(session, id).await?;
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
    mut watch: Watch,
) -> Result<ExitStatus, Failure> {
    let line = resume_line("writehere", thread.id(), &common.base);
    session.progress.note(format!("run `{}`; if it is stopped, go on with: {line}", thread.id()));
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
            deliver(common, session, opened, thread, &[]).await
        }
        Outcome::Waiting(questions) if shortages(questions).len() == questions.len() => {
            deliver(common, session, opened, thread, &shortages(questions)).await
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

/// Writes the files of a run that has ended, or that is `short` of budget, and tells where they are.
async fn deliver(
    common: &CommonArgs,
    session: &Session,
    opened: &Opened,
    thread: &Thread<Writing, Resources>,
    short: &[Shortage],
) -> Result<ExitStatus, Failure> {
    let state = thread.state().await?;
    let writing = &*state.state;
    let finished = match (short.first(), &writing.finished) {
        (Some(short), _) => Finished::so_far(writing, &short.reason),
        (None, Some(finished)) => finished.clone(),
        (None, None) => return Err(Failure::new(ExitStatus::Failed, "the run ended without a result")),
    };
    let out = common.out.clone().unwrap_or_else(|| PathBuf::from(&writing.request.out));
    let record = output::record(thread, &state, &finished, &opened.models, short).await?;
    output::write(&out, writing, &finished, &record)?;
    let status = if !short.is_empty() {
        ExitStatus::BudgetSpent
    } else if finished.is_done() {
        ExitStatus::Done
    } else {
        ExitStatus::Failed
    };
    session.progress.note(summary(&finished, &record, &out));
    if let Some(short) = short.first() {
        let line = resume_line("writehere", thread.id(), &common.base);
        session.progress.warn(format!("{}; go on with a larger one: {line} --budget LIMITS", short.reason));
    }
    session.progress.result(status, &finished.text, &record)?;
    if status == ExitStatus::Failed {
        let why = if finished.explanation.is_empty() { "no text was written" } else { &finished.explanation };
        return Err(Failure::new(status, format!("the text is not complete: {why}")));
    }
    Ok(status)
}

/// One line on the result; the notes themselves were told when they came up.
fn summary(finished: &Finished, record: &Value, out: &Path) -> String {
    let asked = record["words_asked"].as_u64().map(|asked| format!(" of {asked} asked for")).unwrap_or_default();
    let notes = record["notes"].as_array().map_or(0, Vec::len);
    let told = if notes == 0 { String::new() } else { format!(", {notes} notes in `run.json`") };
    format!(
        "{}: {} words{asked}, {} sources, {} calls{told}; written to `{}`",
        finished.status,
        finished.words,
        finished.references.len(),
        record["calls"],
        out.display()
    )
}

/// What the tasks say that wait for a larger budget.
fn shortages(questions: &Questions) -> Vec<Shortage> {
    questions.iter().filter_map(|question| Shortage::read(&question.key, &question.payload)).collect()
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

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
