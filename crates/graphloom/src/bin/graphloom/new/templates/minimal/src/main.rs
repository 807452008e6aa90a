//! `cargo run -- "A text, of several clauses"` shortens a text and draws the graph that does it.

use std::error::Error;

use new_crate::{Summary, graph};

const TEXT: &str = "A graph is nodes over a typed state, each super-step of it is a checkpoint, \
                    and a run that was killed goes on from its last commit";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let text = std::env::args().nth(1).unwrap_or_else(|| TEXT.to_owned());
    let graph = graph()?;
    println!("{}", graph.diagram().mermaid());

    let summary = graph.run_once(Summary::update().text(text)).await?.done()?;
    for step in &summary.done {
        println!("{step}");
    }
    println!("{}", summary.text);
    Ok(())
}
