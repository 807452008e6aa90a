//! A section of DeepSearch in an own graph: one question, researched in a folder and written with its citations.
//!
//! `cargo run -p graphloom-examples --example deepsearch_section`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_core_graph::{Node, NodeError, START, Snapshot, State, StateGraph};
use graphloom_deepsearch::config::{Config, SearchMethod};
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::section::{SectionBrief, SectionState, graph as section_graph};
use graphloom_deepsearch::{Resources, state::Section};
use graphloom_llm::scripted::{Reply, rendered};
use graphloom_llm::{Role, Scripted, ToolCall};
use graphloom_retrieval::{Corpus, CorpusOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Leaflet {
    question: String,
    text: String,
    documents: Vec<String>,
    leaflet: String,
}

const RESEARCH: Node = Node::named("research");
const PRINT: Node = Node::named("print");

/// The section, and the configuration of DeepSearch: documents of the folder only, no charts, no second look at citations.
fn brief(leaflet: &Leaflet) -> SectionBrief {
    let mut config = Config::default();
    config.info_collector_search_method = SearchMethod::Local;
    config.source_tracer_research_trace_source_switch = false;
    config.visualization_enable = false;
    let mut section = Section::default();
    (section.id, section.title) = ("1".into(), leaflet.question.clone());
    SectionBrief::new(section, leaflet.question.clone(), config)
}

async fn print(leaflet: Snapshot<Leaflet>) -> Result<LeafletUpdate, NodeError> {
    let sources: Vec<String> =
        (1..).zip(&leaflet.documents).map(|(number, title)| format!("{number}. {title}")).collect();
    Ok(Leaflet::update().leaflet(format!("{}\n\n{}", leaflet.text, sources.join("\n"))))
}

const QUERY: &str = "durable step after a crash";

fn call(tool: &str, arguments: Value) -> Reply {
    Reply::tools([ToolCall { id: tool.into(), name: tool.into(), arguments }])
}

/// A scripted model in the place of a real one. It knows by words of the prompt which node of the section asks: its first
/// plan has one step, its second one none, and all documents are good.
fn model() -> Scripted {
    Scripted::from_fn(|request| {
        let prompt = rendered(request);
        let asks = |words: &str| prompt.contains(words);
        if asks("You plan what has to be found out") {
            let step = json!({ "type": "info_collecting", "title": QUERY, "description": QUERY });
            let (done, steps) = if asks("Make plan 1 ") { (false, json!([step])) } else { (true, json!([])) };
            return Ok(call("generate_plan", json!({ "is_research_completed": done, "steps": steps })));
        }
        if asks("You search for documents") && !request.messages.iter().any(|message| message.role == Role::Tool) {
            return Ok(call("local_search_tool", json!({ "query": QUERY })));
        }
        let scores = json!({ "relevance": 8, "answerability": 8, "authority": 8, "data_density": 8 });
        let scored = |number| json!({ "content": number, "doc_time": "", "scores": scores });
        let shown = 1..=prompt.matches("from: document ").count();
        let scored: Vec<Value> = shown.clone().map(scored).collect();
        let chosen: Vec<usize> = shown.take(2).collect();
        let answers: [(&str, Reply); 7] = [
            ("You make search queries", json!({ "description": "facts", "queries": [QUERY] }).into()),
            ("You judge documents by", json!({ "documents": scored }).into()),
            ("You judge whether", json!({ "is_sufficient": true, "knowledge_gap": "", "next_queries": [] }).into()),
            ("You sum up what was found", json!({ "info_summary": "Results are kept.", "evaluation": "good" }).into()),
            ("You choose the documents", json!({ "chapter": "1", "documents": chosen }).into()),
            ("You make the outline of one section", "1 After a crash\n1.1 What is kept".into()),
            ("You write one section", "# Crash\n\n## 1.1 What is kept\n\nThe result of a step[citation:1].".into()),
        ];
        let answer = answers.into_iter().find(|(words, _)| asks(words)).map(|(_, answer)| answer);
        Ok(answer.unwrap_or_else(|| "A stored result is not made again.".into()))
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let corpus = Corpus::open(place.path(), &[docs.into()], CorpusOptions::default())?;
    corpus.refresh()?;
    let search = Engines::new(None, Some(Arc::new(corpus)));
    let resources = Resources::new(Models::new(Arc::new(model())), search)?;

    let mut graph = StateGraph::<Leaflet, Resources>::new("leaflet");
    graph.add_subgraph(
        RESEARCH,
        section_graph(),
        |leaflet: &Leaflet| SectionState::update().brief(brief(leaflet)),
        |child| {
            let section = child.done()?;
            let report = section.sub_report.as_ref().ok_or_else(|| NodeError::terminal("no text was written"))?;
            let documents = report.content.classified_content.iter().map(|found| found.title.clone());
            Ok(Leaflet::update().text(report.content.text.clone()).documents(documents.collect::<Vec<_>>()))
        },
    );
    graph.add_node(PRINT, print);
    graph.add_edge(START, RESEARCH).add_edge(RESEARCH, PRINT);
    let app = graph.compile()?.with_context(resources);
    let leaflet = app.run_once(Leaflet::update().question("What is kept after a crash?")).await?.done()?;
    println!("{}", leaflet.leaflet);
    assert!(leaflet.text.contains("[citation:1]") && !leaflet.documents.is_empty());
    Ok(())
}
