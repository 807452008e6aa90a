//! What is appended is stored about once, and is read by few records.

use graphloom_core_graph::checkpoint::{FieldRecord, MemoryCheckpointer};
use graphloom_core_graph::{END, Node, NodeError, START, Snapshot, StateGraph, Step};

use crate::log::{Build, Work, done, noted};

const GO: Node = Node::named("go");

/// The records of the notes after so many of so many letters were appended, one in each super-step.
async fn records(notes: usize, letters: usize) -> (usize, Vec<FieldRecord>) {
    let mut graph = StateGraph::<Work>::new("g");
    graph
        .add_node(GO, move |work: Snapshot<Work>| async move {
            let go_on = if work.notes.len() + 1 == notes { Step::goto(END) } else { Step::goto(GO) };
            Ok::<_, NodeError>(go_on.with(noted("x".repeat(letters))))
        })
        .may_goto((GO, END));
    graph.add_edge(START, GO);
    let threads = graph.built().with_context(()).with_checkpointer(MemoryCheckpointer::new());
    let thread = threads.thread("t");
    let work = done(thread.run(Work::update()).await);
    assert_eq!(*thread.state().await.expect("it reads").state, *work);
    let outline = threads.checkpointer().outline("t", "").await.expect("it reads");
    let stored = outline.iter().filter(|record| &*record.field == "notes").map(|record| record.bytes as usize).sum();
    let head = threads.checkpointer().checkpoint("t", "", None).await.expect("it reads").expect("it reads");
    let version = head.fields.of("notes").expect("it reads");
    (stored, threads.checkpointer().field("t", "", "notes", version).await.expect("it reads"))
}

#[tokio::test]
async fn long_entries_are_never_written_again() {
    for letters in [200, 1000] {
        let (stored, chain) = records(100, letters).await;
        assert!(stored * 10 < 100 * letters * 11, "{stored} bytes");
        assert_eq!(chain.len(), 100);
    }
}

#[tokio::test]
async fn short_entries_cost_no_more_than_their_records() {
    for (notes, letters) in [(100, 1), (1000, 1), (500, 20)] {
        let (stored, chain) = records(notes, letters).await;
        assert!(stored <= notes * (letters + 8 + 64), "{stored} bytes of {notes} entries");
        let value: usize = chain.iter().map(|record| record.payload.bytes().len()).sum();
        assert!(chain.len() <= 17.max(value / 64 + 2), "{} records of {value} bytes", chain.len());
    }
}
