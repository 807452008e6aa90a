//! The conversation as a graph: the router is the hub, actions are its spokes.
//!
//! ```text
//! START ──► open ──┐
//!                  ▼           ┌──► generate_queries ─┐
//!   ┌───────► router ◄────────►├──► literature_review ┤   workers come back to the router,
//!   │              │           ├──► synthesize_gap    ┤   also when they fail
//!   │              │           └──► write_proposal ───┘
//!   │              ├──► review_queries · review_report · follow_up · result_notification ──► save ──► END
//!   │              └──────────────────────── the person ended it ──────────────────────────►  │
//! listen ◄────────────────────────────────────────────────────────────────────────────────────┘
//! ```

use std::time::Duration;

use graphloom_core_graph::{
    CompileErrors, Compiled, END, GraphOptions, Handler, Node, NodeError, Retry, START, StateGraph,
};

use crate::actions::Action;
use crate::names::{
    FOLLOW_UP, GENERATE_QUERIES, LISTEN, LITERATURE_REVIEW, NAME, OPEN, RESULT_NOTIFICATION, REVIEW_QUERIES,
    REVIEW_REPORT, ROUTER, SAVE, SYNTHESIZE_GAP, WRITE_PROPOSAL, node_of,
};
use crate::nodes;
use crate::resources::Resources;
use crate::state::Conversation;

/// Attempts of a worker, after those of each model call.
const ATTEMPTS: u32 = 2;

/// The graph of a conversation.
pub fn graph() -> Compiled<Conversation, Resources> {
    graph_with(GraphOptions::new()).expect("the graph of PocketFlow compiles")
}

/// The graph of a conversation, with other functions in its nodes or other limits. Prompts, profile, models, what is
/// searched and limits of a conversation are in [`Resources`].
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn graph_with(
    options: GraphOptions<Conversation, Resources>,
) -> Result<Compiled<Conversation, Resources>, CompileErrors> {
    let mut graph = StateGraph::<Conversation, Resources>::new(NAME);

    graph.add_node(OPEN, nodes::open).may_goto((ROUTER, END));
    graph.add_node(LISTEN, nodes::listen).asks::<nodes::Message>(nodes::MESSAGE).may_goto((ROUTER, END));
    let mut targets: Vec<Node> = Action::ALL.into_iter().map(node_of).collect();
    targets.push(SAVE);
    graph.add_node(ROUTER, nodes::router).may_goto(targets);
    graph.add_node(SAVE, nodes::save).may_goto((LISTEN, END));
    graph.add_edge(START, OPEN);

    add_worker(&mut graph, GENERATE_QUERIES, nodes::generate_queries);
    add_worker(&mut graph, LITERATURE_REVIEW, nodes::literature_review);
    add_worker(&mut graph, SYNTHESIZE_GAP, nodes::synthesize_gap);
    add_worker(&mut graph, WRITE_PROPOSAL, nodes::write_proposal);

    graph.add_node(REVIEW_QUERIES, nodes::review_queries);
    graph.add_node(REVIEW_REPORT, nodes::review_report);
    graph.add_node(FOLLOW_UP, nodes::follow_up);
    graph.add_node(RESULT_NOTIFICATION, nodes::result_notification);
    for spoke in [REVIEW_QUERIES, REVIEW_REPORT, FOLLOW_UP, RESULT_NOTIFICATION] {
        graph.add_edge(spoke, SAVE);
    }
    graph.options(options);
    graph.compile()
}

/// A node that comes back to the router, by its edge or, when it failed, by its error handler.
fn add_worker<M>(
    graph: &mut StateGraph<Conversation, Resources>,
    worker: Node,
    run: impl Handler<M, Conversation, Resources, Future: Send>,
) {
    let retry = Retry::exponential(ATTEMPTS).after(Duration::from_millis(200)).when(NodeError::is_retryable);
    graph.add_node(worker.clone(), run).retry(retry).may_goto(ROUTER);
    graph.add_edge(worker.clone(), ROUTER);
    graph.add_error_handler(worker, nodes::failed);
}
