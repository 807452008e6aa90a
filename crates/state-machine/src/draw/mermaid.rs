//! The tree as a Mermaid flowchart.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::{Drawing, caption};
use crate::{NodeKey, NodeType, Payload, TaskStatus};

impl<T: Payload> Drawing<'_, T> {
    /// A Mermaid flowchart: dotted lines from a node to what is inside it, arrows from a node to what
    /// depends on it, execute nodes rounded, a colour for each kind of status.
    pub fn mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        let nodes = self.nodes();
        let drawn: HashSet<&NodeKey> = nodes.iter().map(|node| &node.key).collect();
        for node in &nodes {
            let (title, status) = caption(node);
            let (open, close) = if node.node_type == NodeType::Execute { ("([", "])") } else { ("[", "]") };
            let class = class(node.status);
            let _ = writeln!(text, "  {}{open}\"{}<br/>{status}\"{close}:::{class}", id(&node.key), escaped(&title));
        }
        for node in &nodes {
            for inner in node.inner.nodes.iter().filter(|inner| drawn.contains(inner)) {
                let _ = writeln!(text, "  {} -.- {}", id(&node.key), id(inner));
            }
            for dependent in node.dependents.iter().filter(|dependent| drawn.contains(dependent)) {
                let _ = writeln!(text, "  {} --> {}", id(&node.key), id(dependent));
            }
        }
        let mut classes: Vec<&str> = nodes.iter().map(|node| class(node.status)).collect();
        classes.sort_unstable();
        classes.dedup();
        for class in classes {
            let _ = writeln!(text, "  classDef {class} {}", style(class));
        }
        text
    }
}

fn id(key: &NodeKey) -> String {
    format!("n_{}", key.to_string().replace('.', "_"))
}

fn escaped(text: &str) -> String {
    // Mermaid writes entities with `#` instead of `&`.
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '#' => result.push_str("#35;"),
            '&' => result.push_str("#amp;"),
            '"' => result.push_str("#quot;"),
            '<' => result.push_str("#lt;"),
            '>' => result.push_str("#gt;"),
            other => result.push(other),
        }
    }
    result
}

fn class(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::NotReady => "waiting",
        TaskStatus::Doing => "open",
        TaskStatus::Finish => "finished",
        TaskStatus::Failed => "failed",
        _ => "ready",
    }
}

fn style(class: &str) -> &'static str {
    match class {
        "waiting" => "fill:#eeeeee,stroke:#999999",
        "open" => "fill:#fff4cc,stroke:#b8860b",
        "finished" => "fill:#d9f2d9,stroke:#2e7d32",
        "failed" => "fill:#f8d7da,stroke:#b71c1c",
        _ => "fill:#d6e6ff,stroke:#1a5fb4",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Symbol as _;

    #[test]
    fn every_status_has_a_class_with_a_style_and_no_label_breaks_out() {
        for status in TaskStatus::ALL {
            assert!(style(class(*status)).starts_with("fill:"));
        }
        assert_eq!(escaped("a \"b\" <c> & #d"), "a #quot;b#quot; #lt;c#gt; #amp; #35;d");
    }
}
