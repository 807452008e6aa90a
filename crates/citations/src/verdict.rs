//! What a check ends with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::locate::Span;
use crate::rules::Fault;

/// A source that a claim cites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceText<'a> {
    /// The title: names in it count as names of the source.
    pub title: &'a str,
    /// The text; spans are bytes of it.
    pub text: &'a str,
}

impl<'a> SourceText<'a> {
    /// A source with a title.
    #[must_use]
    pub fn new(title: &'a str, text: &'a str) -> Self {
        Self { title, text }
    }
}

/// Whether a source supports a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// The source says so, here.
    Supported {
        /// The words that say so.
        span: Span,
    },
    /// The source says otherwise, here.
    Contradicted {
        /// The words that say otherwise.
        span: Span,
    },
    /// The source does not say it.
    NotFound,
    /// Nobody could tell; the claim stands as it was written.
    NotChecked {
        /// What was in the way.
        why: String,
    },
}

impl Verdict {
    /// The words in the source that decided, if any did.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Supported { span } | Self::Contradicted { span } => Some(*span),
            Self::NotFound | Self::NotChecked { .. } => None,
        }
    }

    /// The verdict in one word, as stored and shown.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Supported { .. } => "supported",
            Self::Contradicted { .. } => "contradicted",
            Self::NotFound => "not_found",
            Self::NotChecked { .. } => "not_checked",
        }
    }

    /// Whether the source supports the claim.
    #[must_use]
    pub fn is_supported(&self) -> bool {
        matches!(self, Self::Supported { .. })
    }
}

/// A verdict and how it was come by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// The verdict.
    pub verdict: Verdict,
    /// What decided.
    pub basis: Basis,
    /// What the rules found: what rejected the claim, or what a judge was asked to look at.
    pub faults: Vec<Fault>,
    /// The share of the claim's wording found in the best span, 0 to 1; none where the two are written in different
    /// scripts, which share no words.
    #[serde(default)]
    pub overlap: Option<f32>,
}

/// What decided on a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Basis {
    /// The claim is a whole sentence of the source, word for word, and the source states it there.
    Quotation,
    /// The source has another number, unit or date of the same quantity in the same clause.
    Rules,
    /// The source has no text, or less of the claim's wording than [`CheckOptions`](crate::CheckOptions) asks for.
    Wording,
    /// A judge of entailment decided.
    Entailment,
    /// The judge could not be asked.
    Outage,
    /// A judge accepts the claim, and a rule finds something else in the source in the place of what the claim says.
    Doubt,
}
