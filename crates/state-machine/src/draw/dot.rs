//! The tree as a GraphViz graph.

use std::fmt::Write as _;

use super::caption;
use crate::{NodeType, Payload, TaskStatus, TaskTree};

impl<T: Payload> TaskTree<T> {
    /// The tree in GraphViz's DOT language: dashed edges from a node to what is inside it, solid ones from a node to what
    /// depends on it, execute nodes as ellipses.
    pub fn to_dot(&self) -> String {
        let mut text =
            String::from("digraph tasks {\n  rankdir=TB;\n  node [style=filled, fontname=\"sans-serif\"];\n");
        for node in self.nodes() {
            let (title, status) = caption(node);
            let shape = if node.node_type == NodeType::Execute { "ellipse" } else { "box" };
            let _ = writeln!(
                text,
                "  \"{}\" [label=\"{}\\n{status}\", shape={shape}, fillcolor=\"{}\"];",
                node.key,
                escaped(&title),
                colour(node.status)
            );
        }
        for node in self.nodes() {
            for inner in &node.inner.nodes {
                let _ = writeln!(text, "  \"{}\" -> \"{inner}\" [style=dashed, arrowhead=none];", node.key);
            }
            for dependent in &node.dependents {
                let _ = writeln!(text, "  \"{}\" -> \"{dependent}\";", node.key);
            }
        }
        text.push_str("}\n");
        text
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn colour(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::NotReady => "#eeeeee",
        TaskStatus::Doing => "#fff4cc",
        TaskStatus::Finish => "#d9f2d9",
        TaskStatus::Failed => "#f8d7da",
        _ => "#d6e6ff",
    }
}
