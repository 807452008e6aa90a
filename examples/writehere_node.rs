//! WriteHERE as a node of an own graph: it writes a report about a folder, and the nodes around it are one's own.
//!
//! `cargo run -p graphloom-examples --example writehere_node`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_core_graph::{FromRef, Node, NodeError, START, Snapshot, State, StateGraph};
use graphloom_llm::scripted::rendered;
use graphloom_llm::{ModelError, Scripted};
use graphloom_retrieval::{Corpus, CorpusOptions};
use graphloom_writehere::{Request, Resources, Writing, graph as writehere};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Page {
    topic: String,
    report: String,
    sources: usize,
    page: String,
}

/// What this graph works with. The subgraph gets its part of it.
struct Services {
    writing: Arc<Resources>,
}

impl FromRef<Services> for Resources {
    fn from_ref(services: &Arc<Services>) -> Arc<Self> {
        Arc::clone(&services.writing)
    }
}

const REPORT: Node = Node::named("report");
const PUBLISH: Node = Node::named("publish");

/// What the node asks of WriteHERE: the limits of a run are fields of its request.
fn request(page: &Page) -> Request {
    let mut request = Request::default();
    request.goal.clone_from(&page.topic);
    (request.words, request.max_depth, request.max_nodes) = (Some(200), Some(2), Some(12));
    request
}

async fn publish(page: Snapshot<Page>) -> Result<PageUpdate, NodeError> {
    Ok(Page::update().page(format!("<title>{}</title>\n{}", page.topic, page.report)))
}

/// A scripted model in the place of a strong one. It plans a search and a text, asks the index once, and quotes the first
/// passage that was found.
fn model() -> Scripted {
    Scripted::from_fn(|request| {
        let prompt = rendered(request);
        let passage = prompt.split("[reference:").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or("none");
        let reply = if prompt.contains("<current_turn_search_querys>") {
            let queries = if prompt.contains("this is round 1 of") { r#"["durable step crash"]"# } else { "[]" };
            format!("<observation>seen</observation><current_turn_search_querys>{queries}</current_turn_search_querys>")
        } else if prompt.contains("<atomic_task_determination>") {
            let verdict = if prompt.contains("Find") { "atomic" } else { "complex" };
            format!("<result><atomic_task_determination>{verdict}</atomic_task_determination></result>")
        } else if prompt.contains("You plan for a team") {
            let search =
                json!({ "id": "1", "goal": "Find what a crash leaves", "task_type": "search", "dependency": [] });
            let write = json!({ "id": "2", "goal": "Tell what Find found", "task_type": "write", "dependency": ["1"], "length": "200 words" });
            format!("<result>{}</result>", json!({ "sub_tasks": [search, write] }))
        } else if prompt.contains("<article>") {
            format!("<article>What was committed is not done again [reference:{passage}].</article>")
        } else {
            format!("<result>The passage says what is kept [reference:{passage}].</result>")
        };
        Ok::<_, ModelError>(reply)
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let corpus = Corpus::open(place.path(), &[docs.into()], CorpusOptions::default())?;
    corpus.refresh()?;

    // Prompts and profile can be others: `Prompts::override_from` takes a folder, `Profile::parse` a file.
    let models = Models::new(Arc::new(model()));
    let writing = Resources::report(models)?.searching(Arc::new(corpus));

    let mut graph = StateGraph::<Page, Services>::new("page");
    graph.add_subgraph(
        REPORT,
        writehere(),
        |page: &Page| Writing::update().request(request(page)),
        |child| {
            let writing = child.done()?;
            let finished = writing.finished.as_ref().ok_or_else(|| NodeError::terminal("there is no result"))?;
            Ok(Page::update().report(finished.text.clone()).sources(finished.references.len()))
        },
    );
    graph.add_node(PUBLISH, publish);
    graph.add_edge(START, REPORT).add_edge(REPORT, PUBLISH);
    let app = graph.compile()?.with_context(Services { writing: Arc::new(writing) });
    let page = app.run_once(Page::update().topic("What is left after a crash?")).await?.done()?;
    println!("{}", page.page);
    assert_eq!(page.sources, 1);
    Ok(())
}
