//! The findings of a review with the numbers that prompts use.

use super::{Finding, Session};

/// A finding with the number that prompts use for its record.
#[derive(serde::Serialize)]
pub(crate) struct Numbered<'f> {
    pub(crate) number: usize,
    #[serde(skip)]
    pub(crate) id: &'f str,
    pub(crate) title: &'f str,
    pub(crate) claim: &'f str,
    limits: &'f str,
}

/// The findings of a session's review, in the order of the records.
pub(crate) fn numbered(session: &Session) -> Vec<Numbered<'_>> {
    let Some(review) = &session.artifacts.review else { return Vec::new() };
    let of = |id: &str| review.value.findings.iter().find(|finding| finding.record == id);
    let records = review.value.records.iter().enumerate();
    records
        .filter_map(|(at, record)| {
            let Finding { claim, limits, .. } = of(&record.id)?;
            Some(Numbered { number: at + 1, id: &record.id, title: &record.title, claim, limits })
        })
        .collect()
}
