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

mod rank;
mod sentence;

pub use rank::{RankedSentence, best_sentences};
pub use sentence::sentences;

pub(crate) use rank::snippet;
