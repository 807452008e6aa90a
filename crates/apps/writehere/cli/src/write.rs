//! Writing: begin a run, go on with one, fork one.

use std::path::{Path, PathBuf};

use graphloom_cli::frame::{Origin, announce, follow_run, prepare, stopped_result, waiting_result};
use graphloom_cli::{ExitStatus, Failure, OutputArgs, Session, Studio, check_thread_id, new_thread_id, runs as stored};
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{EventKind, Order, Outcome, Questions, Run, RunPolicy, Thread};
use graphloom_llm::ModelError;
use graphloom_llm::layers::Spent;
use graphloom_state_machine::TreeChange;
use graphloom_writehere::picture::tree_picture;
use graphloom_writehere::{
    Finished, Mode, PlanReview, PlanVerdict, Request, Resources, Review, Shortage, Writing, answers,
};
use serde_json::{Value, json};

use crate::args::{ResumeArgs, ReviewArg, WorkArgs, WriteArgs};
use crate::open::{Opened, open, origin_of, runs};
use crate::output;
use crate::params::params;
use crate::watch::Watch;

/// Begins a run and follows it to its end.
pub(crate) async fn write(session: &Session, mode: Mode, mut args: WriteArgs) -> Result<ExitStatus, Failure> {
    session.files.fill_models(&mut args.work.run.models);
    session.files.fill_sources(&mut args.work.sources);
    let given = &args.work.run.parameters;
    let Some(params) = params(given, session, mode, Some(&args))? else { return Ok(ExitStatus::Done) };
    if args.request.trim().is_empty() {
        return Err(Failure::usage("the request is empty; say what shall be written"));
    }
    let id = args.thread.thread.clone().unwrap_or_else(|| new_thread_id("writehere"));
    check_thread_id(&id)?;
    let opened = open(&args.work, session, mode, Some(params.settings.clone()), Spent::default()).await?;
    let mut request = Request::default();
    request.goal = args.request.trim().to_owned();
    request.mode = mode;
    (request.words, request.max_depth, request.max_nodes) = (params.length, params.max_depth, params.max_nodes);
    (request.schedule, request.seed) = (params.schedule, params.seed);
    request.review = match args.review_plan {
        None => Review::None,
        Some(ReviewArg::Whole) => Review::Whole,
        Some(ReviewArg::All) => Review::All,
    };
    request.today = opened.models.today().await?;
    let out = args.work.output.out.clone().unwrap_or_else(|| PathBuf::from(format!("{id}-out")));
    request.unread.clone_from(&opened.unread);
    let origin = Origin::of(&opened.models, &args.work.sources, &out);
    let Origin { model, corpus, search, full_text, embeddings, directory, out: to } = origin;
    (request.model, request.corpus, request.search) = (model, corpus, search);
    (request.full_text, request.embeddings) = (full_text, embeddings);
    (request.directory, request.out) = (directory, to);
    prepare(&out)?;
    let policy = policy(&opened).await?;
    let thread = opened.runs.thread(id).policy(policy);
    let begun = thread.run(Writing::update().request(request));
    conclude(&args.work, session, &opened, &thread, begun, Watch::new(session.progress.clone(), &opened, 0)).await
}

/// Goes on with a run.
pub(crate) async fn resume(session: &Session, args: ResumeArgs) -> Result<ExitStatus, Failure> {
    let ResumeArgs { thread: id, answers, mut work } = args;
    let (_, before) = runs(session).find(&id).await?;
    // A mistake in an answer is told before a model is made. A budget asks no person.
    let asks_nobody = shortages(&before.questions).len() == before.questions.len();
    let given = match (asks_nobody, answers.answers.is_empty()) {
        (true, true) => None,
        _ => {
            let consent = work.studio.elsewhere(&work.run.models.consent);
            answers.read(&before.questions, &consent, &session.progress).await?
        }
    };
    let request = before.state.request.clone();
    let origin = origin_of(&request);
    origin.complete_models(&mut work.run.models, session)?;
    origin.complete_sources(&mut work.sources);
    let Some(params) = params(&work.run.parameters, session, request.mode, None)? else { return Ok(ExitStatus::Done) };
    // What unfinished tasks spent stands only in their questions.
    let short: Vec<Shortage> = shortages(&before.questions);
    let spent = short.iter().fold(before.state.spent, |spent, short| spent.or_later(short.spent));
    let opened = open(&work, session, request.mode, Some(params.settings), spent).await?;
    let thread = opened.runs.thread(id);
    let run = match before.status {
        // Nothing else is to be done for a run that has ended, unless tasks failed.
        ThreadStatus::Done if before.state.tree.clone().try_apply(TreeChange::Retried).is_ok() => {
            session.progress.note("the tasks that failed are tried again, and what was made without them is made anew");
            thread.run(Writing::update().tree(TreeChange::Retried))
        }
        ThreadStatus::Done => {
            session.progress.note("the run is done already; its files are written again");
            return deliver(&work.output, session, &opened, &thread, &[]).await;
        }
        ThreadStatus::Waiting => {
            // A budget needs no answer of a person: it is larger now, or refuses again.
            let answered = given.is_some();
            let mut answers = given.map(|given| given.answers).unwrap_or_default();
            for question in before.questions.iter() {
                let (key, payload) = (&question.key, &question.payload);
                if !answered && PlanReview::read(key, payload).is_some() {
                    session.progress.note("the plan is carried out as it was shown");
                    answers = answers.and(&question.id, PlanVerdict::accept())?;
                } else if !answered || Shortage::read(key, payload).is_some() {
                    answers = answers.and(&question.id, "continue")?;
                }
            }
            thread.resume(answers)
        }
        _ => thread.continue_(),
    };
    let watch = Watch::new(session.progress.clone(), &opened, before.state.notes.len());
    conclude(&work, session, &opened, &thread, run, watch).await
}

/// Follows a run to its end, in the studio where that is asked for, and delivers.
async fn conclude(
    work: &WorkArgs,
    session: &Session,
    opened: &Opened,
    thread: &Thread<Writing, Resources>,
    run: Run<Writing>,
    watch: Watch,
) -> Result<ExitStatus, Failure> {
    announce(session, thread.id());
    let (consent, policy) = (&work.run.models.consent, RunPolicy::default());
    let name = session.program();
    let mut studio = Studio::open(work.studio, consent, session, &opened.runs, thread.id(), policy, |server| {
        server.answers(name, answers()).picture(name, &[], tree_picture)
    })
    .await?;
    let ended = follow_to_end(session, thread.id(), &mut studio, run, watch).await;
    studio.close().await;
    let outcome = ended?;
    match &outcome {
        Outcome::Done(_) => {
            keep_order(opened, thread).await?;
            deliver(&work.output, session, opened, thread, &[]).await
        }
        Outcome::Waiting(questions) if shortages(questions).len() == questions.len() => {
            deliver(&work.output, session, opened, thread, &shortages(questions)).await
        }
        Outcome::Waiting(questions) => waiting_result(session, thread.id(), questions, false)?.print(session),
        other => stopped_result(session, thread.id(), other).print(session),
    }
}

/// Follows a run, and the runs that answers in the studio begin.
async fn follow_to_end(
    session: &Session,
    id: &str,
    studio: &mut Studio<Writing>,
    run: Run<Writing>,
    mut watch: Watch,
) -> Result<Outcome<Writing>, Failure> {
    let mut run = studio.begin(run).await?;
    loop {
        let outcome = follow_run(session, id, run, |event| watch.observe(event)).await?;
        // A budget asks no person.
        let asks = |questions: &Questions| shortages(questions).len() < questions.len();
        run = match &outcome {
            Outcome::Waiting(questions) if asks(questions) => match studio.answered(session).await {
                Some(run) => run,
                None => return Ok(outcome),
            },
            _ => return Ok(outcome),
        };
    }
}

/// Writes the files of a run that has ended, or that is `short` of budget, and tells where they are.
async fn deliver(
    output: &OutputArgs,
    session: &Session,
    opened: &Opened,
    thread: &Thread<Writing, Resources>,
    short: &[Shortage],
) -> Result<ExitStatus, Failure> {
    let state = thread.state().await?;
    let writing = &*state.state;
    let finished = match (short.first(), &writing.finished) {
        (Some(short), _) => Finished::partial(writing, &short.reason),
        (None, Some(finished)) => finished.clone(),
        (None, None) => return Err(Failure::new(ExitStatus::Failed, "the run ended without a result")),
    };
    let out = origin_of(&writing.request).out(output);
    let events = stored::events(&**opened.runs.checkpointer(), thread.id()).await?;
    let record = output::record(&events, thread.id(), &state, &finished, &opened.models, short)?;
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
        let line = session.resume_line(thread.id());
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
    let spent: Spent = serde_json::from_value(record["measured"]["spent"].clone()).unwrap_or_default();
    let cost = spent.cost_text().map(|cost| format!(", {cost}")).unwrap_or_default();
    let notes_part = if notes == 0 { String::new() } else { format!(", {notes} notes in `run.json`") };
    format!(
        "{}: {} words{asked}, {} sources, {} calls{cost}{notes_part}; written to `{}`",
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
    for event in stored::events(&**opened.runs.checkpointer(), thread.id()).await? {
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
