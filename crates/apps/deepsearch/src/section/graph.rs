//! The editor team's graph of a section.
//!
//! ```text
//! start ─► plan_reasoning ⇄ info_collector        sub_reporter ─► sub_source_tracer ─► end
//!                │                                     ▲   └───────────────────────────▲
//!                ├── what was found is enough ─────────┘                               │
//!                └── nothing was found ────────────────────────────────────────────────┘
//! ```

use graphloom_core_graph::{CompileErrors, Compiled, END, GraphOptions, START, StateGraph};

use super::{SectionState, collect, collected, nodes};
use crate::names::{INFO_COLLECTOR, PLAN_REASONING, SECTION_END_NODE, SECTION_START, SUB_REPORTER, SUB_SOURCE_TRACER};
use crate::resources::Resources;
use crate::steps;

/// The graph of a section: its input is a [`SectionBrief`](super::SectionBrief), its result `sub_report`.
pub fn graph() -> Compiled<SectionState, Resources> {
    graph_with(GraphOptions::new()).expect("the graph of a section compiles")
}

/// The same graph with other functions in its nodes, another [`INFO_COLLECTOR`] or other limits.
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn graph_with(
    options: GraphOptions<SectionState, Resources>,
) -> Result<Compiled<SectionState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<SectionState, Resources>::new("section");
    graph.add_node(SECTION_START, nodes::start);
    graph.add_node(PLAN_REASONING, nodes::plan_reasoning).may_goto((INFO_COLLECTOR, SUB_REPORTER, SECTION_END_NODE));
    graph.add_subgraph(INFO_COLLECTOR, steps::graph(), collect, collected);
    graph.add_node(SECTION_END_NODE, nodes::end);

    graph.add_edge(START, SECTION_START);
    graph.add_edge(SECTION_START, PLAN_REASONING);
    graph.add_edge(INFO_COLLECTOR, PLAN_REASONING);
    graph.add_edge(SECTION_END_NODE, END);
    add_writing(&mut graph);
    graph.options(options);
    graph.compile()
}

/// What both graphs that write a section share: the text, then its citations. The section ends after that, also when the
/// citations could not be traced.
pub(crate) fn add_writing(graph: &mut StateGraph<SectionState, Resources>) {
    graph.add_node(SUB_REPORTER, nodes::sub_reporter).may_goto(SECTION_END_NODE);
    graph.add_node(SUB_SOURCE_TRACER, nodes::sub_source_tracer).may_goto(SECTION_END_NODE);
    graph.add_error_handler(SUB_SOURCE_TRACER, nodes::untraced);
    graph.add_edge(SUB_REPORTER, SUB_SOURCE_TRACER);
    graph.add_edge(SUB_SOURCE_TRACER, SECTION_END_NODE);
}
