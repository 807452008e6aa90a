//! The names of nodes and events, which nodes and the graph share.

use graphloom_core_graph::Node;

use crate::actions::Action;

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

/// Makes search queries.
pub const GENERATE_QUERIES: Node = Node::named("generate_queries");
/// Searches the sources and reads what is found.
pub const LITERATURE_REVIEW: Node = Node::named("literature_review");
/// Says what the literature leaves open.
pub const SYNTHESIZE_GAP: Node = Node::named("synthesize_gap");
/// Writes the proposal.
pub const WRITE_PROPOSAL: Node = Node::named("write_proposal");
/// Asks the person something.
pub const FOLLOW_UP: Node = Node::named("follow_up");
/// Delivers the approved proposal.
pub const RESULT_NOTIFICATION: Node = Node::named("result_notification");
/// Shows the queries and waits for a verdict.
pub const REVIEW_QUERIES: Node = Node::named("review_queries");
/// Shows the proposal and waits for a verdict.
pub const REVIEW_REPORT: Node = Node::named("review_report");

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

/// The name of the event of a thought.
pub(crate) const THOUGHT: &str = "thought";
