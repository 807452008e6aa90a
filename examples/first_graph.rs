//! A first graph: a state, three nodes, an edge that depends on the state, and a drawing of it.
//!
//! `cargo run -p graphloom-examples --example first_graph`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;

use graphloom_core_graph::{END, Log, Node, NodeError, START, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Each field says how writes of it come together: plain fields are replaced, a `Log` grows.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Summary {
    text: String,
    words: usize,
    #[state(append)]
    done: Log<String>,
}

const READ: Node = Node::named("read");
const COUNT: Node = Node::named("count");
const SHORTEN: Node = Node::named("shorten");

/// The most words that a summary may have.
const LIMIT: usize = 30;

async fn read(_: Snapshot<Summary>) -> Result<SummaryUpdate, NodeError> {
    let page = include_str!("../docs/concepts.md");
    let first = page.split("\n\n").nth(1).unwrap_or_default();
    Ok(Summary::update().text(first.replace('\n', " ")).done(["read docs/concepts.md".to_owned()]))
}

async fn count(summary: Snapshot<Summary>) -> Result<SummaryUpdate, NodeError> {
    Ok(Summary::update().words(summary.text.split_whitespace().count()))
}

/// Drops the last clause, or half of the words where there is only one clause.
async fn shorten(summary: Snapshot<Summary>) -> Result<SummaryUpdate, NodeError> {
    let shorter = match summary.text.rfind([',', ';']) {
        Some(end) => format!("{}.", &summary.text[..end]),
        None => summary.text.split_whitespace().take(summary.words / 2).collect::<Vec<_>>().join(" "),
    };
    Ok(Summary::update().text(shorter).done([format!("shortened a text of {} words", summary.words)]))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut graph = StateGraph::<Summary>::new("summary");
    graph.add_node(READ, read);
    graph.add_node(COUNT, count);
    graph.add_node(SHORTEN, shorten);
    graph.add_edge(START, READ).add_edge(READ, COUNT).add_edge(SHORTEN, COUNT);
    graph.add_conditional_edges(
        COUNT,
        (SHORTEN, END),
        |summary: &Summary| {
            if summary.words > LIMIT { SHORTEN } else { END }
        },
    );
    // What can be proven of a graph is proven here: unknown targets, nodes that nothing reaches, joins that never fill.
    let graph = graph.compile()?;
    println!("{}", graph.diagram().mermaid());

    let summary = graph.run_once(Summary::update()).await?.done()?;
    for step in &summary.done {
        println!("{step}");
    }
    println!("{} words: {}", summary.words, summary.text);
    assert!(summary.words <= LIMIT);
    Ok(())
}
