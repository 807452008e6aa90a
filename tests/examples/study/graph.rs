//! The graph: two applications' graphs as nodes, each with its own state and resources.
//!
//! ```text
//! START ─► research (a section of DeepSearch) ─► tell (a run of WriteHERE) ─► END
//! ```

use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, END, FromRef, Node, NodeError, START, State, StateGraph,
};
use graphloom_deepsearch::Config;
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::section::{self, SectionBrief, SectionState};
use graphloom_deepsearch::state::{Locale, Section};
use graphloom_llm::layers::Ledger;
use graphloom_writehere::{Request, Writing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Words of the text for newcomers.
const WORDS: u32 = 80;

pub(crate) const RESEARCH: Node = Node::named("research");
pub(crate) const TELL: Node = Node::named("tell");

/// What the new graph keeps: neither the tree of the one nor the plans of the other.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Study {
    pub(crate) question: String,
    /// The section with its citations.
    pub(crate) section: String,
    /// How many documents it rests on.
    pub(crate) documents: usize,
    /// What the section says, in a few sentences.
    pub(crate) summary: String,
    /// The text for newcomers.
    pub(crate) told: String,
}

/// The resources of both applications, made of the same models.
#[derive(Debug)]
pub(crate) struct Tools {
    research: Arc<graphloom_deepsearch::Resources>,
    tell: Arc<graphloom_writehere::Resources>,
}

impl Tools {
    pub(crate) fn new(
        models: &Models,
        search: Engines,
        ledger: &Arc<Ledger>,
        time: fn(u64) -> String,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let mut research = graphloom_deepsearch::Resources::new(models.clone(), search)?;
        research.ledger = Arc::clone(ledger);
        let mut tell = graphloom_writehere::Resources::report(models.clone())?;
        (tell.ledger, tell.time) = (Arc::clone(ledger), time);
        Ok(Self { research: Arc::new(research), tell: Arc::new(tell) })
    }
}

impl FromRef<Tools> for graphloom_deepsearch::Resources {
    fn from_ref(tools: &Arc<Tools>) -> Arc<Self> {
        Arc::clone(&tools.research)
    }
}

impl FromRef<Tools> for graphloom_writehere::Resources {
    fn from_ref(tools: &Arc<Tools>) -> Arc<Self> {
        Arc::clone(&tools.tell)
    }
}

pub(crate) fn study() -> Result<Compiled<Study, Tools>, CompileErrors> {
    let mut graph = StateGraph::<Study, Tools>::new("study");
    graph.add_subgraph(RESEARCH, section::graph(), brief, researched);
    graph.add_subgraph(TELL, graphloom_writehere::graph(), request, told);
    graph.add_edge(START, RESEARCH).add_edge(RESEARCH, TELL).add_edge(TELL, END);
    graph.compile()
}

/// The question as the only section of a report, with the limits of a small model.
fn brief(study: &Study) -> <SectionState as State>::Update {
    let mut section = Section::default();
    section.id = "1".into();
    section.title.clone_from(&study.question);
    section.description = "What the documents say about the question.".into();
    let mut config = Config::default();
    config.workflow_max_plan_executed_num = 1;
    config.planner_max_step_num = 1;
    config.info_collector_max_research_loops = 1;
    let mut brief = SectionBrief::new(section, study.question.clone(), config);
    brief.language = Locale::English;
    SectionState::update().brief(brief)
}

fn researched(outcome: ChildOutcome<SectionState>) -> Result<StudyUpdate, NodeError> {
    let state = outcome.done()?;
    let Some(report) = &state.sub_report else {
        let why: Vec<String> = state.notices.iter().map(ToString::to_string).collect();
        return Err(NodeError::terminal(format!("nothing could be written: {}", why.join("; "))));
    };
    let content = &report.content;
    let update = Study::update().section(content.text.clone()).documents(content.classified_content.len());
    Ok(update.summary(content.summary.clone()))
}

fn request(study: &Study) -> <Writing as State>::Update {
    let mut request = Request::default();
    let known = if study.summary.is_empty() { &study.section } else { &study.summary };
    request.goal = format!("Tell newcomers: {} What is known: {known}", study.question);
    request.words = Some(WORDS);
    request.max_depth = Some(1);
    Writing::update().request(request)
}

fn told(outcome: ChildOutcome<Writing>) -> Result<StudyUpdate, NodeError> {
    let state = outcome.done()?;
    let text = state.finished.as_ref().map(|finished| finished.text.trim().to_owned()).unwrap_or_default();
    Ok(Study::update().told(text))
}
