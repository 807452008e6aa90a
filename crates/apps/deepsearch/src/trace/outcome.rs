//! The outcome of citations and statements.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::state::Verdict;

/// The number of citations with each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CitationCount {
    /// The evidence states the claim.
    pub supported: usize,
    /// The evidence contradicts the claim.
    pub contradicted: usize,
    /// The evidence does not state the claim.
    pub not_found: usize,
    /// No judgement could be had.
    pub not_checked: usize,
}

impl CitationCount {
    pub(super) fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Supported => self.supported += 1,
            Verdict::Contradicted => self.contradicted += 1,
            Verdict::NotFound => self.not_found += 1,
            Verdict::NotChecked => self.not_checked += 1,
        }
    }

    /// The number of all citations.
    pub fn all(&self) -> usize {
        self.supported + self.contradicted + self.not_found + self.not_checked
    }
}

impl fmt::Display for CitationCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { supported, contradicted, not_found, not_checked } = self;
        write!(
            f,
            "{} citations checked: {supported} supported, {contradicted} contradicted, {not_found} not found, {not_checked} not checked",
            self.all()
        )
    }
}

/// The treatment of a statement that its sources do not support.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Resolution {
    /// The statement stays, with a remark behind it.
    Flagged,
    /// The statement was replaced.
    Rewritten {
        /// The statement that stands in its place.
        to: String,
    },
    /// The statement was removed.
    Dropped,
}

/// A statement that its sources do not support, for the summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsupportedStatement {
    /// The statement, as the writer wrote it.
    pub claim: String,
    /// The worst verdict.
    pub verdict: Verdict,
    /// The treatment.
    #[serde(alias = "deed")]
    pub resolution: Resolution,
}

impl fmt::Display for UnsupportedStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Contradicted => "contradicted by its source",
            _ => "not found in its source",
        };
        let resolution = match &self.resolution {
            Resolution::Flagged => "flagged".to_owned(),
            Resolution::Rewritten { to } => format!("rewritten as `{to}`"),
            Resolution::Dropped => "taken out".to_owned(),
        };
        write!(f, "a statement is {verdict} and was {resolution}: `{}`", self.claim)
    }
}
