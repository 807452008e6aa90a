//! Map and reduce: a task for each page of the documentation, and a node that waits for all of them.
//!
//! `cargo run -p graphloom-examples --example map_reduce`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::collections::BTreeMap;
use std::error::Error;

use graphloom_core_graph::{Node, NodeError, Retry, RunPolicy, START, Snapshot, State, StateGraph, Table, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Count {
    folder: String,
    pages: Vec<String>,
    /// Words by page and then by how often they are there. Every task merges its own page.
    #[state(merge)]
    words: Table<String, BTreeMap<String, usize>>,
    most: Vec<(String, usize)>,
}

const LIST: Node = Node::named("list");
const READ: Task<String> = Task::named("read");
const SUM: Node = Node::named("sum");

async fn list(count: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(&count.folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            pages.push(name);
        }
    }
    pages.sort();
    Ok(Count::update().pages(pages))
}

/// A task node has an input of its own beside the state.
async fn read(page: String, count: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
    let text = std::fs::read_to_string(format!("{}/{page}", count.folder))?;
    let mut words = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 6) {
        *words.entry(word.to_lowercase()).or_default() += 1;
    }
    Ok(Count::update().words([(page, words)]))
}

/// Runs once, when every task that `list` sent has ended.
async fn sum(count: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    for (word, times) in count.words.values().flatten() {
        *all.entry(word).or_default() += times;
    }
    let mut most: Vec<(String, usize)> = all.into_iter().map(|(word, times)| (word.to_owned(), times)).collect();
    most.sort_by(|(a, m), (b, n)| n.cmp(m).then(a.cmp(b)));
    most.truncate(5);
    Ok(Count::update().most(most))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut graph = StateGraph::<Count>::new("count");
    graph.add_node(LIST, list);
    graph.add_task(READ, read).retry(Retry::immediate(2));
    graph.add_node(SUM, sum);
    graph.add_edge(START, LIST);
    // The key of a send names its result; a second send of the same key does nothing while the first is under way.
    graph.add_sends(LIST, READ, |count: &Count| count.pages.iter().map(|page| READ.send(page, page.clone())).collect());
    graph.add_join(READ, SUM);

    let app = graph.compile()?;
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let policy = RunPolicy::default().max_concurrency(4);
    let count = app.run_once_with(Count::update().folder(docs), policy).await?.done()?;
    println!("{} pages", count.words.len());
    for (word, times) in &count.most {
        println!("{times} times {word}");
    }
    assert_eq!(count.words.len(), count.pages.len());
    assert_eq!(count.most.len(), 5);
    Ok(())
}
