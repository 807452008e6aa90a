//! The collector as a graph: one for each step of a plan.
//!
//! ```text
//! start ─► collector_query_generation ─► collector_info_retrieval ─► collector_supervisor ─► collector_summary ─► collector_end
//!                                                  ▲                         │
//!                                                  └── not enough was found ─┘
//! ```
//! The original also has a programmer, which answers "not available" to everything. It is left out.

use graphloom_core_graph::{CompileErrors, Compiled, END, GraphOptions, Node, START, StateGraph};

use super::{CollectorState, nodes};
use crate::names::{COLLECTOR_END, COLLECTOR_START, INFO_RETRIEVAL, QUERY_GENERATION, SUMMARY, SUPERVISOR};
use crate::resources::Resources;

/// The graph that carries out one step: its input is a [`CollectRequest`](super::CollectRequest).
pub fn graph() -> Compiled<CollectorState, Resources> {
    graph_with(GraphOptions::new()).expect("the graph of a step compiles")
}

/// The same graph with other functions in its nodes or other limits.
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn graph_with(
    options: GraphOptions<CollectorState, Resources>,
) -> Result<Compiled<CollectorState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<CollectorState, Resources>::new("collector");
    graph.add_node(COLLECTOR_START, nodes::start);
    graph.add_node(QUERY_GENERATION, nodes::query_generation);
    graph.add_node(INFO_RETRIEVAL, nodes::info_retrieval);
    graph.add_node(SUPERVISOR, nodes::supervisor);
    graph.add_node(SUMMARY, nodes::summary);
    graph.add_node(COLLECTOR_END, nodes::end);

    graph.add_edge(START, COLLECTOR_START);
    graph.add_edge(COLLECTOR_START, QUERY_GENERATION);
    graph.add_edge(QUERY_GENERATION, INFO_RETRIEVAL);
    graph.add_edge(INFO_RETRIEVAL, SUPERVISOR);
    graph.add_conditional_edges(SUPERVISOR, (INFO_RETRIEVAL, SUMMARY), after_supervisor);
    graph.add_edge(SUMMARY, COLLECTOR_END);
    graph.add_edge(COLLECTOR_END, END);
    graph.options(options);
    graph.compile()
}

fn after_supervisor(state: &CollectorState) -> Node {
    let rounds_left = state.research_loop_count < state.request.limits.max_research_loops;
    if !state.is_sufficient && rounds_left && !state.search_queries.is_empty() { INFO_RETRIEVAL } else { SUMMARY }
}
