//! The tasks whose results a task builds on: its own dependencies, and those of its outer tasks.

use std::collections::BTreeMap;

use graphloom_state_machine::NodeKey;

use super::context_node;
use crate::TaskType;
use crate::length::count_words;
use crate::task::{Node, Tree};

/// The nodes that a task depends on, grouped by distance.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Dependencies<'t> {
    /// Groups of equal distance, the farthest first; inside a group by number.
    pub groups: Vec<(usize, Vec<&'t Node>)>,
}

impl Dependencies<'_> {
    /// The results as prompts show them, each within its part of `words`, and a note for each that was shortened.
    pub fn render(&self, words: usize) -> (String, Vec<String>) {
        let mut parts = Vec::new();
        let mut notes = Vec::new();
        for (distance, nodes) in &self.groups {
            let limit = (words / (*distance).max(1)).max(50);
            for node in nodes {
                let Some(result) = node.payload.final_text().map(str::trim).filter(|text| !text.is_empty()) else {
                    continue;
                };
                let (shown, cut) = shorten(result, limit);
                if cut {
                    notes.push(format!("of the result of task `{}`, the first {limit} words were shown", node.key));
                }
                parts.push(format!("【{}】:\n {shown}", node.payload.info.goal));
            }
        }
        (parts.join("\n\n"), notes)
    }
}

/// The transitive dependencies of a task in its own graph. Write tasks are left out, as their text is in the article.
///
/// A node's distance is that of the first visit, depth first from the direct dependencies in their order, as in the
/// original; it need not be the shortest.
pub fn same_graph_dependencies<'t>(tree: &'t Tree, key: &NodeKey) -> Dependencies<'t> {
    context_node(tree, key).map(|node| dependencies_of(tree, node, usize::MAX)).unwrap_or_default()
}

/// For each outer task from the root down, its own dependencies up to a distance.
pub fn outer_dependencies<'t>(tree: &'t Tree, key: &NodeKey, most_distance: usize) -> Vec<Dependencies<'t>> {
    let mut outer = Vec::new();
    let mut at = context_node(tree, key).and_then(graphloom_state_machine::TaskNode::outer);
    while let Some(node) = at.and_then(|key| tree.node(&key)) {
        outer.push(dependencies_of(tree, node, most_distance));
        at = node.outer();
    }
    outer.reverse();
    outer
}

/// The transitive dependencies of a node up to a distance.
fn dependencies_of<'t>(tree: &'t Tree, node: &'t Node, most_distance: usize) -> Dependencies<'t> {
    let mut distances: BTreeMap<&NodeKey, usize> = BTreeMap::new();
    let mut open: Vec<(&NodeKey, usize)> = node.parents.iter().rev().map(|key| (key, 1)).collect();
    while let Some((key, distance)) = open.pop() {
        if distance > most_distance || distances.contains_key(key) {
            continue;
        }
        distances.insert(key, distance);
        if let Some(parent) = tree.node(key) {
            open.extend(parent.parents.iter().rev().map(|key| (key, distance + 1)));
        }
    }
    let mut groups: BTreeMap<usize, Vec<&Node>> = BTreeMap::new();
    for (key, distance) in distances {
        if let Some(node) = tree.node(key)
            && node.payload.info.task_type != TaskType::Write
        {
            groups.entry(distance).or_default().push(node);
        }
    }
    for nodes in groups.values_mut() {
        nodes.sort_by_key(|node| (last_number(&node.nid), node.key.clone()));
    }
    Dependencies { groups: groups.into_iter().rev().collect() }
}

fn last_number(nid: &str) -> u64 {
    nid.rsplit('.').next().and_then(|last| last.parse().ok()).unwrap_or(u64::MAX)
}

/// The first words of a text, cut at the end of a line where one is near.
fn shorten(text: &str, words: usize) -> (&str, bool) {
    if count_words(text) <= words {
        return (text, false);
    }
    let mut end = 0;
    let mut used = 0;
    for line in text.split_inclusive('\n') {
        let size = count_words(line);
        if used + size > words {
            break;
        }
        used += size;
        end += line.len();
    }
    if used < words / 2 {
        // One long line: cut between words.
        let mut left = words - used;
        for (at, _) in text[end..].match_indices(char::is_whitespace) {
            left -= 1;
            if left == 0 {
                return (text[..end + at].trim_end(), true);
            }
        }
        // Without spaces there is one character a word.
        if let Some((at, _)) = text.char_indices().nth(words) {
            return (text[..at].trim_end(), true);
        }
    }
    (text[..end].trim_end(), true)
}
