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

use graphloom_core_graph::{CompileErrors, Compiled, END, START, StateGraph};

pub use crate::names::DEPENDENCY_INFO_COLLECTOR;
use crate::names::{PLAN_REASONING, SECTION_END_NODE, SECTION_START, SUB_REPORTER, SUB_SOURCE_TRACER};
use crate::resources::Resources;
use crate::section::{
    SectionState, collect, collected, end, plan_reasoning, reasoning_end, start, sub_reporter, sub_source_tracer,
    untraced,
};
use crate::steps;

/// The graph that researches a section.
///
/// # Errors
/// None: the graph does not depend on anything at run time.
pub fn reasoning() -> Result<Compiled<SectionState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<SectionState, Resources>::new("dependency_reasoning");
    graph.add_node(SECTION_START, start);
    graph.add_node(PLAN_REASONING, plan_reasoning).may_goto((DEPENDENCY_INFO_COLLECTOR, SECTION_END_NODE));
    graph.add_subgraph(DEPENDENCY_INFO_COLLECTOR, steps::graph()?, collect, collected);
    graph.add_node(SECTION_END_NODE, reasoning_end);

    graph.add_edge(START, SECTION_START);
    graph.add_edge(SECTION_START, PLAN_REASONING);
    graph.add_edge(DEPENDENCY_INFO_COLLECTOR, PLAN_REASONING);
    graph.add_edge(SECTION_END_NODE, END);
    graph.compile()
}

/// The graph that writes a section.
///
/// # Errors
/// None: the graph does not depend on anything at run time.
pub fn writing() -> Result<Compiled<SectionState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<SectionState, Resources>::new("dependency_writing");
    graph.add_node(SECTION_START, start);
    graph.add_node(SUB_REPORTER, sub_reporter).may_goto(SECTION_END_NODE);
    graph.add_node(SUB_SOURCE_TRACER, sub_source_tracer).may_goto(SECTION_END_NODE);
    graph.add_error_handler(SUB_SOURCE_TRACER, untraced);
    graph.add_node(SECTION_END_NODE, end);

    graph.add_edge(START, SECTION_START);
    graph.add_edge(SECTION_START, SUB_REPORTER);
    graph.add_edge(SUB_REPORTER, SUB_SOURCE_TRACER);
    graph.add_edge(SUB_SOURCE_TRACER, SECTION_END_NODE);
    graph.add_edge(SECTION_END_NODE, END);
    graph.compile()
}
