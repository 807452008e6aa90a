//! Scores for passages that are not in the index, by its statistics.

use std::collections::BTreeMap;

use tantivy::Term;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight};

use super::engine::{Engine, Record};
use crate::terms;

/// How often each term stands in one field of a passage, and how many terms the field has.
type Bag = (BTreeMap<String, u32>, u32);

impl Engine {
    /// The score of each record for the terms, as if it were in the index beside the others; 0 when it has none.
    pub(super) fn score(&self, terms: &[String], records: &[Record]) -> tantivy::Result<Vec<f32>> {
        let mut scores = vec![0.0; records.len()];
        if records.is_empty() {
            return Ok(scores);
        }
        let searcher = self.searcher();
        let here = records.len() as u64;
        for (field, boost, text_of) in self.weighted() {
            let bags: Vec<Bag> = records.iter().map(|record| bag(&text_of(record))).collect();
            let lengths: u64 = bags.iter().map(|(_, length)| u64::from(*length)).sum();
            let documents = searcher.total_num_docs()? + here;
            let average = (searcher.total_num_tokens(field)? + lengths) as f32 / documents as f32;
            for term in terms {
                let having = bags.iter().filter(|(counts, _)| counts.contains_key(term)).count() as u64;
                if having == 0 {
                    continue;
                }
                let frequency = searcher.doc_freq(&Term::from_field_text(field, term))? + having;
                let weight =
                    Bm25Weight::for_one_term_without_explain(frequency.min(documents), documents, average.max(1.0));
                for (score, (counts, length)) in scores.iter_mut().zip(&bags) {
                    let count = counts.get(term).copied().unwrap_or_default();
                    if count > 0 {
                        *score += boost * weight.score(FieldNormReader::fieldnorm_to_id(*length), count);
                    }
                }
            }
        }
        Ok(scores)
    }
}

fn bag(text: &str) -> Bag {
    let mut counts = BTreeMap::new();
    let mut length = 0;
    for term in terms::terms(text) {
        *counts.entry(term).or_insert(0) += 1;
        length += 1;
    }
    (counts, length)
}
