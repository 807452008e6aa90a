//! The tree as indented text.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::layout::inside;
use super::{Drawing, fit};
use crate::{NodeType, Payload, TaskNode, TaskTree};

/// A goal is not shortened below so many columns.
const SHORTEST_TITLE: usize = 12;

impl<T: Payload> Drawing<'_, T> {
    /// Text: one [`task_line`](TaskTree::task_line) a node, inner nodes indented below it in topological order.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut stack: Vec<&TaskNode<T>> = self.tree.node(&self.top).into_iter().collect();
        while let Some(node) = stack.pop() {
            let mut line = "  ".repeat(node.layer() - self.top.layer());
            let mut after = String::new();
            if let Some(failure) = &node.failure {
                let _ = write!(after, " ({})", failure.cause);
            }
            if let Some(inside) = inside(self.hidden(node)) {
                let _ = write!(after, " [{inside}]");
            }
            let room = self.columns.map(|columns| columns.saturating_sub(line.len() + after.width().min(columns / 3)));
            line.push_str(&self.tree.line(node, room));
            line.push_str(&after);
            match self.columns.filter(|columns| line.width() > *columns) {
                Some(columns) => {
                    let indent = line.len() - line.trim_start().len();
                    let _ = write!(text, "{}{}", &line[..indent], fit(&line, columns.saturating_sub(indent)));
                }
                None => text.push_str(&line),
            }
            text.push('\n');
            stack.extend(self.queue(node).into_iter().rev());
        }
        text
    }
}

impl<T: Payload> TaskTree<T> {
    /// A node in one line, as WriteHERE's `task_str` writes it: id, `*` for execute nodes, `【kind】`, goal, the
    /// dependencies that are listed (padded to ten columns), status.
    pub fn task_line(&self, node: &TaskNode<T>) -> String {
        self.line(node, None)
    }

    /// The line of a node, its goal shortened so that the line has `room`.
    fn line(&self, node: &TaskNode<T>, room: Option<usize>) -> String {
        let star = if node.node_type == NodeType::Execute { "*" } else { "" };
        let parents: Vec<&str> = node
            .parents
            .iter()
            .filter_map(|parent| self.node(parent))
            .filter(|parent| parent.payload.listed_as_dependency())
            .map(|parent| parent.nid.as_str())
            .collect();
        let title = node.payload.title().split_whitespace().collect::<Vec<_>>().join(" ");
        let before = format!("{}{star}【{}】.(", node.nid, node.payload.kind_label());
        let after = format!(").{:<10}: {}", parents.join(","), node.status);
        let title = match room {
            Some(room) => fit(&title, room.saturating_sub(before.width() + after.width()).max(SHORTEST_TITLE)),
            None => title,
        };
        format!("{before}{title}{after}")
    }
}
