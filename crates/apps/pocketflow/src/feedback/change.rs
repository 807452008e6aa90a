//! Changes of the items under review, and the items that the person sees.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change of what is reviewed. Places count from 1, and are those of the list before any change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Edit {
    /// Takes one away.
    Remove(usize),
    /// Puts one at the end.
    Add(String),
    /// Replaces one.
    Replace(usize, String),
    /// Exchanges two.
    Swap(usize, usize),
    /// Puts the first in the place of the second.
    Move(usize, usize),
    /// Makes one of two, in the place of the first.
    Merge(usize, usize),
    /// Has one made again, or all where none is named, as the person's own words say.
    Rework {
        /// Which one.
        at: Option<usize>,
        /// The words.
        how: String,
    },
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remove(at) => write!(f, "take out number {at}"),
            Self::Add(text) => write!(f, "add “{text}”"),
            Self::Replace(at, text) => write!(f, "make number {at} “{text}”"),
            Self::Swap(one, other) => write!(f, "swap numbers {one} and {other}"),
            Self::Move(from, to) => write!(f, "put number {from} in the place of number {to}"),
            Self::Merge(one, other) => write!(f, "make one of numbers {one} and {other}"),
            Self::Rework { at: Some(at), how } => write!(f, "make number {at} again as you say: “{how}”"),
            Self::Rework { at: None, how } => write!(f, "make it again as you say: “{how}”"),
        }
    }
}

/// The items that the person sees while replying.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReviewedItems {
    /// The queries, or the headings of the proposal; the heading of the references is the last.
    pub items: Vec<String>,
    /// Whether the items are the headings of a proposal. The parts of a proposal have names as well as numbers.
    pub proposal: bool,
}

impl ReviewedItems {
    /// Numbered queries under review.
    pub fn queries(items: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { items: items.into_iter().map(Into::into).collect(), proposal: false }
    }

    /// A proposal under review, with these headings.
    pub fn proposal(headings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let references = std::iter::once("References".to_owned());
        Self { items: headings.into_iter().map(Into::into).chain(references).collect(), proposal: true }
    }

    /// How many items can be removed or replaced; the references of a proposal cannot.
    pub(super) fn count(&self) -> usize {
        self.items.len() - usize::from(self.proposal && !self.items.is_empty())
    }
}

/// What a reply was nearly read as. The person is asked before it counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Candidate {
    /// Go on.
    Approve,
    /// Change these places.
    Edit(Vec<Edit>),
    /// End the journey.
    Cancel,
    /// Make what was shown again, for this reason.
    Reject(String),
    /// Begin another journey, with this topic.
    NewTopic(String),
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approve => f.write_str("go on with it as it is"),
            Self::Cancel => f.write_str("end this journey"),
            Self::Reject(reason) => write!(f, "make it anew, since you say “{reason}”"),
            Self::NewTopic(topic) => write!(f, "begin another journey, with the topic “{topic}”"),
            Self::Edit(edits) => {
                let descriptions: Vec<String> = edits.iter().map(Edit::to_string).collect();
                f.write_str(&descriptions.join(", "))
            }
        }
    }
}
