//! Where a whole tree stands.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Explanation, NodeKey, NodeState, Payload, TaskStatus, TaskTree};
use crate::Group;

/// Where a tree stands. It is done only when the root finished and nothing failed on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TreeStatus {
    /// There is no root yet.
    Empty,
    /// Nodes can act.
    Active {
        /// The nodes, in level order.
        ready: Vec<NodeKey>,
    },
    /// The root finished and nothing failed.
    Done,
    /// The root finished without some of its parts.
    Partial {
        /// The nodes whose own action failed, depth first.
        origins: Vec<NodeState>,
        /// The nodes that failed because of them.
        consequences: Vec<NodeState>,
    },
    /// The root failed.
    Failed {
        /// The nodes whose own action failed, depth first.
        origins: Vec<NodeState>,
        /// The nodes that failed because of them.
        consequences: Vec<NodeState>,
        /// How many nodes finished all the same.
        finished: usize,
    },
    /// Nothing can act and the root is not finished. A tree changed only through changes does not get here.
    Stuck {
        /// Every node that waits in vain, with the conditions it waits for.
        waiting: Vec<Explanation>,
    },
}

impl TreeStatus {
    /// One word: `empty`, `active`, `done`, `partial`, `failed` or `stuck`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Active { .. } => "active",
            Self::Done => "done",
            Self::Partial { .. } => "partial",
            Self::Failed { .. } => "failed",
            Self::Stuck { .. } => "stuck",
        }
    }
}

impl<T: Payload> TaskTree<T> {
    /// Where the tree stands, with the explanation.
    pub fn status(&self) -> TreeStatus {
        let Some(root) = self.root() else { return TreeStatus::Empty };
        let failures = |origin: bool| -> Vec<NodeState> {
            self.failed()
                .filter(|node| node.failure.as_ref().is_some_and(|failure| failure.cause.is_origin()) == origin)
                .map(NodeState::of)
                .collect()
        };
        match root.status {
            TaskStatus::Finish if self.failed().next().is_none() => TreeStatus::Done,
            TaskStatus::Finish => TreeStatus::Partial { origins: failures(true), consequences: failures(false) },
            TaskStatus::Failed => TreeStatus::Failed {
                origins: failures(true),
                consequences: failures(false),
                finished: self.nodes().filter(|node| node.status == TaskStatus::Finish).count(),
            },
            _ => {
                let ready = self.ready_in_level_order();
                if ready.is_empty() {
                    TreeStatus::Stuck { waiting: self.waiting() }
                } else {
                    TreeStatus::Active { ready }
                }
            }
        }
    }

    /// The explanations of all suspended nodes.
    fn waiting(&self) -> Vec<Explanation> {
        self.nodes()
            .filter(|node| super::task_table().group(node.status) == Group::Suspend)
            .filter_map(|node| self.explain(&node.key).ok())
            .collect()
    }
}

impl fmt::Display for TreeStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("empty: no root has been planted"),
            Self::Active { ready } => {
                let ready: Vec<String> = ready.iter().map(|key| format!("`{key}`")).collect();
                write!(formatter, "active: {} can act", ready.join(", "))
            }
            Self::Done => formatter.write_str("done"),
            Self::Partial { origins, consequences } => {
                write!(formatter, "partial: the root finished without {} task(s)", origins.len() + consequences.len())?;
                failures(formatter, origins, consequences)
            }
            Self::Failed { origins, consequences, finished } => {
                write!(formatter, "failed: the root failed; {finished} task(s) finished")?;
                failures(formatter, origins, consequences)
            }
            Self::Stuck { waiting } => {
                formatter.write_str("stuck: no task can act and the root is not finished")?;
                for explanation in waiting {
                    write!(formatter, "\n  `{}` is {}", explanation.state.node, explanation.state.status)?;
                    for rule in explanation.rules.iter().filter(|rule| !rule.holds) {
                        write!(formatter, "\n    {rule}")?;
                    }
                }
                Ok(())
            }
        }
    }
}

fn failures(formatter: &mut fmt::Formatter<'_>, origins: &[NodeState], consequences: &[NodeState]) -> fmt::Result {
    origins.iter().chain(consequences).try_for_each(|node| write!(formatter, "\n  {node}"))
}
