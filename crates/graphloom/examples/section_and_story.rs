//! Two applications as parts of a new graph: DeepSearch researches a section, WriteHERE writes a story of what it says.
//!
//! ```text
//! research (a section of DeepSearch) ─► tell (a run of WriteHERE)
//! ```
//! `section_and_story --model embedded --corpus DIR "How does a log survive a crash?"`. The thread is durable as a whole:
//! run it again with the same `--thread` after a kill, and it goes on inside the section or the story.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use graphloom_cli::{
    BaseArgs, CommonArgs, DataDir, ExitStatus, Failure, SearchEngine, Session, build_models, new_thread_id,
    open_checkpointer, open_corpus, time_text,
};
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, END, FromRef, Node, NodeError, Outcome, START, State, StateGraph,
};
use graphloom_deepsearch::config::{Config, SearchMethod};
use graphloom_deepsearch::search::{RetrievalSearch, WebAndLocal};
use graphloom_deepsearch::section::{SectionBrief, SectionState};
use graphloom_deepsearch::state::{Locale, Section};
use graphloom_llm::layers::Spent;
use graphloom_writehere::breakpoint::Breakpoints;
use graphloom_writehere::stage::Desk;
use graphloom_writehere::{Mode, Request, Writing, profile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the new graph knows: a question, what was found, the story.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Tale {
    question: String,
    section: String,
    summary: String,
    story: String,
}

/// The resources of both applications. Each takes its own.
struct Both {
    deepsearch: Arc<graphloom_deepsearch::Resources>,
    writehere: Arc<graphloom_writehere::Resources>,
}

impl FromRef<Both> for graphloom_deepsearch::Resources {
    fn from_ref(parent: &Arc<Both>) -> Arc<Self> {
        Arc::clone(&parent.deepsearch)
    }
}

impl FromRef<Both> for graphloom_writehere::Resources {
    fn from_ref(parent: &Arc<Both>) -> Arc<Self> {
        Arc::clone(&parent.writehere)
    }
}

const RESEARCH: Node = Node::named("research");
const TELL: Node = Node::named("tell");

fn graph() -> Result<Compiled<Tale, Both>, CompileErrors> {
    let mut graph = StateGraph::<Tale, Both>::new("section-and-story");
    graph.add_subgraph(RESEARCH, graphloom_deepsearch::section::graph()?, question, answer);
    graph.add_subgraph(TELL, graphloom_writehere::graph()?, request, story);
    graph.add_edge(START, RESEARCH).add_edge(RESEARCH, TELL).add_edge(TELL, END);
    graph.compile()
}

fn question(tale: &Tale) -> <SectionState as State>::Update {
    let mut section = Section::default();
    section.id = "1".into();
    section.title = tale.question.trim_end_matches('?').to_owned();
    let mut config = Config::default();
    config.info_collector_search_method = SearchMethod::Local;
    (config.workflow_max_plan_executed_num, config.planner_max_step_num) = (1, 1);
    config.info_collector_max_research_loops = 1;
    let mut brief = SectionBrief::new(section, tale.question.clone(), config);
    brief.language = Locale::English;
    SectionState::update().brief(brief)
}

fn answer(section: ChildOutcome<SectionState>) -> Result<TaleUpdate, NodeError> {
    let section = section.done()?;
    let Some(report) = &section.sub_report else {
        let told: Vec<String> = section.notices.iter().map(ToString::to_string).collect();
        return Err(NodeError::terminal(format!("nothing was found out: {}", told.join("; "))));
    };
    Ok(Tale::update().section(report.content.text.clone()).summary(report.content.summary.clone()))
}

fn request(tale: &Tale) -> <Writing as State>::Update {
    let mut request = Request::default();
    request.goal = format!("Write a very short story in which somebody learns this: {}", tale.summary);
    request.mode = Mode::Story;
    request.words = Some(80);
    Writing::update().request(request)
}

fn story(writing: ChildOutcome<Writing>) -> Result<TaleUpdate, NodeError> {
    let writing = writing.done()?;
    let story = writing.finished.as_ref().map(|finished| finished.text.clone()).unwrap_or_default();
    Ok(Tale::update().story(story))
}

/// Researches a question in a folder and tells a story of the answer
#[derive(Parser)]
struct Args {
    /// The question
    question: String,
    #[command(flatten)]
    common: CommonArgs,
}

impl AsRef<BaseArgs> for Args {
    fn as_ref(&self) -> &BaseArgs {
        &self.common.base
    }
}

fn main() -> ExitCode {
    graphloom_cli::main(run)
}

async fn run(args: Args, session: Session) -> Result<ExitStatus, Failure> {
    let dirs = DataDir::new(args.common.base.data_dir.as_deref())?;
    let engines = args.common.engines(&[SearchEngine::Local])?;
    let models = build_models(&args.common, &dirs, &session.progress, Spent::default()).await?;
    let corpus = open_corpus(&args.common, &engines, &dirs, &session.progress).await?;
    let mut local = WebAndLocal::default();
    if let Some((corpus, _)) = corpus {
        local.local = Some(Arc::new(RetrievalSearch::new(Arc::new(corpus))));
    }
    let mut deepsearch = graphloom_deepsearch::Resources::new(models.models.clone(), Arc::new(local))
        .map_err(|error| Failure::new(ExitStatus::Failed, error))?;
    deepsearch.ledger = Arc::clone(&models.ledger);
    let prompts = Arc::new(profile::prompts()?);
    let writehere = graphloom_writehere::Resources {
        desk: Desk::new(prompts, Arc::new(profile::story()?), models.models.clone()),
        ledger: Arc::clone(&models.ledger),
        breaks: Breakpoints::default(),
        cassette: models.cassette.clone(),
        time: time_text,
    };
    let both = Both { deepsearch: Arc::new(deepsearch), writehere: Arc::new(writehere) };
    let threads = graph()?.with_context(both).with_checkpointer(open_checkpointer(&dirs)?);
    let id = args.common.thread.clone().unwrap_or_else(|| new_thread_id("tale"));
    let thread = threads.thread(id.as_str());
    let before = thread.state().await?;
    let ended = match before.status {
        ThreadStatus::Done => Outcome::Done(before.state),
        _ if before.checkpoint.is_some() => thread.continue_().await?,
        _ => thread.run(Tale::update().question(args.question)).await?,
    };
    let Outcome::Done(tale) = ended else {
        session.progress.note(format!("the run `{id}` has stopped; run it again with `--thread {id}`"));
        return Ok(ExitStatus::Interrupted);
    };
    let text = format!("{}\n\n{}\n", tale.section, tale.story);
    session.progress.result(ExitStatus::Done, &text, &*tale)?;
    Ok(ExitStatus::Done)
}
