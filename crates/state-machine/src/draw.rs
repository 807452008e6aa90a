//! Pictures of a tree: text, Mermaid, DOT and JSON.

mod dot;
mod json;
mod mermaid;
mod text;

use crate::{Payload, TaskNode};

/// The label of a node in a picture: id, kind and goal on the first line, status on the second, as separate texts.
fn caption<T: Payload>(node: &TaskNode<T>) -> (String, String) {
    let id = if node.nid.is_empty() { node.key.to_string() } else { node.nid.clone() };
    let title = shortened(&node.payload.title(), 60);
    (format!("{id} {}: {title}", node.payload.kind_label()), node.status.to_string())
}

/// One line of at most `limit` characters.
fn shortened(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= limit {
        return line;
    }
    line.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}
