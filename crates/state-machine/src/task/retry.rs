//! Trying again what failed in a tree that went on without it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::transition::Cause;
use super::{ChangeError, InnerGraph, NodeKey, Payload, TaskStatus, TaskTree};

impl<T: Payload> TaskTree<T> {
    /// Puts failed nodes back to where they stood, opens the nodes around them, and has done anew what was made without
    /// their results.
    pub(super) fn retry(&mut self) -> Result<(), ChangeError> {
        let failed: BTreeSet<NodeKey> = self.failed().map(|node| node.key.clone()).collect();
        if failed.is_empty() {
            return Err(ChangeError::NothingToRetry);
        }
        let anew = self.to_do_anew(&failed);
        for key in &anew {
            self.forget(key);
        }
        let back: Vec<NodeKey> =
            failed.into_iter().filter(|key| !anew.contains(key) && self.node(key).is_some()).collect();
        let around: BTreeSet<NodeKey> = anew.iter().chain(&back).flat_map(outer_nodes).collect();
        // Outer nodes come before inner ones, in the order of keys.
        for key in &around {
            self.open_again(key);
        }
        for key in back.iter().filter(|key| !around.contains(*key)) {
            let from = self.node(key).and_then(|node| node.failure.as_ref()).map(|failure| failure.from);
            if let Some(from) = from {
                self.set_status(key, from, Cause::Reopened);
            }
        }
        self.exam_each(around.into_iter().chain(anew).chain(back).collect());
        Ok(())
    }

    /// The nodes that were made without a result that is to come, none of them inside another. A failed node that only
    /// waits for its turn is among them where nothing inside it is finished, so that it waits again.
    fn to_do_anew(&self, failed: &BTreeSet<NodeKey>) -> BTreeSet<NodeKey> {
        let mut anew = BTreeSet::new();
        // What will change: failed nodes, and the nodes around them.
        let mut seen = BTreeSet::new();
        let mut open: Vec<NodeKey> = failed.iter().cloned().chain(failed.iter().flat_map(outer_nodes)).collect();
        while let Some(key) = open.pop() {
            let Some(node) = self.node(&key).filter(|_| seen.insert(key.clone())) else { continue };
            let is_input = node.payload.listed_as_dependency();
            for dependent in node.dependents.iter().filter_map(|key| self.node(key)) {
                let goes = match dependent.status {
                    TaskStatus::Failed => is_input || !self.has_finished_inside(&dependent.key),
                    TaskStatus::Finish => is_input,
                    _ => false,
                };
                if goes && anew.insert(dependent.key.clone()) {
                    open.push(dependent.key.clone());
                    open.extend(outer_nodes(&dependent.key));
                }
            }
        }
        let outermost = |key: &&NodeKey| !outer_nodes(key).iter().any(|outer| anew.contains(outer));
        anew.iter().filter(outermost).cloned().collect()
    }

    fn has_finished_inside(&self, key: &NodeKey) -> bool {
        self.inside(key).iter().any(|inner| self.node(inner).is_some_and(|node| node.status == TaskStatus::Finish))
    }

    /// Every node inside a node.
    fn inside(&self, key: &NodeKey) -> Vec<NodeKey> {
        let mut found = Vec::new();
        let mut open = vec![key.clone()];
        while let Some(key) = open.pop() {
            let inner = self.node(&key).map(|node| node.inner.nodes.clone()).unwrap_or_default();
            found.extend(inner.iter().filter(|inner| inner.is_inside(&key)).cloned());
            open.extend(inner.into_iter().filter(|inner| inner.is_inside(&key)));
        }
        found
    }

    /// Makes a node as it was before it started.
    fn forget(&mut self, key: &NodeKey) {
        for inner in self.inside(key) {
            self.remove(&inner);
        }
        self.update(key, |node| {
            node.inner = InnerGraph::default();
            Arc::make_mut(&mut node.payload).forget();
        });
        self.set_status(key, TaskStatus::NotReady, Cause::Reopened);
    }

    /// Has a node wait for its inner nodes again; one whose plan was still looked at looks at it again.
    fn open_again(&mut self, key: &NodeKey) {
        let Some(node) = self.node(key) else { return };
        let to = match (node.status, &node.failure) {
            (TaskStatus::Failed, Some(failure)) if failure.from == TaskStatus::PlanDone => TaskStatus::PlanDone,
            (TaskStatus::Failed | TaskStatus::Finish | TaskStatus::FinalToFinish | TaskStatus::NeedPostReflect, _) => {
                TaskStatus::Doing
            }
            _ => return,
        };
        self.set_status(key, to, Cause::Reopened);
    }
}

/// The nodes around a node, the nearest first.
fn outer_nodes(key: &NodeKey) -> Vec<NodeKey> {
    std::iter::successors(key.outer(), NodeKey::outer).collect()
}
