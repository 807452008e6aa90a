//! The tree as a GraphViz graph.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::{Drawing, caption, colour};
use crate::{NodeKey, NodeType, Payload};

impl<T: Payload> Drawing<'_, T> {
    /// GraphViz's DOT language: dashed edges from a node to what is inside it, solid ones from a node to what
    /// depends on it, execute nodes as ellipses.
    pub fn dot(&self) -> String {
        let mut text =
            String::from("digraph tasks {\n  rankdir=TB;\n  node [style=filled, fontname=\"sans-serif\"];\n");
        let nodes = self.nodes();
        let drawn: HashSet<&NodeKey> = nodes.iter().map(|node| &node.key).collect();
        for node in &nodes {
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
        for node in &nodes {
            for inner in node.inner.nodes.iter().filter(|inner| drawn.contains(inner)) {
                let _ = writeln!(text, "  \"{}\" -> \"{inner}\" [style=dashed, arrowhead=none];", node.key);
            }
            for dependent in node.dependents.iter().filter(|dependent| drawn.contains(dependent)) {
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
