//! Obsius' review gate around own tools: a model changes notes, a person approves some of it, and only that is written.
//!
//! `cargo run -p graphloom-examples --example obsius_review`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::sync::Arc;

use graphloom_agents::{
    Conversation, Direct, Prompts, Risk, ToolError, ToolOutput, ToolRegistry, TypedTool, Verdict, converse, typed,
};
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Context, Log, Node, NodeError, Outcome, START, Shared, Snapshot, State, StateGraph};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{Message, Scripted, ToolCall};
use graphloom_obsius::review::{WriteOutcome, approved, question, write};
use graphloom_obsius::{index::VaultIndex, tools::Workspace};
use graphloom_vault::{Changes, NotePath, Overlay, Vault, VaultOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Tidy {
    /// What would change; nothing of it is in the folder yet.
    changes: Shared<Changes>,
    #[state(append)]
    written: Log<String>,
}

/// An own tool over the pending changes: it sets a property of a note. Obsius' ten tools can stand beside it.
struct SetStatus(Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Status {
    /// The note, such as `web.md`.
    path: String,
    /// The status, such as `draft`.
    status: String,
}

impl TypedTool for SetStatus {
    type Arguments = Status;
    const NAME: &'static str = "set_status";
    const DESCRIPTION: &'static str = "Sets the status of a note.";
    const RISK: Risk = Risk::Write;

    async fn run(&self, Status { path, status }: Status) -> Result<ToolOutput, ToolError> {
        let set = |notes: &mut Overlay| notes.set_frontmatter(&NotePath::parse(&path)?, "status", json!(status));
        self.0.edit(set).map_err(|error| ToolError::refused(error.to_string()))?;
        Ok(ToolOutput::new(format!("`{path}` is `{status}` now")))
    }
}

struct Resources {
    model: Scripted,
    index: Arc<VaultIndex>,
}

const WORK: Node = Node::named("work");
const REVIEW: Node = Node::named("review");

async fn work(_: Snapshot<Tidy>, cx: Context<Resources>) -> Result<TidyUpdate, NodeError> {
    let workspace = Workspace::new(Arc::clone(&cx.resources().index), Changes::default());
    let mut tools = ToolRegistry::new(Risk::Write);
    tools.register(typed(SetStatus(workspace.clone())))?;
    let asked = vec![Message::user("Mark all notes as drafts.")];
    let prompts = Prompts::new(&[])?;
    // The conversation and what it changed are one durable step: after a crash neither is there without the other.
    let changes = async {
        converse(Conversation::new(&cx.resources().model, &tools, &prompts, asked), &Direct).await?;
        Ok(workspace.changes())
    };
    Ok(Tidy::update().changes(Shared::new(cx.once("work", changes).await?)))
}

/// Without a verdict `ask` ends the node here. A node that is run again after a crash writes nothing twice.
async fn review(tidy: Snapshot<Tidy>, cx: Context<Resources>) -> Result<TidyUpdate, NodeError> {
    let vault = cx.resources().index.vault();
    let request = question(vault, &tidy.changes);
    let reviewed = request.decide(&cx.ask("review", &request).await?).map_err(NodeError::terminal)?;
    let WriteOutcome::Done { changes, .. } = write(vault, &approved(&tidy.changes, &reviewed), "tidy-1", 5)? else {
        return Err(NodeError::terminal("the notes were edited meanwhile"));
    };
    Ok(Tidy::update().written(changes.iter().map(|(path, _)| path.to_string())))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (notes, indexed) = (tempfile::tempdir()?, tempfile::tempdir()?);
    for page in ["web.md", "speed.md"] {
        std::fs::copy(format!("{}/../docs/{page}", env!("CARGO_MANIFEST_DIR")), notes.path().join(page))?;
    }
    let vault = Arc::new(Vault::open(notes.path(), VaultOptions::default())?);
    let index = Arc::new(VaultIndex::open(vault, indexed.path())?);
    // A scripted model in the place of a real one: it calls the tool for both notes, and is done.
    let draft = |path| json!({ "path": path, "status": "draft" });
    let call = move |path| ToolCall { id: String::from(path), name: "set_status".into(), arguments: draft(path) };
    let model = Scripted::from_fn(move |request| {
        let worked = request.messages.len() > 1;
        Ok(if worked { Reply::text("Done.") } else { Reply::tools([call("web.md"), call("speed.md")]) })
    });
    let mut graph = StateGraph::<Tidy, Resources>::new("tidy");
    graph.add_node(WORK, work);
    graph.add_node(REVIEW, review).asks::<Verdict>("review");
    graph.add_edge(START, WORK).add_edge(WORK, REVIEW);
    let tools = Resources { model, index };
    let thread = graph.compile()?.with_context(tools).with_checkpointer(MemoryCheckpointer::new()).thread("tidy-1");
    let Outcome::Waiting(questions) = thread.run(Tidy::update()).await? else { return Err("the review asks".into()) };
    for item in questions.iter().filter_map(|question| question.payload["items"].as_array()).flatten() {
        println!("{}: {}", item["id"], item["diff"].as_str().unwrap_or_default());
    }
    let tidy = thread.resume(questions.answer("review", Verdict::Some { ids: vec!["1".into()] })?).await?.done()?;
    println!("written: {:?}", tidy.written);
    let read = |page| std::fs::read_to_string(notes.path().join(page));
    assert!(read("speed.md")?.starts_with("---\nstatus: draft\n") && !read("web.md")?.contains("status: draft"));
    Ok(())
}
