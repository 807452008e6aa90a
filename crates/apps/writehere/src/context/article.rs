//! The text written so far.

use graphloom_state_machine::{NodeKey, NodeType, TaskAction};
use graphloom_text::markdown::join;

use crate::TaskType;
use crate::length::count_words;
use crate::task::{Node, Tree};

/// The most earlier parts that are named where they are not shown.
const NAMED_PARTS: usize = 30;

/// One written part.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Piece<'t> {
    /// The node that wrote it.
    pub node: &'t NodeKey,
    /// What it was to write.
    pub goal: &'t str,
    /// The text.
    pub text: &'t str,
}

/// What has been written inside a node, in the order of writing. For the root, the whole text so far.
pub fn article_of<'t>(tree: &'t Tree, key: &NodeKey) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    let mut open: Vec<&Node> = tree.node(key).into_iter().collect();
    while let Some(node) = open.pop() {
        let task = &node.payload;
        if node.node_type == NodeType::Execute
            && task.info.task_type == TaskType::Write
            && let Some(result) = task.results.get(&TaskAction::Execute)
            && !result.text.trim().is_empty()
        {
            pieces.push(Piece { node: &node.key, goal: &task.info.goal, text: result.text.trim() });
        }
        // Write tasks of one graph form a chain, so the topological order is the order of writing.
        open.extend(tree.inner(node).rev());
    }
    pieces
}

/// The parts as one text, each read as it is read alone; see [`graphloom_text::markdown::join`].
pub fn article_text(pieces: &[Piece<'_>]) -> String {
    join(pieces.iter().map(|piece| piece.text))
}

/// The text so far within a number of words, and what was left out, if anything: the last paragraphs are kept whole as
/// long as they fit, and earlier parts are named by their goals. Only the words that are shown are counted, so that a
/// prompt costs the same late in a book as early.
pub fn article_window(pieces: &[Piece<'_>], words: usize) -> (String, Option<String>) {
    let mut shown = 0;
    let mut paragraphs: Vec<&str> = Vec::new();
    let mut cut = None;
    'parts: for (index, piece) in pieces.iter().enumerate().rev() {
        for paragraph in piece.text.rsplit("\n\n") {
            let size = count_words(paragraph);
            if shown + size > words && !paragraphs.is_empty() {
                cut = Some(index);
                break 'parts;
            }
            shown += size;
            paragraphs.push(paragraph);
        }
    }
    let Some(last) = cut else { return (article_text(pieces), None) };
    let named: Vec<&str> = pieces[..=last].iter().map(|piece| piece.goal).collect();
    paragraphs.reverse();
    let mut text = String::new();
    // The nearest parts are named; a book has too many for all.
    let unnamed = named.len().saturating_sub(NAMED_PARTS);
    if unnamed > 0 {
        text.push_str(&format!("[{unnamed} more parts before these]\n"));
    }
    for goal in &named[unnamed..] {
        text.push_str("[earlier part, not shown in full: ");
        text.push_str(goal);
        text.push_str("]\n");
    }
    text.push_str(&paragraphs.join("\n\n"));
    (text, Some(format!("of the {} parts written so far, the last {shown} words were shown", pieces.len())))
}
