//! `nested`: a graph inside a graph, over the same keys.

use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, Context, Log, Node, NodeError, START, Snapshot, State, StateGraph,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::answer_text;
use super::required;

/// A text, the nodes that it went through, and whether a person is asked.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Nested {
    pub(crate) text: Option<String>,
    #[state(append)]
    pub(crate) trail: Log<String>,
    pub(crate) ask: Option<bool>,
}

const PREPARE: Node = Node::named("prepare");
const CHILD: Node = Node::named("child");
const WRAP: Node = Node::named("wrap");
const UPPER: Node = Node::named("upper");
const CONFIRM: Node = Node::named("confirm");

async fn prepare(nested: Snapshot<Nested>) -> Result<NestedUpdate, NodeError> {
    let text = required(nested.text.as_ref(), "text")?.trim().to_owned();
    Ok(Nested::update().text(text).trail(["prepare"]))
}

async fn wrap(nested: Snapshot<Nested>) -> Result<NestedUpdate, NodeError> {
    Ok(Nested::update().text(format!("<{}>", required(nested.text.as_ref(), "text")?)).trail(["wrap"]))
}

async fn upper(nested: Snapshot<Nested>) -> Result<NestedUpdate, NodeError> {
    let text = required(nested.text.as_ref(), "text")?.to_uppercase();
    Ok(Nested::update().text(text).trail(["child.upper"]))
}

/// Asks whether the text is right, where it is to ask. The answer is appended to the text.
async fn confirm(nested: Snapshot<Nested>, context: Context) -> Result<NestedUpdate, NodeError> {
    let mut text = required(nested.text.as_ref(), "text")?.clone();
    if nested.ask == Some(true) {
        let answer: Value = context.ask("keep", &json!({ "question": "Keep?", "text": text })).await?;
        text.push_str(&answer_text(&answer));
    }
    Ok(Nested::update().text(text).trail(["child.confirm"]))
}

fn child() -> Result<Compiled<Nested>, CompileErrors> {
    let mut graph = StateGraph::new("child");
    graph.add_node(UPPER, upper);
    graph.add_node(CONFIRM, confirm).asks::<Value>("keep");
    graph.add_edge(START, UPPER).add_edge(UPPER, CONFIRM);
    graph.compile()
}

/// The child begins with the text and without the trail, so that what it gives back is its own.
fn enter(nested: &Nested) -> NestedUpdate {
    Nested::update().text(nested.text.clone()).ask(nested.ask.unwrap_or(false))
}

fn leave(child: ChildOutcome<Nested>) -> Result<NestedUpdate, NodeError> {
    let child = child.done()?;
    Ok(Nested::update().text(child.text.clone()).trail(child.trail.iter().cloned()))
}

pub(crate) fn graph() -> Result<Compiled<Nested>, CompileErrors> {
    let mut graph = StateGraph::new("nested");
    graph.add_node(PREPARE, prepare);
    graph.add_subgraph(CHILD, child()?, enter, leave);
    graph.add_node(WRAP, wrap);
    graph.add_edge(START, PREPARE).add_edge(PREPARE, CHILD).add_edge(CHILD, WRAP);
    graph.compile()
}
