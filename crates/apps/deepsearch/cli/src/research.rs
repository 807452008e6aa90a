//! Research: begin a run and follow it to its end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use graphloom_cli::frame::{Origin, announce, note_resumable, prepare, stopped_result, waiting_result};
use graphloom_cli::{CliError, ExitStatus, Failure, Session, Studio, check_thread_id, follow, new_thread_id};
use graphloom_core_graph::{Outcome, RunError};
use graphloom_deepsearch::config::FeedbackMode;
use graphloom_deepsearch::graph::policy;
use graphloom_deepsearch::state::Request;
use graphloom_deepsearch::status::StatusCode;
use graphloom_deepsearch::stream::{Transcript, failure_message};
use graphloom_deepsearch::{Config, SearchContext, answers};
use graphloom_llm::layers::Spent;
use serde_json::json;

use crate::answer::{self, Answered};
use crate::args::{RequestArgs, WorkArgs};
use crate::open::{Opened, Run, open};
use crate::output;
use crate::params::params;
use crate::statistics::{self, Durations};
use crate::watch::Watch;
use crate::web::WebMessages;

/// The longest template, in bytes.
const MOST_TEMPLATE: u64 = 5 << 20;

/// Begins a run and follows it to its end.
pub(crate) async fn research(session: &Session, args: RequestArgs) -> Result<ExitStatus, Failure> {
    let mut work = args.work;
    session.files.fill_models(&mut work.run.models);
    session.files.fill_sources(&mut work.sources);
    let Some(config) = params(&work.run, session, None)? else { return Ok(ExitStatus::Done) };
    let Some(question) = args.question else {
        return Err(Failure::usage("a question is missing; write `deepsearch \"…\"`, or see `deepsearch --help`"));
    };
    let mut request = Request::new(question.trim(), config.clone());
    request.search_mode = args.search_mode;
    if let Some(path) = &args.report_template {
        request.report_template = template(path)?;
    }
    if let Some(notice) = request.check().first() {
        return Err(Failure::usage(notice.to_string()));
    }
    let id = args.thread.thread.unwrap_or_else(|| new_thread_id("deepsearch"));
    check_thread_id(&id)?;
    let out = work.output.out.clone().unwrap_or_else(|| PathBuf::from(format!("{id}-out")));
    prepare(&out)?;
    let opened = open(&work, session, &config, Spent::default(), false).await?;
    request.today = opened.models.today().await?;
    request.origin = json!(Origin::of(&opened.models, &work.sources, &out));
    let thread = opened.runs.thread(id).policy(policy(&config));
    let begun = thread.run(SearchContext::update().request(request));
    conclude(&work, session, &opened, &thread, &config, Some(begun), 0).await
}

/// The template, which is Markdown. Its name has letters, digits, `_`, `-` and `.` only, as the original says (212201).
fn template(path: &Path) -> Result<String, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) {
        let code = StatusCode::TemplateName;
        let message =
            format!("[{code}]the template is called `{name}`; rename it to letters, digits, `_`, `-` and `.`");
        return Err(Failure::usage(message));
    }
    let size = std::fs::metadata(path).map_err(CliError::io("read the template", path))?.len();
    if size > MOST_TEMPLATE {
        let message = format!("the template `{}` has {size} bytes; at most {MOST_TEMPLATE} are read", path.display());
        return Err(Failure::usage(message));
    }
    let text = std::fs::read_to_string(path).map_err(CliError::io("read the template", path))?;
    if text.trim().is_empty() {
        let code = StatusCode::ParameterInvalid;
        return Err(Failure::usage(format!("[{code}]the template `{}` is empty", path.display())));
    }
    Ok(text)
}

/// Follows a run to its end, in the studio where that is asked for: answers its questions where it may, and delivers. Without a
/// run the thread waits, and the studio is where it is answered.
pub(crate) async fn conclude(
    work: &WorkArgs,
    session: &Session,
    opened: &Opened,
    thread: &Run,
    config: &Config,
    run: Option<graphloom_core_graph::Run<SearchContext>>,
    notes: usize,
) -> Result<ExitStatus, Failure> {
    announce(session, thread.id());
    let (consent, id) = (&work.run.models.consent, thread.id());
    let mut studio = Studio::open(work.studio, consent, session, &opened.runs, id, policy(config), |server| {
        server.answers(session.program(), answers())
    })
    .await?;
    let ended = follow_to_end(work, session, opened, thread, config, (run, notes), &mut studio).await;
    studio.close().await;
    ended
}

async fn follow_to_end(
    work: &WorkArgs,
    session: &Session,
    opened: &Opened,
    thread: &Run,
    config: &Config,
    (run, notes): (Option<graphloom_core_graph::Run<SearchContext>>, usize),
    studio: &mut Studio<SearchContext>,
) -> Result<ExitStatus, Failure> {
    let mut watch = Watch::new(session.progress.clone(), std::sync::Arc::clone(&opened.models.ledger), notes);
    let mut durations = Durations::default();
    let mut web = WebMessages::new(config.workflow_feedback_mode == FeedbackMode::Web && !session.progress.is_json());
    let mut run = match run {
        Some(run) => studio.begin(run).await?,
        None => match studio.answered(session).await {
            Some(run) => run,
            None => return waiting_result(session, thread.id(), &thread.questions().await?, true)?.print(session),
        },
    };
    let limit = Duration::from_secs(config.workflow_execution_timeout);
    loop {
        let mut transcript = Transcript::new(thread.id());
        let followed = follow(run, &session.interrupt, &session.progress, |event| {
            watch.observe(event);
            durations.observe(event);
            if let Some(message) = transcript.observe(event) {
                web.write(&message);
            }
        });
        let outcome: Result<Outcome<SearchContext>, RunError> = match tokio::time::timeout(limit, followed).await {
            Ok(outcome) => outcome,
            Err(_) => {
                let code = StatusCode::TimeOut;
                let seconds = limit.as_secs();
                web.close(&transcript.failed(&format!("[{code}]no end within {seconds} seconds")));
                let line = session.resume_line(thread.id());
                let message = format!("[{code}]the run did not end within {seconds} seconds; go on with: {line}");
                return Err(Failure::new(ExitStatus::Failed, message));
            }
        };
        web.close(&transcript.close(&outcome));
        match outcome {
            Ok(Outcome::Done(state)) => {
                statistics::tell(&session.progress, &state, &durations, &opened.models.meter);
                return output::deliver(&work.output, session, opened, thread, &state).await;
            }
            Ok(Outcome::Waiting(questions)) if studio.is_open() => match studio.answered(session).await {
                Some(next) => run = next,
                None => return web.end(session, &waiting_result(session, thread.id(), &questions, true)?),
            },
            Ok(Outcome::Waiting(questions)) => {
                match answer::ask(&work.run.models.consent, session, &mut web, config, &questions).await? {
                    Answered::Given(answers) => run = studio.begin(thread.resume(answers)).await?,
                    Answered::Nobody => {
                        return web.end(session, &waiting_result(session, thread.id(), &questions, true)?);
                    }
                }
            }
            Ok(other) => return web.end(session, &stopped_result(session, thread.id(), &other)),
            Err(error) => {
                note_resumable(session, thread.id());
                return Err(match error {
                    RunError::StepLimit { .. } => Failure::new(ExitStatus::Failed, failure_message(&error)),
                    error => error.into(),
                });
            }
        }
    }
}
