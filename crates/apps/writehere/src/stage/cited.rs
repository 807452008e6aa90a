//! Paragraphs that quote: the model chooses sentences, the program puts the citations.
//!
//! A small model invents facts and changes figures, so it never writes what is cited; see
//! [`graphloom_retrieval::answer`] for which sentences it may choose among.

use graphloom_retrieval::answer::{Material, Request};
pub use graphloom_retrieval::extract::{Offer, Quotable, choice_schema, offers};
use graphloom_retrieval::{Evidence, extract};
use serde::{Deserialize, Serialize};

use crate::cite::{mark, without_marks};

/// What the model answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Choice {
    /// The labels of the sentences it chose.
    pub(super) facts: Vec<String>,
}

/// The sentences of the evidence that bear on a request, those that fit `focus` first, without those that `written`
/// already has.
pub fn quotable<'e>(
    request: &Request,
    focus: &str,
    evidence: impl IntoIterator<Item = &'e Evidence>,
    written: &str,
) -> Vec<Quotable> {
    let evidence: Vec<(&Evidence, String)> =
        evidence.into_iter().map(|found| (found, format!("{} {}", found.title, found.heading.join(" ")))).collect();
    let material = evidence.iter().map(|(found, above)| Material::new(&found.id, above, &found.text));
    request.quotable(focus, material, &without_marks(written))
}

/// A paragraph of the chosen sentences, each with the mark of its evidence; see [`extract::compose`].
pub fn compose(offers: &[Offer], facts: &[String]) -> String {
    extract::compose(offers, facts, mark)
}
