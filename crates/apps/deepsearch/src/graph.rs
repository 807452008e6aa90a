//! The main graphs, with the node names of the specification.
//!
//! ```text
//! start ─► entry ─► [generate_questions ─► feedback_handler] ─► outline ─► [outline_interaction ─► outline]*
//!   ─► editor_team ─► reporter ─► vlm_chart_generator ─► source_tracer ─► source_tracer_infer
//!   ─► user_feedback_processor ↺ ─► end            every node up to the reporter may also go to end
//! ```
//! The dependency-driven graph has `dependency_editor_team` in place of `editor_team`.

use graphloom_core_graph::{CompileErrors, Compiled, END, Node, START, StateGraph};

use crate::nodes;
use crate::resources::Resources;
use crate::state::SearchContext;

/// The name of the graph whose sections are worked on at the same time.
pub const PARALLEL: &str = "deepsearch";
/// The name of the graph whose sections build on one another.
pub const DEPENDENCY: &str = "deepsearch_dependency";

/// Ends the run.
pub const FINISH: Node = Node::named("end");

/// The main graph.
///
/// # Errors
/// None: the graph does not depend on anything at run time.
pub fn graph() -> Result<Compiled<SearchContext, Resources>, CompileErrors> {
    let mut graph = StateGraph::<SearchContext, Resources>::new(PARALLEL);
    graph.add_node(FINISH, nodes::end);
    graph.add_edge(START, FINISH).add_edge(FINISH, END);
    graph.compile()
}
