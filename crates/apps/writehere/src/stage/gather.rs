//! Searching with several queries, and choosing the sentences that fit a goal.

use std::collections::BTreeSet;

use graphloom_retrieval::extract::{best_sentences, clean};
use graphloom_retrieval::{Evidence, RetrievalError, Search, interleave};

use crate::cite::mark;

/// How many sentences of a result a search without a model's notes keeps.
const SENTENCES_PER_RESULT: usize = 3;

/// The results of several queries.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Gathered {
    /// The evidence, each piece once.
    pub evidence: Vec<Evidence>,
    /// Engines that failed, and what a person should know of single results.
    pub notes: Vec<String>,
}

/// Asks each query and takes results in turns, best first, each piece of evidence once and none that is known.
///
/// # Errors
/// When no engine answers a query.
pub async fn gather(
    engine: &dyn Search,
    queries: &[String],
    limit: usize,
    known: &BTreeSet<String>,
) -> Result<Gathered, RetrievalError> {
    let mut gathered = Gathered::default();
    let mut lists = Vec::with_capacity(queries.len());
    for query in queries {
        let answer = engine.search(query, limit).await.or_error()?;
        for remark in answer.remarks() {
            if !gathered.notes.contains(&remark) {
                gathered.notes.push(remark);
            }
        }
        lists.push(answer.hits);
    }
    let mut seen = known.clone();
    let fresh = interleave(lists).map(|hit| hit.evidence).filter(|evidence| seen.insert(evidence.id.clone()));
    gathered.evidence = fresh.take(limit).collect();
    Ok(gathered)
}

/// The sentences that fit the goal, each with its mark.
pub(super) fn fitting_sentences(goal: &str, found: &[Evidence]) -> String {
    let mut lines = Vec::new();
    for evidence in found {
        let mut ranges: Vec<_> = best_sentences(goal, &evidence.text, SENTENCES_PER_RESULT)
            .into_iter()
            .map(|sentence| sentence.range)
            .collect();
        ranges.sort_by_key(|range| range.start);
        lines.extend(
            ranges.into_iter().map(|range| format!("- {} {}", clean(&evidence.text[range]), mark(&evidence.id))),
        );
    }
    lines.join("\n")
}
