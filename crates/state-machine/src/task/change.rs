//! The only ways to change a tree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FailurePolicy, NodeKey, NodeType, Payload, TaskAction, TaskStatus};
use crate::{GraphError, Group};

/// A change to a tree: data, so that it can be stored and applied again.
///
/// Changes about different nodes may be applied in any order that respects what was ready, with the same tree as the
/// result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "T: Payload")]
#[non_exhaustive]
pub enum TreeChange<T: Payload> {
    /// Plants the root of an empty tree and makes it `READY`.
    Start {
        /// The root's payload.
        payload: T,
        /// What failures will do.
        policy: FailurePolicy,
    },
    /// Action `plan` succeeded: these are the inner nodes.
    Planned {
        /// The planned node.
        node: NodeKey,
        /// Its inner nodes in plan order. With none, the node goes on to aggregate nothing.
        children: Vec<NewNode<T>>,
    },
    /// Another plan for a node in `PLAN_DONE`, whose inner nodes have not started: they are replaced. Not an action.
    Replanned {
        /// The planned node.
        node: NodeKey,
        /// Its new inner nodes in plan order.
        children: Vec<NewNode<T>>,
    },
    /// Any other action succeeded.
    Acted {
        /// The node.
        node: NodeKey,
        /// The action that was taken; it must be the one the table names.
        action: TaskAction,
    },
    /// An action is out of retries.
    Failed {
        /// The node.
        node: NodeKey,
        /// The action that was taken; it must be the one the table names.
        action: TaskAction,
        /// The last error.
        error: String,
    },
    /// A payload changes; no status does.
    Changed {
        /// The node.
        node: NodeKey,
        /// The change.
        change: T::Change,
    },
    /// Failed nodes get another chance: each failed node whose outer nodes are all open again goes back to the status it
    /// had before it failed. Nodes inside a finished one stay as they are.
    Reopened,
    /// Failed nodes get another chance wherever they stand: the nodes around them that went on without them are open
    /// again, and what was made of results that were missing is done anew: the nodes inside it are removed and its payload
    /// forgets its results. Nodes that only waited for a failed one, as drawings leave out of dependencies, stay as they
    /// are where they finished. See [`Payload::forget`].
    Retried,
    /// Several changes, applied in order, all or none.
    All(Vec<TreeChange<T>>),
}

impl<T: Payload> TreeChange<T> {
    /// [`TreeChange::Start`] with the default policy.
    pub fn start(payload: T) -> Self {
        Self::Start { payload, policy: FailurePolicy::default() }
    }

    /// [`TreeChange::Planned`].
    pub fn planned(node: NodeKey, children: Vec<NewNode<T>>) -> Self {
        Self::Planned { node, children }
    }

    /// [`TreeChange::Acted`].
    pub fn acted(node: NodeKey, action: TaskAction) -> Self {
        Self::Acted { node, action }
    }

    /// [`TreeChange::Failed`].
    pub fn failed(node: NodeKey, action: TaskAction, error: impl Into<String>) -> Self {
        Self::Failed { node, action, error: error.into() }
    }

    /// [`TreeChange::Changed`].
    pub fn changed(node: NodeKey, change: T::Change) -> Self {
        Self::Changed { node, change }
    }

    /// This change and then another, all or none.
    #[must_use]
    pub fn and(self, next: Self) -> Self {
        match self {
            Self::All(mut changes) => {
                changes.push(next);
                Self::All(changes)
            }
            first => Self::All(vec![first, next]),
        }
    }
}

/// A node of a plan, before it has a place in the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "T: Payload")]
pub struct NewNode<T> {
    /// Its id in the plan, unique there.
    pub nid: String,
    /// Plan or execute node.
    pub node_type: NodeType,
    /// The ids in the same plan it depends on.
    pub dependencies: Vec<String>,
    /// What the tree's owner keeps about it.
    pub payload: T,
}

impl<T> NewNode<T> {
    /// A node that will be planned in its turn.
    pub fn plan<Id: Into<String>>(
        nid: impl Into<String>,
        dependencies: impl IntoIterator<Item = Id>,
        payload: T,
    ) -> Self {
        Self {
            nid: nid.into(),
            node_type: NodeType::Plan,
            dependencies: dependencies.into_iter().map(Into::into).collect(),
            payload,
        }
    }

    /// The execute child of an atomic task: alone in its graph, id `0`.
    pub fn execution(payload: T) -> Self {
        Self { nid: "0".to_owned(), node_type: NodeType::Execute, dependencies: Vec::new(), payload }
    }
}

/// A change that does not fit the tree. The tree stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The tree already has a root.
    #[error("the tree already has a root; a loaded tree continues from where it stands")]
    AlreadyStarted,
    /// There is no such node.
    #[error("there is no node `{node}` in the tree")]
    UnknownNode {
        /// The key.
        node: NodeKey,
    },
    /// No action can be taken on the node.
    #[error("node `{node}` is {status} ({group}): only a node in an activate status can act or be selected")]
    NotActive {
        /// The node.
        node: NodeKey,
        /// Its status.
        status: TaskStatus,
        /// The group of its status.
        group: Group,
    },
    /// The table names another action.
    #[error("node `{node}` is {status}: its action is `{expected}`, not `{found}`")]
    WrongAction {
        /// The node.
        node: NodeKey,
        /// Its status.
        status: TaskStatus,
        /// The action the table names.
        expected: TaskAction,
        /// The action that was reported.
        found: TaskAction,
    },
    /// Action `plan` was reported without a plan.
    #[error("action `plan` of node `{node}` was reported without its inner nodes; report it as `Planned`")]
    PlanMissing {
        /// The node.
        node: NodeKey,
    },
    /// No rule of the action table applies.
    #[error("no condition of the action table holds for node `{node}` in status {status}")]
    NoCondition {
        /// The node.
        node: NodeKey,
        /// Its status.
        status: TaskStatus,
    },
    /// The plan is no graph.
    #[error("the plan of node `{node}` cannot be used: {error}")]
    Plan {
        /// The planned node.
        node: NodeKey,
        /// What is wrong with the plan.
        error: GraphError,
    },
    /// The node's plan can no longer be replaced.
    #[error("node `{node}` is {status}: its plan can be replaced only in PLAN_DONE, before its inner tasks start")]
    PlanFixed {
        /// The node.
        node: NodeKey,
        /// Its status.
        status: TaskStatus,
    },
    /// There is no failed node to reopen.
    #[error(
        "no failed node can be reopened: none failed, or the tasks around the failed ones have gone on without them"
    )]
    NothingToReopen,
    /// There is no failed node to try again.
    #[error("no node failed, so there is nothing to try again")]
    NothingToRetry,
}

/// A change that was refused by [`TaskTree::apply`](crate::TaskTree::apply).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Rejection {
    /// The number of actions reported when it was refused.
    pub step: u64,
    /// Why.
    pub error: ChangeError,
}
