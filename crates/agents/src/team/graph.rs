//! The team as a graph.

use graphloom_core_graph::{CompileErrors, Compiled, END, GraphOptions, START, StateGraph, Task};

use super::TeamMember;
use super::report::{begin, report};
use crate::Decision;
use crate::react::{
    APPROVAL, Assignment, CALLS, COMPACT, DISPATCH, MODEL, PARALLEL, ReactResources, ReactState, TOOL, compact,
    dispatch, model, tool,
};

/// The name of the graph.
pub const NAME: &str = "team";

/// The graph of agents whose names a [`Team`](super::Team) has checked.
pub(super) fn graph(members: &[TeamMember]) -> Compiled<ReactState, ReactResources> {
    graph_with(members, GraphOptions::new()).expect("the graph of a checked team compiles")
}

/// The team as a graph, with other functions in its nodes or other limits.
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub(super) fn graph_with(
    members: &[TeamMember],
    options: GraphOptions<ReactState, ReactResources>,
) -> Result<Compiled<ReactState, ReactResources>, CompileErrors> {
    let agents: Vec<Task<Assignment>> = members.iter().map(TeamMember::task).collect();
    let mut graph = StateGraph::<ReactState, ReactResources>::new(NAME);
    graph.add_node(MODEL, model).may_goto((MODEL, COMPACT, DISPATCH, END));
    graph.add_node(COMPACT, compact);
    graph.add_node(DISPATCH, dispatch).may_send(TOOL).may_send(agents).may_goto((MODEL, END));
    graph.add_task(TOOL, tool).asks::<Decision>(APPROVAL).class(CALLS);
    graph.add_edge(START, MODEL).add_edge(COMPACT, MODEL).add_edge(TOOL, DISPATCH);
    for member in members {
        graph.add_subgraph_task(member.task(), member.graph.clone(), begin(&member.instructions), report).class(CALLS);
        graph.add_edge(member.node(), DISPATCH);
    }
    graph.limit(CALLS, PARALLEL);
    graph.options(options);
    graph.compile()
}
