//! An application with a node of one's own: WriteHERE searches a changelog, and does everything else as ever.
//!
//! `cargo run -p graphloom-examples --example own_action`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use graphloom_agents::Models;
use graphloom_core_graph::{Context, GraphOptions, Node, NodeError, Retry, Snapshot, Timeout};
use graphloom_llm::scripted::rendered;
use graphloom_llm::{ModelError, Scripted};
use graphloom_retrieval::{Evidence, NoSearch, Source};
use graphloom_state_machine::TaskAction;
use graphloom_writehere::nodes::{ATTEMPTS, Turn, take};
use graphloom_writehere::{ActionResult, EXECUTE, Request, Resources, TaskType, Writing, WritingUpdate, graph_with};
use serde_json::json;

/// Carries a task out. A search reads the newest changes, which become evidence that the text can cite; what is to be
/// thought or written is WriteHERE's own.
async fn execute(turn: Turn, state: Snapshot<Writing>, cx: Context<Resources>) -> Result<WritingUpdate, NodeError> {
    let task = state.tree.node(&turn.node).map(|node| node.payload.info.task_type);
    if task != Some(TaskType::Search) {
        return take(TaskAction::Execute, ATTEMPTS, turn, state, cx).await;
    }
    let read = cx.once("changelog", async {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../CHANGELOG.md"))?;
        let first = text.lines().find(|line| line.starts_with("- ")).unwrap_or_default();
        Ok::<String, NodeError>(first.trim_start_matches("- ").to_owned())
    });
    let change: String = read.await?;
    let source = Source::Local { root: "repository".into(), path: "CHANGELOG.md".into() };
    let evidence = Evidence::new("changelog#1", source, "Changelog", change.as_str());
    let result = ActionResult::new("changelog", format!("{change} [reference:changelog#1]"));
    Ok(turn.done(TaskAction::Execute, result).evidence([(evidence.id.clone(), evidence)]))
}

/// A scripted model in the place of a strong one. It plans a search and a text, and cites what the search gave.
fn model() -> Scripted {
    Scripted::from_fn(|request| {
        let prompt = rendered(request);
        let reply = if prompt.contains("<atomic_task_determination>") {
            let verdict = if prompt.contains("Find") { "atomic" } else { "complex" };
            format!("<result><atomic_task_determination>{verdict}</atomic_task_determination></result>")
        } else if prompt.contains("You plan for a team") {
            let search = json!({ "id": "1", "goal": "Find the change", "task_type": "search", "dependency": [] });
            let write = json!({ "id": "2", "goal": "Tell what Find found", "task_type": "write", "dependency": ["1"], "length": "200 words" });
            format!("<result>{}</result>", json!({ "sub_tasks": [search, write] }))
        } else if prompt.contains("<article>") {
            let found = if prompt.contains("[reference:changelog#1]") { "changelog#1" } else { "none" };
            format!("<article>There is something new [reference:{found}].</article>")
        } else {
            "<result>There is a change [reference:changelog#1].</result>".to_owned()
        };
        Ok::<_, ModelError>(reply)
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The function gets the node's edges, questions and error handler. Limits are options too.
    let options = GraphOptions::new()
        .replace_task(EXECUTE, execute)
        .retry(EXECUTE, Retry::exponential(ATTEMPTS).after(Duration::from_millis(10)))
        .timeout(EXECUTE, Timeout::attempt(Duration::from_secs(600)))
        .concurrency(EXECUTE, 2);
    let graph = graph_with(options)?;
    let replaced = graph.diagram().nodes.iter().filter(|node| node.replaced);
    println!("replaced: {}", replaced.map(|node| node.name.as_str()).collect::<Vec<_>>().join(", "));

    // Searches are planned where there is something to search; here the own action answers them all.
    let resources = Resources::report(Models::new(Arc::new(model())))?.searching(Arc::new(NoSearch));
    let mut request = Request::default();
    request.goal = "What is new?".to_owned();
    (request.words, request.max_depth, request.max_nodes) = (Some(200), Some(2), Some(12));
    let writing = graph.with_context(resources).run_once(Writing::update().request(request)).await?.done()?;
    let finished = writing.finished.as_ref().ok_or("there is no result")?;
    println!("{}", finished.text);
    assert_eq!(finished.references.len(), 1);

    // A name that the graph does not have is refused before anything runs.
    let misspelt = GraphOptions::new().retry(Node::named("exekute"), Retry::exponential(3));
    println!("{}", graph_with(misspelt).err().ok_or("the name is known")?);
    Ok(())
}
