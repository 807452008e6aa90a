//! A text that is shortened until it is short enough: a state, two nodes, and an edge that depends on the state.

use graphloom::graph::{
    CompileErrors, Compiled, END, Log, Node, NodeError, START, Snapshot, State, StateGraph,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most words that a summary may have.
pub const LIMIT: usize = 12;

/// What the graph works on.
///
/// Each field says how writes of it come together: a plain field is replaced, a `Log` grows.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[state(crate = graphloom::graph)]
pub struct Summary {
    pub text: String,
    pub words: usize,
    #[state(append)]
    pub done: Log<String>,
}

const COUNT: Node = Node::named("count");
const SHORTEN: Node = Node::named("shorten");

/// A node sees a snapshot of the state and returns an update of it.
async fn count(summary: Snapshot<Summary>) -> Result<SummaryUpdate, NodeError> {
    let words = summary.text.split_whitespace().count();
    Ok(Summary::update()
        .words(words)
        .done([format!("counted {words} words")]))
}

/// Drops the last clause, or half of the words where there is only one clause.
async fn shorten(summary: Snapshot<Summary>) -> Result<SummaryUpdate, NodeError> {
    let shorter = match summary.text.rfind([',', ';']) {
        Some(end) => format!("{}.", &summary.text[..end]),
        None => {
            let half = summary.text.split_whitespace().take(summary.words / 2);
            half.collect::<Vec<_>>().join(" ")
        }
    };
    Ok(Summary::update()
        .text(shorter)
        .done(["shortened".to_owned()]))
}

/// The graph: nodes, then edges. Mistakes such as a target that is not there are named when it is compiled.
pub fn graph() -> Result<Compiled<Summary>, CompileErrors> {
    let mut graph = StateGraph::<Summary>::new("summary");
    graph.add_node(COUNT, count);
    graph.add_node(SHORTEN, shorten);
    graph.add_edge(START, COUNT).add_edge(SHORTEN, COUNT);
    graph.add_conditional_edges(COUNT, (SHORTEN, END), |summary: &Summary| {
        if summary.words > LIMIT { SHORTEN } else { END }
    });
    graph.compile()
}
