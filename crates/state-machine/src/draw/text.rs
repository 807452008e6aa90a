//! The tree as indented text.

use std::fmt::Write as _;

use crate::{NodeKey, NodeType, Payload, TaskNode, TaskTree};

impl<T: Payload> TaskTree<T> {
    /// The tree as text: one [`task_line`](Self::task_line) a node, inner nodes indented below it in topological order.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut stack = vec![NodeKey::root()];
        while let Some(key) = stack.pop() {
            let Some(node) = self.node(&key) else { continue };
            let indent = "  ".repeat(node.layer());
            text.push_str(&indent);
            text.push_str(&self.task_line(node));
            if let Some(failure) = &node.failure {
                let _ = write!(text, " ({})", failure.cause);
            }
            text.push('\n');
            stack.extend(node.inner.queue().rev().filter(|inner| inner.is_inside(&key)).cloned());
        }
        text
    }

    /// A node in one line, as WriteHERE's `task_str` writes it: id, `*` for execute nodes, `【kind】`, goal, the
    /// dependencies that are listed (padded to ten columns), status.
    pub fn task_line(&self, node: &TaskNode<T>) -> String {
        let star = if node.node_type == NodeType::Execute { "*" } else { "" };
        let parents: Vec<&str> = node
            .parents
            .iter()
            .filter_map(|parent| self.node(parent))
            .filter(|parent| parent.payload.listed_as_dependency())
            .map(|parent| parent.nid.as_str())
            .collect();
        let title = node.payload.title().split_whitespace().collect::<Vec<_>>().join(" ");
        format!(
            "{}{star}【{}】.({title}).{:<10}: {}",
            node.nid,
            node.payload.kind_label(),
            parents.join(","),
            node.status
        )
    }
}
