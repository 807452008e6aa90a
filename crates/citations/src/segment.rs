//! Sentences of a text with citation marks: a mark belongs to the sentence before it.

use std::ops::Range;

use graphloom_text::Language;
use graphloom_text::sentence::{mask, sentences_hiding};

use crate::mark::marks;

/// The sentences of `text` as byte ranges, each with the citation marks behind it, by the rules of the language that the text
/// looks like; see [`graphloom_text::sentences`].
///
/// ```
/// use graphloom_citations::sentences;
///
/// let text = "It held. [citation:a] So did `b.c`.";
/// let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(found, ["It held. [citation:a]", "So did `b.c`."]);
/// ```
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    sentences_in(text, Language::detect(text))
}

/// The sentences of `text` by the rules of `language`.
#[must_use]
pub fn sentences_in(text: &str, language: Language) -> Vec<Range<usize>> {
    sentences_hiding(text, language, hidden(text))
}

/// The text with its marks hidden, and what has full stops of its own.
pub(crate) fn masked(text: &str) -> String {
    mask(text, hidden(text))
}

fn hidden(text: &str) -> impl Iterator<Item = Range<usize>> {
    marks(text).into_iter().map(|mark| mark.range)
}
