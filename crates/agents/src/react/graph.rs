//! The agent as a graph.

use graphloom_core_graph::{CompileErrors, Compiled, END, GraphOptions, Node, START, StateGraph, Task};

use super::{ReactResources, ReactState, ToolTask, nodes};
use crate::Decision;

/// The name of the graph.
pub const NAME: &str = "react";
/// The model is asked.
pub const MODEL: Node = Node::named("model");
/// The beginning of a long conversation is summarised.
pub const COMPACT: Node = Node::named("compact");
/// The next calls of a turn are sent.
pub const DISPATCH: Node = Node::named("dispatch");
/// A call is made.
pub const TOOL: Task<ToolTask> = Task::named("tool");
/// The question whether a call may be made.
pub const APPROVAL: &str = "approval";

/// The event that tells of a summary: a [`Compaction`](crate::Compaction).
pub const COMPACTED: &str = "compacted";

/// How many calls are made at a time unless [`GraphOptions::concurrency`] says otherwise.
pub(crate) const PARALLEL: usize = 4;
/// The class of calls.
pub(crate) const CALLS: &str = "calls";

/// The agent as a graph.
pub fn graph() -> Compiled<ReactState, ReactResources> {
    graph_with(GraphOptions::new()).expect("the graph of the agent compiles")
}

/// The agent as a graph, with other functions in its nodes or other limits. Model, tools and limits of a conversation are
/// in [`ReactResources`].
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn graph_with(
    options: GraphOptions<ReactState, ReactResources>,
) -> Result<Compiled<ReactState, ReactResources>, CompileErrors> {
    let mut graph = StateGraph::<ReactState, ReactResources>::new(NAME);
    graph.add_node(MODEL, nodes::model).may_goto((MODEL, COMPACT, DISPATCH, END));
    graph.add_node(COMPACT, nodes::compact);
    graph.add_node(DISPATCH, nodes::dispatch).may_send(TOOL).may_goto((MODEL, END));
    graph.add_task(TOOL, nodes::tool).asks::<Decision>(APPROVAL).class(CALLS);
    graph.add_edge(START, MODEL).add_edge(COMPACT, MODEL).add_edge(TOOL, DISPATCH);
    graph.limit(CALLS, PARALLEL);
    graph.options(options);
    graph.compile()
}
