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

use graphloom_core_graph::{CompileErrors, Compiled, END, Node, NodeError, Retry, START, StateGraph};

use crate::actions::Action;
use crate::nodes;
use crate::resources::Resources;
use crate::state::Conversation;

/// The name of the graph.
pub const NAME: &str = "pocketflow";

/// Takes the message of the input and loads the session.
pub const OPEN: Node = Node::named("open");
/// Waits for the next message.
pub const LISTEN: Node = Node::named("listen");
/// Decides what follows.
pub const ROUTER: Node = Node::named("router");
/// Saves the session at the end of a turn.
pub const SAVE: Node = Node::named("save");

const GENERATE_QUERIES: Node = Node::named("generate_queries");
const LITERATURE_REVIEW: Node = Node::named("literature_review");
const SYNTHESIZE_GAP: Node = Node::named("synthesize_gap");
const WRITE_PROPOSAL: Node = Node::named("write_proposal");
const FOLLOW_UP: Node = Node::named("follow_up");
const RESULT_NOTIFICATION: Node = Node::named("result_notification");
const REVIEW_QUERIES: Node = Node::named("review_queries");
const REVIEW_REPORT: Node = Node::named("review_report");

/// The node of an action.
pub fn node_of(action: Action) -> Node {
    match action {
        Action::GenerateQueries => GENERATE_QUERIES,
        Action::LiteratureReview => LITERATURE_REVIEW,
        Action::SynthesizeGap => SYNTHESIZE_GAP,
        Action::WriteProposal => WRITE_PROPOSAL,
        Action::FollowUp => FOLLOW_UP,
        Action::ResultNotification => RESULT_NOTIFICATION,
        Action::ReviewQueries => REVIEW_QUERIES,
        Action::ReviewReport => REVIEW_REPORT,
    }
}

/// Attempts of a worker, after those of each model call.
const ATTEMPTS: u32 = 2;

/// The graph of a conversation.
///
/// # Errors
/// None: the graph does not depend on anything at run time.
pub fn graph() -> Result<Compiled<Conversation, Resources>, CompileErrors> {
    let mut graph = StateGraph::<Conversation, Resources>::new(NAME);

    graph.add_node(OPEN, nodes::open).may_goto((ROUTER, END));
    graph.add_node(LISTEN, nodes::listen).asks::<nodes::Message>(nodes::MESSAGE).may_goto((ROUTER, END));
    let mut targets: Vec<Node> = Action::ALL.into_iter().map(node_of).collect();
    targets.push(SAVE);
    graph.add_node(ROUTER, nodes::router).may_goto(targets);
    graph.add_node(SAVE, nodes::save).may_goto((LISTEN, END));

    let retry = || Retry::exponential(ATTEMPTS).after(Duration::from_millis(200)).when(NodeError::is_retryable);
    graph.add_node(GENERATE_QUERIES, nodes::generate_queries).retry(retry()).may_goto(ROUTER);
    graph.add_node(LITERATURE_REVIEW, nodes::literature_review).retry(retry()).may_goto(ROUTER);
    graph.add_node(SYNTHESIZE_GAP, nodes::synthesize_gap).retry(retry()).may_goto(ROUTER);
    graph.add_node(WRITE_PROPOSAL, nodes::write_proposal).retry(retry()).may_goto(ROUTER);
    graph.add_node(REVIEW_QUERIES, nodes::review_queries);
    graph.add_node(REVIEW_REPORT, nodes::review_report);
    graph.add_node(FOLLOW_UP, nodes::follow_up);
    graph.add_node(RESULT_NOTIFICATION, nodes::result_notification);

    graph.add_edge(START, OPEN);
    for worker in [GENERATE_QUERIES, LITERATURE_REVIEW, SYNTHESIZE_GAP, WRITE_PROPOSAL] {
        graph.add_edge(worker.clone(), ROUTER);
        graph.add_error_handler(worker, nodes::failed);
    }
    for spoke in [REVIEW_QUERIES, REVIEW_REPORT, FOLLOW_UP, RESULT_NOTIFICATION] {
        graph.add_edge(spoke, SAVE);
    }
    graph.compile()
}
