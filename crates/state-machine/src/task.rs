//! Hierarchical task trees: plan nodes that open into graphs of further tasks, and execute nodes that do the work.

mod apply;
mod change;
mod exam;
mod explain;
mod key;
mod node;
mod progress;
mod retry;
mod rules;
mod select;
mod status;
mod transition;
mod tree;

pub use change::{ChangeError, NewNode, Rejection, TreeChange};
pub use explain::{Explanation, NodeState, RuleResult};
pub use key::{KeyError, NodeKey};
pub use node::{InnerGraph, Payload, TaskNode};
pub use progress::TreeStatus;
pub use rules::{FailurePolicy, NodeView, TaskCondition, TaskTable, task_table};
pub use select::PendingAction;
pub use status::{NodeType, TaskAction, TaskStatus};
pub use transition::{Cause, Failure, FailureCause, Transition};
pub use tree::TaskTree;
