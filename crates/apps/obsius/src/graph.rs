//! The workflow as a graph: the phases, and between the last work and `complete` a person's review.
//!
//! ```text
//! assess ─┬─ simple ──────────────────────────────────────────────┐
//!         └─ initialize ── analyze ─┬─ search ── execute ─┬─ reflect ─┤
//!                            ▲ │ ▲  └──────────▶ execute  │     │     │
//!                            │ │ └────────────────────────┘     │     ├──▶ complete
//!                            │ └────────────────────────────────┼─────┤
//!                            └──────────────────────────────────┘     │
//!      where notes would change, on the way to complete:   review ── apply, and back where others edited the same lines
//!      from every phase, on a failure:                     error
//! ```
//!
//! The transitions are those of [`phase_table`](crate::phase::phase_table), which every router asks. Review and apply are
//! no phases: while a person is asked, the run stays in the phase whose work is shown, so that a refusal leads back along
//! an arrow of the table (reflect → analyze, execute → analyze) and an approval confirms completion.

use graphloom_agents::Verdict;
use graphloom_core_graph::{CompileErrors, Compiled, END, GraphOptions, Node, START, StateGraph};

use crate::nodes;
use crate::phase::{Phase, next_phase};
use crate::resources::Resources;
use crate::state::WorkflowState;

/// Judges how complex the request is.
pub const ASSESS: Node = Node::named("assess");
/// Answers a simple request by one conversation with tools.
pub const SIMPLE: Node = Node::named("simple");
/// Sets up the state.
pub const INITIALIZE: Node = Node::named("initialize");
/// Decomposes the request.
pub const ANALYZE: Node = Node::named("analyze");
/// Gathers information.
pub const SEARCH: Node = Node::named("search");
/// Carries out actions.
pub const EXECUTE: Node = Node::named("execute");
/// Holds what was done against the success criteria.
pub const REFLECT: Node = Node::named("reflect");
/// Shows the changes to a person.
pub const REVIEW: Node = Node::named("review");
/// Writes the approved changes to the vault.
pub const APPLY: Node = Node::named("apply");
/// Ends the workflow.
pub const COMPLETE: Node = Node::named("complete");
/// Ends the workflow by a failure.
pub const ERROR: Node = Node::named("error");

/// The graph of a run.
pub fn graph() -> Compiled<WorkflowState, Resources> {
    graph_with(GraphOptions::new()).expect("the graph of Obsius compiles")
}

/// The graph of a run, with other functions in its nodes or other limits. A node of one's own is best made by
/// [`visit`](crate::nodes::visit()). Prompts, profile and models are in [`Resources`], limits of a run in its
/// [`Config`](crate::Config).
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn graph_with(
    options: GraphOptions<WorkflowState, Resources>,
) -> Result<Compiled<WorkflowState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<WorkflowState, Resources>::new("obsius");

    graph.add_node(ASSESS, nodes::assess);
    graph.add_node(SIMPLE, nodes::simple);
    graph.add_node(INITIALIZE, nodes::initialize);
    graph.add_node(ANALYZE, nodes::analyze);
    graph.add_node(SEARCH, nodes::search);
    graph.add_node(EXECUTE, nodes::execute);
    graph.add_node(REFLECT, nodes::reflect);
    graph.add_node(REVIEW, nodes::review).asks::<Verdict>("review");
    graph.add_node(APPLY, nodes::apply);
    graph.add_node(COMPLETE, nodes::complete);
    graph.add_node(ERROR, nodes::error);

    graph.add_edge(START, ASSESS);
    graph.add_conditional_edges(ASSESS, (SIMPLE, INITIALIZE, ERROR), next);
    graph.add_conditional_edges(SIMPLE, (COMPLETE, REVIEW, ERROR), next);
    graph.add_conditional_edges(INITIALIZE, (ANALYZE, ERROR), next);
    graph.add_conditional_edges(ANALYZE, (SEARCH, EXECUTE, COMPLETE, REVIEW, ANALYZE, ERROR), next);
    graph.add_conditional_edges(SEARCH, (EXECUTE, ERROR), next);
    graph.add_conditional_edges(EXECUTE, (REFLECT, ANALYZE, COMPLETE, REVIEW, ERROR), next);
    graph.add_conditional_edges(REFLECT, (ANALYZE, COMPLETE, REVIEW, ERROR), next);
    graph.add_conditional_edges(REVIEW, (APPLY, ANALYZE, SIMPLE, COMPLETE), next);
    graph.add_conditional_edges(APPLY, (COMPLETE, REVIEW, ERROR), next);
    graph.add_edge(COMPLETE, END);
    graph.add_edge(ERROR, END);
    graph.options(options);
    graph.compile()
}

/// The node that follows: where the table leads from the phase by its decision, over the review when notes would change.
fn next(state: &WorkflowState) -> Node {
    let phase = state.phases.current();
    let Some(decision) = state.result.as_ref().and_then(|result| result.decision) else { return node_of(phase) };
    match next_phase(phase, decision) {
        Ok(Phase::Complete) if !state.changes.is_empty() && state.applied.is_none() => {
            if state.review.approved {
                APPLY
            } else {
                REVIEW
            }
        }
        Ok(next) => node_of(next),
        // A node cannot decide what its phase does not have; were it to, the error node says so.
        Err(_) => ERROR,
    }
}

fn node_of(phase: Phase) -> Node {
    match phase {
        Phase::Assess => ASSESS,
        Phase::Simple => SIMPLE,
        Phase::Initialize => INITIALIZE,
        Phase::Analyze => ANALYZE,
        Phase::Search => SEARCH,
        Phase::Execute => EXECUTE,
        Phase::Reflect => REFLECT,
        Phase::Complete => COMPLETE,
        Phase::Error => ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graph_has_a_node_for_every_phase_and_an_arrow_for_every_transition() {
        use std::collections::{BTreeMap, BTreeSet};

        use graphloom_state_machine::Symbol;

        use crate::phase::Decision;

        let graph = graph();
        let diagram = graph.diagram();
        let phases: BTreeMap<String, Phase> =
            Phase::ALL.iter().map(|phase| (node_of(*phase).as_str().to_owned(), *phase)).collect();
        for name in phases.keys() {
            assert!(diagram.nodes.iter().any(|node| node.name == *name), "{name}");
        }
        let drawn: BTreeSet<(Phase, Phase)> = diagram
            .edges
            .iter()
            .filter_map(|edge| Some((*phases.get(&edge.from)?, *phases.get(&edge.to)?)))
            // Analysis is repeated when its time ran out, which is no transition.
            .filter(|(from, to)| from != to)
            .collect();
        let led = |from: Phase| Decision::ALL.iter().filter_map(move |by| Some((from, next_phase(from, *by).ok()?)));
        let table: BTreeSet<(Phase, Phase)> = Phase::ALL.iter().copied().flat_map(led).collect();
        assert_eq!(drawn, table);
    }
}
