//! What happened to a node, and why.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NodeKey, TaskAction, TaskCondition, TaskStatus};

/// A change of status, as the tree's log keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Transition {
    /// The number of actions reported so far, this one included, when it happened.
    pub step: u64,
    /// The node.
    pub node: NodeKey,
    /// The status before.
    pub from: TaskStatus,
    /// The status after.
    pub to: TaskStatus,
    /// Why.
    pub cause: Cause,
}

impl fmt::Display for Transition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "step {}: `{}` {} -> {} ({})", self.step, self.node, self.from, self.to, self.cause)
    }
}

/// Why a status changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub enum Cause {
    /// The root of a fresh tree is ready.
    Start,
    /// An action succeeded.
    Action {
        /// The action.
        action: TaskAction,
        /// The condition that had chosen it.
        condition: TaskCondition,
    },
    /// A condition of the exam table held, or, with missing inputs, one of the failure table.
    Exam {
        /// The condition.
        condition: TaskCondition,
    },
    /// The node failed.
    Failure(FailureCause),
    /// Failed nodes were given another chance.
    Reopened,
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => formatter.write_str("start"),
            Self::Action { action, condition } => write!(formatter, "action `{action}`; condition: {condition}"),
            Self::Exam { condition } => write!(formatter, "condition: {condition}"),
            Self::Failure(cause) => cause.fmt(formatter),
            Self::Reopened => formatter.write_str("given another chance"),
        }
    }
}

/// A node's failure: what caused it, and where the node stood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Failure {
    /// The status it had before it failed.
    pub from: TaskStatus,
    /// Why it failed.
    pub cause: FailureCause,
}

/// Why a node failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub enum FailureCause {
    /// One of its own actions ran out of retries.
    Action {
        /// The action.
        action: TaskAction,
        /// The last error.
        error: String,
    },
    /// A node it depends on failed.
    Input {
        /// The node.
        node: NodeKey,
    },
    /// Nodes inside it failed.
    Inner {
        /// The nodes.
        nodes: Vec<NodeKey>,
    },
    /// The node it stands inside failed.
    Outer {
        /// The node.
        node: NodeKey,
    },
}

impl FailureCause {
    /// Whether the node itself failed, rather than something it needs.
    pub fn is_origin(&self) -> bool {
        matches!(self, Self::Action { .. })
    }
}

impl fmt::Display for FailureCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Action { action, error } => write!(formatter, "action `{action}` failed: {error}"),
            Self::Input { node } => write!(formatter, "input `{node}` failed"),
            Self::Inner { nodes } => {
                let nodes: Vec<String> = nodes.iter().map(|node| format!("`{node}`")).collect();
                write!(formatter, "inner task {} failed", nodes.join(", "))
            }
            Self::Outer { node } => write!(formatter, "outer task `{node}` failed"),
        }
    }
}
