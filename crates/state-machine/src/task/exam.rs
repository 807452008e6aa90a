//! Examining suspended nodes: incrementally after each change, or the whole tree at once.

use super::rules::task_table;
use super::transition::{Cause, FailureCause};
use super::{NodeKey, Payload, TaskCondition, TaskStatus, TaskTree};
use crate::Section;

impl<T: Payload> TaskTree<T> {
    /// Examines whatever the new status of `key` may have set free.
    ///
    /// Exam conditions look only at the outer node being `DOING` or `FAILED` and at parents and inner nodes being
    /// `FINISH` or `FAILED`; so a node that became one of these concerns its inner nodes, its dependents and its outer
    /// node, and nothing else does. This is exact: [`exam_all`](Self::exam_all) afterwards finds nothing to do.
    pub(super) fn exam_after(&mut self, key: &NodeKey) {
        self.exam_each(self.concerned(key));
    }

    /// Examines nodes, and after each change of status those it concerns, until nothing changes. What a change concerns
    /// comes next, so that a failure reaches its dependents before the node around them all.
    pub(super) fn exam_each(&mut self, keys: Vec<NodeKey>) {
        let mut stack: Vec<NodeKey> = keys.into_iter().rev().collect();
        while let Some(key) = stack.pop() {
            if self.exam(&key) {
                stack.extend(self.concerned(&key).into_iter().rev());
            }
        }
    }

    /// Sweeps the whole tree bottom-up, inner nodes in topological order before their outer node, until nothing changes,
    /// and returns how many sweeps changed something.
    ///
    /// This is WriteHERE's `forward_exam`, which the incremental examination inside [`apply`](Self::apply) replaces; on a
    /// tree that was changed only through changes it returns 0. On a tree from elsewhere it brings statuses up to date.
    pub fn exam_all(&mut self) -> usize {
        let mut sweeps = 0;
        while self.sweep(&NodeKey::root()) {
            sweeps += 1;
        }
        sweeps
    }

    fn sweep(&mut self, root: &NodeKey) -> bool {
        // Post-order without recursion: a node is examined after everything inside it.
        let mut order = Vec::new();
        let mut stack = vec![root.clone()];
        while let Some(key) = stack.pop() {
            if let Some(node) = self.node(&key) {
                stack.extend(node.inner.queue().filter(|inner| inner.is_inside(&key)).cloned());
            }
            order.push(key);
        }
        let mut changed = false;
        for key in order.iter().rev() {
            changed |= self.exam(key);
        }
        changed
    }

    /// The suspended nodes a status may concern: itself, its inner nodes, its dependents, its outer node.
    fn concerned(&self, key: &NodeKey) -> Vec<NodeKey> {
        let Some(node) = self.node(key) else { return Vec::new() };
        let mut keys = Vec::new();
        match node.status {
            TaskStatus::Doing => {
                keys.extend(node.inner.queue().cloned());
                keys.push(key.clone());
            }
            TaskStatus::Finish => keys.extend(node.dependents.iter().cloned().chain(node.outer())),
            TaskStatus::Failed => {
                keys.extend(node.inner.queue().cloned());
                keys.extend(node.dependents.iter().cloned().chain(node.outer()));
            }
            TaskStatus::NotReady => keys.push(key.clone()),
            _ => {}
        }
        keys
    }

    /// Examines one node: at most one transition.
    fn exam(&mut self, key: &NodeKey) -> bool {
        let Ok(view) = self.view(key) else { return false };
        let Some((section, rule)) = task_table().exam(view.node().status, &view) else { return false };
        let cause = if rule.next == TaskStatus::Failed && section == Section::Failure {
            Cause::Failure(self.inherited(rule.condition, key, rule.condition.because(&view)))
        } else {
            Cause::Exam { condition: rule.condition }
        };
        self.set_status(key, rule.next, cause);
        true
    }

    /// The failure a node inherits from the failed nodes a condition is about. Of inner nodes, those that failed only for
    /// want of another are left out.
    fn inherited(&self, condition: TaskCondition, key: &NodeKey, failed: Vec<NodeKey>) -> FailureCause {
        let of_itself = |key: &NodeKey| {
            let failure = self.node(key).and_then(|node| node.failure.as_ref());
            !failure.is_some_and(|failure| matches!(failure.cause, FailureCause::Input { .. }))
        };
        match (condition, failed.first().cloned()) {
            (TaskCondition::OuterFailed, _) => FailureCause::Outer { node: key.outer().unwrap_or_default() },
            (TaskCondition::ParentFailed, Some(node)) => FailureCause::Input { node },
            _ => FailureCause::Inner { nodes: failed.into_iter().filter(of_itself).collect() },
        }
    }
}
