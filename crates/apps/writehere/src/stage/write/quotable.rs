//! Which sentences of evidence can be quoted.

use graphloom_retrieval::Evidence;
use graphloom_retrieval::answer::{Material, Quotable, Request};

use crate::cite::without_marks;

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
