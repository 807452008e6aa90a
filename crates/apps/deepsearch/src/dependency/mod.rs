//! The two graphs of a section in the dependency-driven team: research now, writing when the sections that it builds on
//! are written. Nodes and state are those of [`crate::section`].
//!
//! ```text
//! reasoning: start ─► plan_reasoning ⇄ dependency_info_collector
//!                            └─► end
//! writing:   start ─► sub_reporter ─► sub_source_tracer ─► end
//! ```
//! The planner sees the steps of the parent sections, and steps may name them as parents: what they found becomes the
//! background of the step. Writing sees the summaries of the parent sections.

use graphloom_core_graph::{CompileErrors, Compiled, END, GraphOptions, START, StateGraph};

pub use crate::names::DEPENDENCY_INFO_COLLECTOR;
use crate::names::{PLAN_REASONING, SECTION_END_NODE, SECTION_START, SUB_REPORTER};
use crate::resources::Resources;
use crate::section::{SectionState, add_writing, collect, collected, nodes};
use crate::steps;

/// The graph that researches a section.
pub fn reasoning() -> Compiled<SectionState, Resources> {
    reasoning_with(GraphOptions::new()).expect("the graph that researches a section compiles")
}

/// The same graph with other functions in its nodes, another [`DEPENDENCY_INFO_COLLECTOR`] or other limits.
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn reasoning_with(
    options: GraphOptions<SectionState, Resources>,
) -> Result<Compiled<SectionState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<SectionState, Resources>::new("dependency_reasoning");
    graph.add_node(SECTION_START, nodes::start);
    graph.add_node(PLAN_REASONING, nodes::plan_reasoning).may_goto((DEPENDENCY_INFO_COLLECTOR, SECTION_END_NODE));
    graph.add_subgraph(DEPENDENCY_INFO_COLLECTOR, steps::graph(), collect, collected);
    graph.add_node(SECTION_END_NODE, nodes::reasoning_end);

    graph.add_edge(START, SECTION_START);
    graph.add_edge(SECTION_START, PLAN_REASONING);
    graph.add_edge(DEPENDENCY_INFO_COLLECTOR, PLAN_REASONING);
    graph.add_edge(SECTION_END_NODE, END);
    graph.options(options);
    graph.compile()
}

/// The graph that writes a section.
pub fn writing() -> Compiled<SectionState, Resources> {
    writing_with(GraphOptions::new()).expect("the graph that writes a section compiles")
}

/// The same graph with other functions in its nodes or other limits.
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn writing_with(
    options: GraphOptions<SectionState, Resources>,
) -> Result<Compiled<SectionState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<SectionState, Resources>::new("dependency_writing");
    graph.add_node(SECTION_START, nodes::start);
    graph.add_node(SECTION_END_NODE, nodes::end);

    graph.add_edge(START, SECTION_START);
    graph.add_edge(SECTION_START, SUB_REPORTER);
    graph.add_edge(SECTION_END_NODE, END);
    add_writing(&mut graph);
    graph.options(options);
    graph.compile()
}
