//! What is run: steps one after the other, and a step as wide as is asked for, whose tasks wait and do not compute.

use std::time::Duration;

use graphloom_core_graph::{CompileErrors, Compiled, END, Node, NodeError, START, Snapshot, State, StateGraph, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Work {
    /// How many steps there are, or how wide the step is.
    pub(crate) size: u64,
    /// How long a task waits, in milliseconds.
    pub(crate) pause: u64,
    #[state(add)]
    pub(crate) done: u64,
}

const STEP: Node = Node::named("step");
const PLAN: Node = Node::named("plan");
const PART: Task<u64> = Task::named("part");

/// A node that follows itself.
pub(crate) fn steps() -> Result<Compiled<Work>, CompileErrors> {
    let mut graph = StateGraph::<Work>::new("steps");
    graph.add_node(STEP, |_: Snapshot<Work>| async { Ok::<_, NodeError>(Work::update().done(1)) });
    graph.add_edge(START, STEP);
    graph.add_conditional_edges(STEP, (STEP, END), |work: &Work| if work.done < work.size { STEP } else { END });
    graph.compile()
}

/// A task for each part, all beside each other.
pub(crate) fn wide() -> Result<Compiled<Work>, CompileErrors> {
    let mut graph = StateGraph::<Work>::new("wide");
    graph.add_node(PLAN, |_: Snapshot<Work>| async { Ok::<_, NodeError>(()) });
    graph.add_task(PART, |_: u64, work: Snapshot<Work>| async move {
        tokio::time::sleep(Duration::from_millis(work.pause)).await;
        Ok::<_, NodeError>(Work::update().done(1))
    });
    graph.add_edge(START, PLAN);
    graph.add_sends(PLAN, PART, |work: &Work| (0..work.size).map(|part| PART.send(part, part)).collect());
    graph.compile()
}
