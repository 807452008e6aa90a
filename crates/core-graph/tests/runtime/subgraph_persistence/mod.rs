//! What is kept of a subgraph: per call, per thread, or nothing; one level down.

mod branches;
mod calls;
mod failing;
mod stateless;
mod waiting;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, Cut, HistoryFilter, MemoryCheckpointer, Pruning, Retention, delete_runs,
    fork_thread, runs,
};
use graphloom_core_graph::{
    ChildOutcome, Compiled, Context, Durability, Failure, Mode, Node, NodeError, Outcome, Persistence, Retry, RunError,
    RunPolicy, START, Snapshot, StateGraph, Task, Thread, Threads,
};
use proptest::prelude::*;

use crate::log::{
    Build, Calls, Gate, Memory, MemoryUpdate, Noted, Work, WorkUpdate, done, failed, note, noted, threads,
};

const COUNT: Node = Node::named("count");
const SAY: Node = Node::named("say");
const CHILD: Node = Node::named("child");
const TWIN: Node = Node::named("twin");
const LAST: Node = Node::named("last");
const PART: Task<String> = Task::named("part");

const MODES: [Persistence; 3] = [Persistence::PerCall, Persistence::PerThread, Persistence::Stateless];

/// Counts one up, then says the number it has come to.
fn counter() -> Compiled<Memory> {
    counter_that(|memory: Snapshot<Memory>, _: Context| async move { said(&memory) })
}

fn said(memory: &Memory) -> Result<MemoryUpdate, NodeError> {
    Ok(Memory::update().lines([format!("{}{}", memory.topic, memory.n)]))
}

/// The same, with another second node.
fn counter_that<F, Fut>(say: F) -> Compiled<Memory>
where
    F: Fn(Snapshot<Memory>, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<MemoryUpdate, NodeError>> + Send + 'static,
{
    let mut graph = StateGraph::<Memory>::new("counter");
    graph.add_node(COUNT, |_: Snapshot<Memory>| async { Ok::<_, NodeError>(Memory::update().n(1)) });
    graph.add_node(SAY, say).asks::<String>("word");
    graph.add_edge(START, COUNT).add_edge(COUNT, SAY);
    graph.built()
}

/// The same without a question.
fn quiet() -> Compiled<Memory> {
    let mut graph = StateGraph::<Memory>::new("counter");
    graph.add_node(COUNT, |_: Snapshot<Memory>| async { Ok::<_, NodeError>(Memory::update().n(1)) });
    graph.add_node(SAY, |memory: Snapshot<Memory>| async move { said(&memory) });
    graph.add_edge(START, COUNT).add_edge(COUNT, SAY);
    graph.built()
}

/// Asks for a word once it has counted to `from`.
fn asking(from: u64) -> Compiled<Memory> {
    counter_that(move |memory: Snapshot<Memory>, cx: Context| async move {
        if memory.n < from {
            return said(&memory);
        }
        let word: String = cx.ask("word", &memory.n).await?;
        Ok(Memory::update().lines([word]))
    })
}

fn topic(work: &Work) -> MemoryUpdate {
    Memory::update().topic(work.last.clone())
}

/// All that the child has said.
fn out(child: ChildOutcome<Memory>) -> Noted {
    Ok(noted(child.done()?.said()))
}

fn parent(child: Compiled<Memory>, persistence: Persistence) -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("work");
    graph.add_subgraph(CHILD, child, topic, out).persistence(persistence);
    graph.add_edge(START, CHILD);
    graph
}

fn stored(graph: StateGraph<Work>) -> (Thread<Work>, Arc<dyn Checkpointer>) {
    let threads: Threads<Work> = threads(graph);
    (threads.thread("t"), Arc::clone(threads.checkpointer()))
}

async fn turn(thread: &Thread<Work>) -> String {
    done(thread.run(Work::update()).await).story()
}
