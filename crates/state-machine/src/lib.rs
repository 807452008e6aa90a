//! Declarative status tables and hierarchical task trees, with no I/O and no clock.
//!
//! - A [`StatusTable`] says which actions each status allows and when a waiting status moves on; it is generic over
//!   statuses, actions and conditions, and checks itself when it is built.
//! - A [`TaskTree`] is WriteHERE's tree of planned and executed tasks as a value: cheap to clone, serialisable, changed
//!   only by [`TreeChange`]s, with the same result whatever the order of independent ones.
//! - Every status can be explained ([`TaskTree::explain`]), every tree drawn (text, Mermaid, DOT, SVG, JSON), and a tree in
//!   which something failed never passes for done ([`TreeStatus`]).
//!
//! ```
//! use graphloom_state_machine::{FailurePolicy, NewNode, TaskAction, TaskTree, TreeChange, TreeStatus};
//!
//! // The payload can be any type that implements `Payload`; a `String` is a goal and nothing else.
//! let mut tree = TaskTree::new("Report on tides".to_owned(), FailurePolicy::Degrade);
//!
//! while let Some(next) = tree.next_in_level_order() {
//!     // Here the caller would do the work; then it reports the outcome.
//!     let change = match next.action {
//!         TaskAction::Plan if next.node.is_root() => TreeChange::planned(
//!             next.node,
//!             vec![
//!                 NewNode::plan("1", [""; 0], "Find out what moves the water".to_owned()),
//!                 NewNode::plan("2", ["1"], "Write it down".to_owned()),
//!             ],
//!         ),
//!         TaskAction::Plan => {
//!             let goal = tree.node(&next.node).map(|node| (*node.payload).clone()).unwrap_or_default();
//!             TreeChange::planned(next.node, vec![NewNode::execution(goal)])
//!         }
//!         action => TreeChange::acted(next.node, action),
//!     };
//!     tree.try_apply(change)?;
//! }
//!
//! assert_eq!(tree.status(), TreeStatus::Done);
//! assert_eq!(tree.steps(), 4 + 6 + 7); // the root, an atomic task, an atomic task with an input
//! # Ok::<(), graphloom_state_machine::ChangeError>(())
//! ```
//!
//! # Tables
//! [`symbols!`] declares the statuses, actions and conditions; [`StatusTable::builder`] puts them together. Conditions
//! are data and evaluate themselves against a context through [`Condition`], so the same table decides and explains.
//!
//! # Trees
//! [`task_table`] is the table of a task. An action is taken outside and reported as a change; the tree then examines
//! just the nodes the change can have set free, which is exact. [`TaskTree::ready_in_level_order`] lists what can act:
//! all of it at once, or the first only for WriteHERE's own order.
//!
//! # Failure
//! An action that is out of retries is reported as [`TreeChange::Failed`]. Its dependents and its outer node learn of it
//! by the failure rules of [`task_table`]; [`FailurePolicy`] chooses between going on with what is there and giving up,
//! and each consequence is a [`Transition`] with its [`FailureCause`]. Under `Degrade` the final statuses depend only on
//! which actions failed, not on when; under `FailFast` the root fails in any case, and how far the others had come by then
//! depends on the order.
//!
//! # Plans
//! [`DependencyGraph`] orders items by their dependencies, and [`DependencyGraph::faults`] lists everything that is wrong
//! with a plan, naming each cycle.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod draw;
mod graph;
mod symbol;
mod table;
mod task;

pub use draw::Drawing;
pub use graph::{DependencyGraph, GraphError};
pub use symbol::Symbol;
pub use table::{
    ActionRule, Condition, ExamRule, Group, Section, StatusTable, StatusTableBuilder, TableError, TableFault,
};
pub use task::{
    Cause, ChangeError, Explanation, Failure, FailureCause, FailurePolicy, InnerGraph, KeyError, NewNode, NodeKey,
    NodeState, NodeType, NodeView, Payload, PendingAction, Rejection, RuleResult, TaskAction, TaskCondition, TaskNode,
    TaskStatus, TaskTable, TaskTree, Transition, TreeChange, TreeStatus, task_table,
};

/// What [`symbols!`] expands to names these crates through here.
#[doc(hidden)]
pub mod __private {
    pub use schemars;
    pub use serde;
}
