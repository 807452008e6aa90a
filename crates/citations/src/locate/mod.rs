//! Where in a source a claim is spoken of.

mod overlap;
mod quotation;

use std::ops::Range;

use graphloom_text::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use overlap::{Wording, best_window};
pub use quotation::find_quotation;
pub(crate) use quotation::find_quotation_in;

/// A part of a source text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The span as a range.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// The text of the span, where `text` has it.
    #[must_use]
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.range())
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

/// The span of `source` that shares most words with `claim`, and the share of the claim's weight found there, 0 to 1.
///
/// Names and numbers weigh twice as much as words, and small words nothing. A span is one to three whole sentences.
#[must_use]
pub fn best_overlap(claim: &str, source: &str) -> Option<(Span, f32)> {
    let window = best_window(claim, source, Language::detect(source))?;
    Some((window.span, window.overlap))
}
