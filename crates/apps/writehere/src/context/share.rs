//! The share of a write task in the words of the whole: the planned length, corrected by the words written before.

use graphloom_state_machine::{NodeKey, TaskStatus};
use serde::{Deserialize, Serialize};

use super::{article_of, context_node};
use crate::TaskType;
use crate::cite::without_marks;
use crate::length::{count_words, share};
use crate::task::{Node, Tree};

/// A share is at least half of the planned length and at most one and a half times it, so that no part has to make good alone
/// what all others missed.
const LEAST: (u64, u64) = (1, 2);
const MOST: (u64, u64) = (3, 2);

/// The share of a write task in the words of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Share {
    /// The words of the task.
    pub words: u32,
    /// The words of the whole, as they were asked for.
    pub whole: u32,
    /// The words that are written before it.
    pub written: u32,
}

/// The share of a write task; `None` where no length was asked for. On the way from the root to the task, what a layer has
/// left after its written parts is shared out among its other parts by their planned lengths.
pub fn share_of(tree: &Tree, key: &NodeKey) -> Option<Share> {
    let task = context_node(tree, key)?;
    let whole = tree.root()?.payload.words()?;
    let mut way = vec![task];
    while let Some(outer) = way.last().and_then(|node| node.outer()) {
        way.push(tree.node(&outer)?);
    }
    let (mut words, mut written) = (whole, 0_u32);
    for pair in way.windows(2).rev() {
        let (part, outer) = (pair[0], pair[1]);
        let parts: Vec<&Node> =
            tree.inner(outer).filter(|part| part.payload.info.task_type == TaskType::Write).collect();
        let (done, open): (Vec<&Node>, Vec<&Node>) =
            parts.into_iter().partition(|other| other.key != part.key && is_settled(other));
        let before = done.into_iter().fold(0, |sum: u32, done| sum.saturating_add(written_in(tree, done)));
        written = written.saturating_add(before);
        let planned: Vec<u32> = open.iter().map(|open| open.payload.words().unwrap_or_default()).collect();
        let at = open.iter().position(|open| open.key == part.key)?;
        let share = *share(words.saturating_sub(before), &planned).get(at)?;
        words = bounded(share, planned[at]);
    }
    Some(Share { words, whole, written })
}

fn is_settled(node: &Node) -> bool {
    matches!(node.status, TaskStatus::Finish | TaskStatus::Failed)
}

fn bounded(share: u32, planned: u32) -> u32 {
    let of = |(part, whole): (u64, u64)| u32::try_from(u64::from(planned) * part / whole).unwrap_or(u32::MAX);
    if planned == 0 { share } else { share.clamp(of(LEAST).max(1), of(MOST)) }
}

/// The words that were written inside a node. Texts that were counted when they were written are not counted again, so that a
/// share costs the same late in a book as early.
fn written_in(tree: &Tree, node: &Node) -> u32 {
    let count = |key: &NodeKey, text: &str| {
        let known = tree.node(key).and_then(|node| node.payload.written());
        known.unwrap_or_else(|| u32::try_from(count_words(&without_marks(text))).unwrap_or(u32::MAX))
    };
    let pieces = article_of(tree, &node.key);
    pieces.iter().fold(0, |sum, piece| sum.saturating_add(count(piece.node, piece.text)))
}
