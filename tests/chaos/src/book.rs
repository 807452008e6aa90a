//! What is run: a fan-out with durable steps, a subgraph, and a question.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graphloom_core_graph::{
    ChildOutcome, Compiled, Context, Log, Node, NodeError, Retry, START, Snapshot, State, StateGraph, Task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::notes::Notes;

const PLAN: Node = Node::named("plan");
const PART: Task<u64> = Task::named("part");
const PROOF: Node = Node::named("proof");
const SEAL: Node = Node::named("seal");
const SIGN: Node = Node::named("sign");
const TITLE: Node = Node::named("title");

/// Parts of each book.
pub(crate) const PARTS: u64 = 4;
/// Durable steps of each book.
pub(crate) const STEPS: u64 = PARTS + 1;
/// The key of the question.
pub(crate) const QUESTION: &str = "title";

/// The state of a thread.
#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Book {
    /// How many parts it has.
    pub parts: u64,
    /// What was written.
    #[state(append)]
    pub lines: Log<String>,
}

#[derive(State, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Proof {
    #[state(append)]
    lines: Log<String>,
}

/// A durable step that notes when it is executed, and then whether that execution's result is kept or that of one before is known.
async fn step(cx: &Context<Arc<Notes>>, name: &str) -> Result<String, NodeError> {
    let (thread, is_executed) = (cx.task().thread.to_string(), AtomicBool::new(false));
    let result = cx
        .once("draft", async {
            is_executed.store(true, Ordering::SeqCst);
            cx.resources().note("draft", &thread, name);
            Ok(name.to_owned())
        })
        .await?;
    cx.resources().note(if is_executed.into_inner() { "kept" } else { "known" }, &thread, name);
    Ok(result)
}

/// The graph: a plan, its parts beside each other, a proof by a graph inside, and a title that is asked for.
///
/// # Panics
/// Never, as the graph is right.
pub fn graph() -> Compiled<Book, Arc<Notes>> {
    let mut graph = StateGraph::<Book, Arc<Notes>>::new("book");
    graph.add_node(PLAN, |_: Snapshot<Book>| async { Ok::<_, NodeError>(Book::update().lines(["plan".to_owned()])) });
    graph
        .add_task(PART, |part: u64, _: Snapshot<Book>, cx: Context<Arc<Notes>>| async move {
            let line = step(&cx, &format!("part {part}")).await?;
            cx.emit("drafted", part).await;
            tokio::time::sleep(cx.resources().pause).await;
            Ok::<_, NodeError>(Book::update().lines([line]))
        })
        .retry(Retry::exponential(3));
    graph.add_subgraph(
        PROOF,
        proof(),
        |_: &Book| Proof::update(),
        |child: ChildOutcome<Proof>| {
            Ok::<_, NodeError>(Book::update().lines(child.done()?.lines.iter().cloned().collect::<Vec<_>>()))
        },
    );
    graph
        .add_node(TITLE, |book: Snapshot<Book>, cx: Context<Arc<Notes>>| async move {
            let title = cx.ask::<String>(QUESTION, &book.lines.len()).await?;
            Ok::<_, NodeError>(Book::update().lines([title]))
        })
        .asks::<String>(QUESTION);
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |book: &Book| (0..book.parts).map(|part| PART.send(part, part)).collect());
    graph.add_edge(PART, PROOF).add_edge(PROOF, TITLE);
    graph.compile().expect("the graph is right")
}

fn proof() -> Compiled<Proof, Arc<Notes>> {
    let mut graph = StateGraph::<Proof, Arc<Notes>>::new("proof");
    graph.add_node(SEAL, |_: Snapshot<Proof>, cx: Context<Arc<Notes>>| async move {
        let line = step(&cx, "seal").await?;
        Ok::<_, NodeError>(Proof::update().lines([line]))
    });
    graph.add_node(SIGN, |_: Snapshot<Proof>| async { Ok::<_, NodeError>(Proof::update().lines(["sign".to_owned()])) });
    graph.add_edge(START, SEAL).add_edge(SEAL, SIGN);
    graph.compile().expect("the graph inside is right")
}

/// What a thread is answered.
pub(crate) fn title(name: &str) -> String {
    format!("On {name}")
}

/// What a finished book has.
pub(crate) fn finished(name: &str) -> Vec<String> {
    let parts = (0..PARTS).map(|part| format!("part {part}"));
    let last = ["seal".to_owned(), "sign".to_owned(), title(name)];
    std::iter::once("plan".to_owned()).chain(parts).chain(last).collect()
}
