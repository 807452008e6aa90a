//! Sentences, and which of them answer a question: pure functions for whoever quotes.
//!
//! ```
//! use graphloom_retrieval::extract::{best_sentences, sentences};
//!
//! let text = "The log is flushed first, e.g. with fsync. Then the commit returns. Readers never wait.";
//! assert_eq!(sentences(text).len(), 3);
//! let best = best_sentences("when does a commit return", text, 1);
//! assert_eq!(&text[best[0].range.clone()], "Then the commit returns.");
//! ```

mod about;
mod clean;
mod rank;

pub use about::about;
pub use clean::clean;
pub(crate) use clean::without_numbers;
pub use graphloom_text::{count_words, sentences};
pub use rank::{RankedSentence, best_sentences, snippet};

/// The terms of a text in order, as an index has them: words by their stem, pairs of characters where a script has no
/// spaces.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    crate::terms::terms(text)
}

/// The distinct terms of a question in order, at most 64; words that carry no subject are left out unless there are no
/// others.
#[must_use]
pub fn query_terms(query: &str) -> Vec<String> {
    crate::terms::query_terms(query, 64)
}
