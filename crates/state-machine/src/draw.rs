//! Pictures of a tree: text, Mermaid, DOT, SVG and JSON.

mod dot;
mod fit;
mod json;
mod layout;
mod mermaid;
mod part;
mod svg;
mod text;

pub use part::Drawing;

use fit::fit;

use crate::{Payload, TaskNode, TaskStatus};

/// The label of a node in a picture: id, kind and goal on the first line, status on the second, as separate texts.
fn caption<T: Payload>(node: &TaskNode<T>) -> (String, String) {
    let title = fit(&node.payload.title(), 60);
    (format!("{}: {title}", name(node)), node.status.to_string())
}

/// The id and kind of a node.
fn name<T: Payload>(node: &TaskNode<T>) -> String {
    let id = if node.nid.is_empty() { node.key.to_string() } else { node.nid.clone() };
    format!("{id} {}", node.payload.kind_label())
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
