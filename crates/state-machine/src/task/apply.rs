//! What each change does.

use std::collections::HashMap;
use std::sync::Arc;

use super::transition::{Cause, Failure, FailureCause};
use super::{
    ChangeError, InnerGraph, NewNode, NodeKey, NodeType, Payload, TaskAction, TaskNode, TaskStatus, TaskTree,
    Transition, TreeChange,
};
use crate::DependencyGraph;

impl<T: Payload> TaskTree<T> {
    /// Performs a change; on error the tree may be half changed, so the caller works on a clone.
    pub(super) fn perform(&mut self, change: TreeChange<T>) -> Result<(), ChangeError> {
        match change {
            TreeChange::Start { payload, policy } => {
                if !self.is_empty() {
                    return Err(ChangeError::AlreadyStarted);
                }
                self.set_policy(policy);
                let root = new_node(NodeKey::root(), String::new(), NodeType::Plan, payload);
                self.insert(root);
                self.set_status(&NodeKey::root(), TaskStatus::Ready, Cause::Start);
            }
            TreeChange::Planned { node, children } => {
                let pending = self.expect_action(&node, TaskAction::Plan)?;
                self.open(&node, children)?;
                self.finish_action(&pending);
            }
            TreeChange::Replanned { node, children } => {
                let status = self.view(&node)?.node().status;
                if status != TaskStatus::PlanDone {
                    return Err(ChangeError::PlanFixed { node, status });
                }
                let old: Vec<NodeKey> =
                    self.nodes().filter(|inner| inner.key.is_inside(&node)).map(|inner| inner.key.clone()).collect();
                for key in old {
                    self.remove(&key);
                }
                self.open(&node, children)?;
            }
            TreeChange::Acted { node, action } => {
                let pending = self.expect_action(&node, action)?;
                if action == TaskAction::Plan {
                    return Err(ChangeError::PlanMissing { node });
                }
                self.finish_action(&pending);
            }
            TreeChange::Failed { node, action, error } => {
                self.expect_action(&node, action)?;
                self.count_step();
                self.set_status(&node, TaskStatus::Failed, Cause::Failure(FailureCause::Action { action, error }));
                self.exam_after(&node);
            }
            TreeChange::Changed { node, change } => {
                self.view(&node)?;
                self.update(&node, |node| Arc::make_mut(&mut node.payload).change(change));
            }
            TreeChange::Reopened => self.reopen()?,
            TreeChange::Retried => self.retry()?,
            TreeChange::All(changes) => {
                for change in changes {
                    self.perform(change)?;
                }
            }
        }
        Ok(())
    }

    fn expect_action(&self, key: &NodeKey, found: TaskAction) -> Result<super::PendingAction, ChangeError> {
        let pending = self.next_action(key)?;
        if pending.action == found {
            return Ok(pending);
        }
        let status = self.view(key)?.node().status;
        Err(ChangeError::WrongAction { node: key.clone(), status, expected: pending.action, found })
    }

    fn finish_action(&mut self, pending: &super::PendingAction) {
        self.count_step();
        let cause = Cause::Action { action: pending.action, condition: pending.condition };
        self.set_status(&pending.node, pending.next, cause);
        self.exam_after(&pending.node);
    }

    /// Gives a node its inner graph.
    fn open(&mut self, outer: &NodeKey, children: Vec<NewNode<T>>) -> Result<(), ChangeError> {
        let rows = children.iter().map(|child| (child.nid.clone(), child.dependencies.clone()));
        let graph = DependencyGraph::build(rows).map_err(|error| ChangeError::Plan { node: outer.clone(), error })?;
        let atomic = matches!(children.as_slice(), [only] if only.node_type == NodeType::Execute);
        let first_place = u32::from(!atomic);
        let keys: Vec<NodeKey> = (first_place..).zip(&children).map(|(place, _)| outer.child(place)).collect();
        let by_nid: HashMap<String, NodeKey> =
            children.iter().zip(&keys).map(|(child, key)| (child.nid.clone(), key.clone())).collect();
        let key_of = |nid: &String| by_nid.get(nid).cloned();
        let inner = InnerGraph {
            nodes: keys.clone(),
            batches: graph.batches().map(|batch| batch.into_iter().filter_map(key_of).collect()).collect(),
        };
        let parents: Vec<Vec<NodeKey>> =
            graph.rows().map(|(_, needs)| needs.into_iter().filter_map(key_of).collect()).collect();
        let mut dependents: HashMap<&NodeKey, Vec<NodeKey>> = HashMap::new();
        for (key, parents) in keys.iter().zip(&parents) {
            for parent in parents {
                dependents.entry(parent).or_default().push(key.clone());
            }
        }
        for ((child, key), needs) in children.into_iter().zip(&keys).zip(&parents) {
            let mut node = new_node(key.clone(), child.nid, child.node_type, child.payload);
            node.parents.clone_from(needs);
            node.dependents = dependents.remove(key).unwrap_or_default();
            self.insert(node);
        }
        self.update(outer, |node| node.inner = inner);
        Ok(())
    }

    /// Puts failed nodes back, outer ones first; a node is reopened only inside open ones.
    fn reopen(&mut self) -> Result<(), ChangeError> {
        let failed: Vec<NodeKey> = self.failed().map(|node| node.key.clone()).collect();
        let mut reopened = Vec::new();
        for key in failed {
            let open = key.outer().is_none_or(|outer| {
                self.node(&outer).is_some_and(|outer| matches!(outer.status, TaskStatus::Doing | TaskStatus::PlanDone))
            });
            let from = self.node(&key).and_then(|node| node.failure.as_ref()).map(|failure| failure.from);
            if let (true, Some(from)) = (open, from) {
                self.set_status(&key, from, Cause::Reopened);
                reopened.push(key);
            }
        }
        if reopened.is_empty() {
            return Err(ChangeError::NothingToReopen);
        }
        self.exam_each(reopened);
        Ok(())
    }

    /// Moves a node to a status and logs it. The failure is kept exactly while the status is `FAILED`.
    pub(super) fn set_status(&mut self, key: &NodeKey, to: TaskStatus, cause: Cause) {
        let Some(from) = self.node(key).map(|node| node.status) else { return };
        let failure = match &cause {
            Cause::Failure(cause) => Some(Failure { from, cause: cause.clone() }),
            _ => None,
        };
        self.update(key, |node| {
            node.status = to;
            node.failure = failure;
        });
        let step = self.steps();
        self.record(Transition { step, node: key.clone(), from, to, cause });
    }
}

fn new_node<T>(key: NodeKey, nid: String, node_type: NodeType, payload: T) -> TaskNode<T> {
    TaskNode {
        key,
        nid,
        node_type,
        status: TaskStatus::NotReady,
        failure: None,
        parents: Vec::new(),
        dependents: Vec::new(),
        inner: InnerGraph::default(),
        payload: Arc::new(payload),
    }
}
