//! `graphloom agent` and `graphloom resume`: an agent with the tools of MCP servers and with skills, as a run.

mod approve;
mod args;
mod open;
mod result;
mod watch;

use graphloom_agents::Prompts;
use graphloom_agents::react::{ReactState, graph};
use graphloom_cli::frame::{AppRuns, announce, follow_run, stopped_result, waiting_result};
use graphloom_cli::{ExitStatus, Failure, Session, check_thread_id, new_thread_id};
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{Outcome, Run, Thread};
use graphloom_llm::layers::Spent;
use serde_json::json;

use args::WorkArgs;
pub(crate) use args::{AgentArgs, ResumeArgs};
use open::{Begun, open};

/// The template that gives the agent its task.
const TASK: &str = "agents/task";

/// Begins a run.
pub(crate) async fn begin(mut args: AgentArgs, session: &Session) -> Result<ExitStatus, Failure> {
    session.files.fill_models(&mut args.work.models);
    let task = args.task.trim().to_owned();
    if task.is_empty() {
        return Err(Failure::usage("the task is empty; write what is to be done"));
    }
    let id = args.thread.thread.clone().unwrap_or_else(|| new_thread_id("agent"));
    check_thread_id(&id)?;
    let opening = Prompts::new(&[])?.render(TASK, &json!({ "task": task }))?.messages;
    let mut begun = Begun::of(&args)?;
    let opened = open(&args.work, session, &begun, Spent::default()).await?;
    begun.model = opened.models.chosen.specs.to_string();
    let thread = opened.threads.thread(id.as_str());
    let run = thread.run(ReactState::update().opening(opening).origin(serde_json::to_value(&begun)?));
    conclude(&args.work, session, &thread, run, None).await
}

/// Goes on with a run that was stopped, killed or failed, or waits.
pub(crate) async fn resume(mut args: ResumeArgs, session: &Session) -> Result<ExitStatus, Failure> {
    let (_, before) = AppRuns::new(session, [graph().for_inspection()]).find(&args.thread).await?;
    // A mistake in an answer is told before a model is made.
    let given = args.answers.read(&before.questions, &args.work.models.consent, &session.progress).await?;
    if before.status == ThreadStatus::Done {
        session.progress.note("the run is done already");
        return result::of(session, &args.thread, &before.state).print(session);
    }
    let begun: Begun = serde_json::from_value(before.state.origin.clone()).unwrap_or_default();
    begun.complete(&mut args.work, session)?;
    let opened = open(&args.work, session, &begun, result::spent(&before.state)).await?;
    let thread = opened.threads.thread(args.thread.as_str());
    let run = match before.status {
        ThreadStatus::Waiting => {
            let answers = match given {
                Some(given) => Some(given.answers),
                None => approve::ask(&args.work.models.consent, session, &before.questions).await?,
            };
            match answers {
                Some(answers) => thread.resume(answers),
                None => return waiting_result(session, &args.thread, &before.questions, true)?.print(session),
            }
        }
        _ => thread.continue_(),
    };
    conclude(&args.work, session, &thread, run, Some(&before.state)).await
}

/// Follows a run to its end: answers its questions where it may, and shows what came of it.
async fn conclude(
    work: &WorkArgs,
    session: &Session,
    thread: &Thread<ReactState, graphloom_agents::react::ReactResources>,
    mut run: Run<ReactState>,
    before: Option<&ReactState>,
) -> Result<ExitStatus, Failure> {
    let id = thread.id();
    announce(session, id);
    let mut watch = watch::Watch::new(session.progress.clone(), before);
    loop {
        match follow_run(session, id, run, |event| watch.observe(event)).await? {
            Outcome::Done(state) => return result::of(session, id, &state).print(session),
            Outcome::Waiting(questions) => match approve::ask(&work.models.consent, session, &questions).await? {
                Some(answers) => run = thread.resume(answers),
                None => return waiting_result(session, id, &questions, true)?.print(session),
            },
            other => return stopped_result(session, id, &other).print(session),
        }
    }
}
