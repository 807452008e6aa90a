//! A model that uses tools: the loop that LangGraph calls a ReAct agent, as a node of a durable graph.
//!
//! `cargo run -p graphloom-examples --example tools`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use graphloom_agents::{
    Conversation, Prompts, Risk, ToolError, ToolOutput, ToolRegistry, Transcript, TypedTool, converse, typed,
};
use graphloom_core_graph::{Context, Node, NodeError, START, Snapshot, State, StateGraph};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{ChatModel, Message, Role, Scripted, ToolCall};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Talk {
    question: String,
    transcript: Option<Transcript>,
}

/// Counts the headings of a page of this repository's documentation.
struct Headings {
    folder: PathBuf,
}

/// The doc comments are what the model reads.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Page {
    /// The name of the page, such as `concepts`.
    page: String,
}

impl TypedTool for Headings {
    type Arguments = Page;
    const NAME: &'static str = "headings";
    const DESCRIPTION: &'static str = "The headings of a page of the documentation.";
    const RISK: Risk = Risk::Read;

    async fn run(&self, Page { page }: Page) -> Result<ToolOutput, ToolError> {
        if !page.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
            return Err(ToolError::refused(format!(
                "`{page}` is no name of a page; pages are named like `from-langgraph`"
            )));
        }
        let file = self.folder.join(format!("{page}.md"));
        let text =
            std::fs::read_to_string(file).map_err(|_| ToolError::refused(format!("there is no page `{page}`")))?;
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
        Ok(ToolOutput::new(headings.join("\n")).with_data(json!({ "count": headings.len() })))
    }
}

/// What nodes use but no checkpoint holds.
struct Resources {
    model: Arc<dyn ChatModel>,
    tools: ToolRegistry,
    prompts: Prompts,
}

const ANSWER: Node = Node::named("answer");

/// Each turn of the conversation is a durable step of the node: after a crash no turn is asked for again.
async fn answer(talk: Snapshot<Talk>, cx: Context<Resources>) -> Result<TalkUpdate, NodeError> {
    let resources = cx.resources();
    let asked = vec![Message::user(talk.question.clone())];
    let transcript =
        converse(Conversation::new(&*resources.model, &resources.tools, &resources.prompts, asked), &cx).await?;
    Ok(Talk::update().transcript(transcript))
}

/// A scripted model in the place of a real one: it asks for a page that is not there, then for one that is, and answers.
fn model() -> Scripted {
    let call = |page: &str| ToolCall { id: page.into(), name: "headings".into(), arguments: json!({ "page": page }) };
    Scripted::from_fn(move |request| {
        let results = request.messages.iter().filter(|message| message.role == Role::Tool);
        Ok(match results.count() {
            0 => Reply::tools([call("concept")]),
            1 => Reply::tools([call("concepts")]),
            _ => Reply::text("The concepts are graphs, super-steps, threads and simulation."),
        })
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut tools = ToolRegistry::new(Risk::Read);
    tools.register(typed(Headings { folder: concat!(env!("CARGO_MANIFEST_DIR"), "/../docs").into() }))?;
    let resources = Resources { model: Arc::new(model()), tools, prompts: Prompts::new(&[])? };

    let mut graph = StateGraph::<Talk, Resources>::new("talk");
    graph.add_node(ANSWER, answer);
    graph.add_edge(START, ANSWER);
    let app = graph.compile()?.with_context(resources);
    let talk = app.run_once(Talk::update().question("Which concepts are there?")).await?.done()?;

    let transcript = talk.transcript.as_ref().ok_or("the node wrote a transcript")?;
    for call in &transcript.calls {
        println!("turn {}: {} {}", call.turn, call.outcome.tool, call.outcome.arguments);
        println!("{}", call.outcome.content());
    }
    println!("answer: {}", transcript.answer.as_deref().unwrap_or_default());
    // A failed call is an observation for the model, not the end of the run.
    let worked: Vec<bool> = transcript.calls.iter().map(|call| call.outcome.is_success()).collect();
    assert_eq!(worked, [false, true]);
    Ok(())
}
