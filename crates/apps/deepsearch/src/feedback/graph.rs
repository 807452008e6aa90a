//! The graph of one change.

use graphloom_core_graph::{
    ChildOutcome, CompileErrors, Compiled, END, GraphOptions, NodeError, START, State, StateGraph,
};
use serde_json::Value;

use super::nodes;
use super::state::{FeedbackState, FeedbackStateUpdate};
use crate::collector::{self, CollectorState};
use crate::names::{COMPOSE, FEEDBACK_COLLECTOR, FEEDBACK_END, FEEDBACK_START, LISTEN, PREPARE, REWRITE};
use crate::resources::Resources;

/// The graph that carries out one change: its input is the report as it is.
pub fn graph() -> Compiled<FeedbackState, Resources> {
    graph_with(GraphOptions::new()).expect("the graph of a change compiles")
}

/// The same graph with other functions in its nodes, another [`FEEDBACK_COLLECTOR`] or other limits.
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn graph_with(
    options: GraphOptions<FeedbackState, Resources>,
) -> Result<Compiled<FeedbackState, Resources>, CompileErrors> {
    let mut graph = StateGraph::<FeedbackState, Resources>::new("user_feedback_processor");
    graph.add_node(FEEDBACK_START, nodes::start).may_goto((LISTEN, FEEDBACK_END));
    graph.add_node(LISTEN, nodes::listen).asks::<Value>(nodes::USER_FEEDBACK).may_goto((
        REWRITE,
        PREPARE,
        FEEDBACK_END,
    ));
    graph.add_node(REWRITE, nodes::rewrite);
    graph.add_node(PREPARE, nodes::prepare).may_goto((FEEDBACK_COLLECTOR, COMPOSE, FEEDBACK_END));
    graph.add_subgraph(FEEDBACK_COLLECTOR, collector::graph(), request, collected);
    graph.add_node(COMPOSE, nodes::compose);
    graph.add_node(FEEDBACK_END, nodes::end);

    graph.add_edge(START, FEEDBACK_START);
    graph.add_edge(REWRITE, FEEDBACK_END);
    graph.add_edge(FEEDBACK_COLLECTOR, COMPOSE);
    graph.add_edge(COMPOSE, FEEDBACK_END);
    graph.add_edge(FEEDBACK_END, END);
    graph.options(options);
    graph.compile()
}

fn request(state: &FeedbackState) -> <CollectorState as State>::Update {
    CollectorState::update().request(state.request.clone().unwrap_or_default())
}

/// A collector that failed leaves what it has found.
fn collected(outcome: ChildOutcome<CollectorState>) -> Result<FeedbackStateUpdate, NodeError> {
    let (state, failure) = match outcome {
        ChildOutcome::Done(state) => (state, None),
        ChildOutcome::Failed { state, error } => (state, Some(error)),
        _ => return Err(NodeError::terminal("a supplementary search ended in an unknown way")),
    };
    let notes = state.notes.iter().cloned().chain(failure.map(|error| format!("the search was cut short: {error}")));
    Ok(FeedbackState::update()
        .found(state.doc_infos.iter().cloned().collect::<Vec<_>>())
        .collector_summary(state.info_summary.clone())
        .notices(state.notices.iter().cloned().collect::<Vec<_>>())
        .notes(notes.collect::<Vec<_>>()))
}
