//! Paragraphs that quote: the model chooses sentences and leads to them, the program puts the citations.
//!
//! A small model invents facts and changes figures, so it never writes what is cited; see
//! [`graphloom_retrieval::extract`] for how such paragraphs are made.

use graphloom_retrieval::Evidence;
use graphloom_retrieval::extract;
pub use graphloom_retrieval::extract::{Offer, Quotable, invented, offers, paragraph_schema};
use serde::{Deserialize, Serialize};

use crate::cite::mark;

/// What the model answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Choice {
    /// A sentence that leads to the quotations.
    pub(super) lead: String,
    /// The labels of the sentences it chose.
    pub(super) facts: Vec<String>,
}

/// The sentences of the evidence that fit a question, best first, without those that `written` already has.
pub fn quotable<'e>(question: &str, evidence: impl IntoIterator<Item = &'e Evidence>, written: &str) -> Vec<Quotable> {
    extract::quotable(question, evidence.into_iter().map(|found| (found.id.as_str(), found.text.as_str())), written)
}

/// A paragraph of a lead and the chosen sentences, each with the mark of its evidence, and a note when the lead was
/// dropped; see [`extract::compose`].
pub fn compose(offers: &[Offer], lead: &str, facts: &[String], material: &str) -> (String, Option<String>) {
    extract::compose(offers, lead, facts, material, mark)
}
