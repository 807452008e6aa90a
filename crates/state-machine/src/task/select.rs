//! Which nodes can act, and how.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rules::task_table;
use super::{ChangeError, NodeKey, Payload, TaskAction, TaskCondition, TaskStatus, TaskTree};
use crate::Group;

/// An action that can be taken now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PendingAction {
    /// The node.
    pub node: NodeKey,
    /// What to do.
    pub action: TaskAction,
    /// Why this action: the condition of its row in the action table.
    pub condition: TaskCondition,
    /// The status after it succeeded.
    pub next: TaskStatus,
}

impl<T: Payload> TaskTree<T> {
    /// Every node that can act, in level order: breadth first from the root, the nodes of a graph in topological order,
    /// looking inside suspended nodes only. The first is WriteHERE's choice; all of them may act at the same time.
    pub fn ready_in_level_order(&self) -> Vec<NodeKey> {
        self.level_order().collect()
    }

    fn level_order(&self) -> impl Iterator<Item = NodeKey> {
        let mut queue = VecDeque::from([NodeKey::root()]);
        std::iter::from_fn(move || {
            while let Some(key) = queue.pop_front() {
                let Some(node) = self.node(&key) else { continue };
                match task_table().group(node.status) {
                    Group::Activate => return Some(key),
                    Group::Suspend => queue.extend(node.inner.queue().filter(|inner| inner.is_inside(&key)).cloned()),
                    Group::Silence => {}
                }
            }
            None
        })
    }

    /// The actions of [`ready_in_level_order`](Self::ready_in_level_order).
    pub fn pending(&self) -> Vec<PendingAction> {
        self.level_order().filter_map(|key| self.next_action(&key).ok()).collect()
    }

    /// The action WriteHERE would take next: the first in level order. None when nothing can act;
    /// [`status`](Self::status) then says why.
    pub fn next_in_level_order(&self) -> Option<PendingAction> {
        self.level_order().find_map(|key| self.next_action(&key).ok())
    }

    /// What the action table says for a node, which need not be the first in level order: a caller may force any node
    /// that is in an activate status.
    ///
    /// # Errors
    /// [`ChangeError`] if there is no such node, it is not in an activate status, or no condition holds.
    pub fn next_action(&self, key: &NodeKey) -> Result<PendingAction, ChangeError> {
        let view = self.view(key)?;
        let status = view.node().status;
        let group = task_table().group(status);
        if group != Group::Activate {
            return Err(ChangeError::NotActive { node: key.clone(), status, group });
        }
        let rule =
            task_table().action(status, &view).ok_or_else(|| ChangeError::NoCondition { node: key.clone(), status })?;
        Ok(PendingAction { node: key.clone(), action: rule.action, condition: rule.condition, next: rule.next })
    }
}
