//! A node that asks a person. The question waits in a file, and another process answers it.
//!
//! `cargo run -p graphloom-examples --example ask_a_person`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::path::Path;

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::{Context, END, Node, NodeError, Outcome, START, Snapshot, State, StateGraph, Step, Threads};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Letter {
    to: String,
    text: String,
    sent: bool,
}

/// What the person may answer. An answer of any other form is refused before anything runs.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
enum Verdict {
    Send,
    Change { to: String },
}

const WRITE: Node = Node::named("write");
const REVIEW: Node = Node::named("review");
const SEND: Node = Node::named("send");

async fn write(letter: Snapshot<Letter>) -> Result<LetterUpdate, NodeError> {
    Ok(Letter::update().text(format!("Dear {}, the release is ready.", letter.to)))
}

/// Without an answer `ask` ends the node here. With one the node runs again from its beginning.
async fn review(letter: Snapshot<Letter>, cx: Context) -> Result<Step<Letter>, NodeError> {
    match cx.ask("verdict", &letter.text).await? {
        Verdict::Send => Ok(Step::goto(SEND)),
        Verdict::Change { to } => Ok(Step::goto(WRITE).with(Letter::update().to(to))),
    }
}

async fn send(_: Snapshot<Letter>) -> Result<LetterUpdate, NodeError> {
    Ok(Letter::update().sent(true))
}

/// What a process does when it starts: it makes the graph and opens the file.
fn open(file: &Path) -> Result<Threads<Letter, ()>, Box<dyn Error>> {
    let mut graph = StateGraph::<Letter>::new("letter");
    graph.add_node(WRITE, write);
    graph.add_node(REVIEW, review).asks::<Verdict>("verdict").may_goto((WRITE, SEND));
    graph.add_node(SEND, send);
    graph.add_edge(START, WRITE).add_edge(WRITE, REVIEW).add_edge(SEND, END);
    Ok(graph.compile()?.with_checkpointer(SqliteCheckpointer::open(file)?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let file = place.path().join("letters.db");

    // The first process ends with a question.
    let first = open(&file)?;
    let outcome = first.thread("release").run(Letter::update().to("all")).await?;
    let Outcome::Waiting(questions) = outcome else { return Err("the review asks".into()) };
    for question in questions.iter() {
        println!("`{}` is asked about {}", question.key, question.payload);
    }
    assert!(questions.answer("verdict", "whatever").is_err(), "this is no verdict");
    drop(first);

    // The second one finds the thread where it stood, and is asked again about the changed letter.
    let second = open(&file)?;
    let thread = second.thread("release");
    let outcome = thread.resume(questions.answer("verdict", Verdict::Change { to: "everybody".into() })?).await?;
    let Outcome::Waiting(questions) = outcome else { return Err("the review asks about the new letter".into()) };
    let letter = thread.resume(questions.answer("verdict", Verdict::Send)?).await?.done()?;
    println!("sent: {}", letter.text);
    assert!(letter.sent);
    assert_eq!(letter.text, "Dear everybody, the release is ready.");
    Ok(())
}
