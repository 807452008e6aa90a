//! The planner as a graph: a node for each action of the status table, and a router that sends every ready task.
//!
//! ```text
//!            ┌────────────────────── every ready task, by its status ──────────────────────┐
//!            ▼                                                                             │
//! begin ──► plan · execute · update · prior_reflect · final_aggregate · *_post_reflect ────┘
//!   └─────► finish                                     (when no task is ready or running)
//! ```

use std::time::Duration;

use graphloom_core_graph::{
    CompileErrors, Compiled, END, GraphOptions, Mode, Node, NodeError, Packet, Retry, START, StateGraph, Task,
};
use graphloom_state_machine::{Symbol, TaskAction};

use crate::budget::BUDGET;
use crate::nodes::{ATTEMPTS, Turn, begin, finish, take};
use crate::resources::Resources;
use crate::review::{PLAN_REVIEW, PlanVerdict};
use crate::state::{Schedule, Writing};

/// Makes the tree of the request.
pub const BEGIN: Node = Node::named("begin");
/// Puts the result together.
pub const FINISH: Node = Node::named("finish");

/// Makes a plan of a task, or decides that it is carried out as it is.
pub const PLAN: Task<Turn> = Task::named("plan");
/// Carries a task out: searches, thinks or writes.
pub const EXECUTE: Task<Turn> = Task::named("execute");
/// Brings the goal of a task up to date.
pub const UPDATE: Task<Turn> = Task::named("update");
/// Looks at a task before it begins.
pub const PRIOR_REFLECT: Task<Turn> = Task::named("prior_reflect");
/// Puts together what the tasks inside a task gave.
pub const FINAL_AGGREGATE: Task<Turn> = Task::named("final_aggregate");
/// Looks at a plan.
pub const PLANNING_POST_REFLECT: Task<Turn> = Task::named("planning_post_reflect");
/// Looks at what was carried out.
pub const EXECUTE_POST_REFLECT: Task<Turn> = Task::named("execute_post_reflect");

/// The node of an action.
pub fn node_of(action: TaskAction) -> Task<Turn> {
    match action {
        TaskAction::Plan => PLAN,
        TaskAction::Execute => EXECUTE,
        TaskAction::Update => UPDATE,
        TaskAction::PriorReflect => PRIOR_REFLECT,
        TaskAction::FinalAggregate => FINAL_AGGREGATE,
        TaskAction::PlanningPostReflect => PLANNING_POST_REFLECT,
        TaskAction::ExecutePostReflect => EXECUTE_POST_REFLECT,
    }
}

/// The graph of a run.
pub fn graph() -> Compiled<Writing, Resources> {
    graph_with(GraphOptions::new()).expect("the graph of WriteHERE compiles")
}

/// The graph of a run, with other functions in its nodes or other limits. Prompts, profile, models and what is searched are
/// in [`Resources`], limits of a run in its [`Request`](crate::Request).
///
/// # Errors
/// An option that names no node of the graph, or does not fit it.
pub fn graph_with(options: GraphOptions<Writing, Resources>) -> Result<Compiled<Writing, Resources>, CompileErrors> {
    let mut graph = StateGraph::<Writing, Resources>::new("writehere");
    graph.mode(Mode::Eager);

    graph.add_node(BEGIN, begin);
    graph.add_node(FINISH, finish).deferred();
    let actions: Vec<_> = TaskAction::ALL.iter().copied().map(node_of).collect();
    for action in TaskAction::ALL.iter().copied() {
        let attempts = options.retry_of(&node_of(action).into()).map_or(ATTEMPTS, |retry| retry.attempts);
        graph
            .add_task(node_of(action), move |turn: Turn, state, cx| take(action, attempts, turn, state, cx))
            .retry(Retry::exponential(ATTEMPTS).after(Duration::from_millis(200)).when(NodeError::is_retryable))
            .asks::<String>("break")
            .asks::<String>(BUDGET)
            .asks::<PlanVerdict>(PLAN_REVIEW);
        graph.add_sends(node_of(action), actions.clone(), ready);
    }

    graph.add_edge(START, BEGIN);
    graph.add_sends(BEGIN, actions, ready);
    graph.add_edge(BEGIN, FINISH);
    graph.add_edge(FINISH, END);
    graph.options(options);
    graph.compile()
}

/// A turn for every ready task, or for the first one in level order.
pub fn ready(state: &Writing) -> Vec<Packet> {
    let pending = match state.request.schedule {
        Schedule::Concurrent => state.tree.pending(),
        Schedule::Sequential => state.tree.next_in_level_order().into_iter().collect(),
    };
    pending.into_iter().map(|next| node_of(next.action).send(&next.node, Turn::of(next.node.clone()))).collect()
}
