//! A letter that a person has to approve before it is sent.

use graphloom::graph::{
    CompileErrors, Compiled, Context, END, Node, NodeError, START, Snapshot, State, StateGraph,
    Step,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the graph works on.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[state(crate = graphloom::graph)]
pub struct Letter {
    pub to: String,
    pub text: String,
    pub sent: bool,
}

/// What the person may answer. An answer of any other form is refused before anything runs.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub enum Verdict {
    Send,
    Change { to: String },
}

/// The key of the question.
pub const VERDICT: &str = "verdict";

const WRITE: Node = Node::named("write");
const REVIEW: Node = Node::named("review");
const SEND: Node = Node::named("send");

async fn write(letter: Snapshot<Letter>) -> Result<LetterUpdate, NodeError> {
    Ok(Letter::update().text(format!("Dear {}, the release is ready.", letter.to)))
}

/// Without an answer `ask` ends the node here; with one the node runs again from its beginning.
async fn review(letter: Snapshot<Letter>, cx: Context) -> Result<Step<Letter>, NodeError> {
    match cx.ask(VERDICT, &letter.text).await? {
        Verdict::Send => Ok(Step::goto(SEND)),
        Verdict::Change { to } => Ok(Step::goto(WRITE).with(Letter::update().to(to))),
    }
}

async fn send(_: Snapshot<Letter>) -> Result<LetterUpdate, NodeError> {
    Ok(Letter::update().sent(true))
}

/// The graph: nodes, then edges.
pub fn graph() -> Result<Compiled<Letter>, CompileErrors> {
    let mut graph = StateGraph::<Letter>::new("letter");
    graph.add_node(WRITE, write);
    graph
        .add_node(REVIEW, review)
        .asks::<Verdict>(VERDICT)
        .may_goto((WRITE, SEND));
    graph.add_node(SEND, send);
    graph
        .add_edge(START, WRITE)
        .add_edge(WRITE, REVIEW)
        .add_edge(SEND, END);
    graph.compile()
}
