//! Scores as they would be if records that are not in the index were in it.

use std::collections::BTreeMap;

use graphloom_text::Language;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight};
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

use super::engine::{Engine, Record};
use crate::terms;

/// How often each term stands in one field of a record, and how many terms the field has.
#[derive(Debug, Default)]
struct TermCounts {
    counts: BTreeMap<String, u32>,
    length: u32,
}

/// The terms of records that are not in the index, by field.
#[derive(Debug)]
pub(super) struct ExtraRecords {
    fields: Vec<(Field, f32, Vec<TermCounts>)>,
    records: usize,
}

/// The statistics of the index and of the records beside it.
pub(super) struct CombinedStatistics<'a> {
    pub(super) searcher: &'a Searcher,
    pub(super) beside: &'a ExtraRecords,
}

impl Engine {
    /// Counts the terms of records that are not in the index.
    pub(super) fn beside(&self, records: &[Record]) -> ExtraRecords {
        let bags = |text_of: fn(&Record) -> String| {
            records.iter().map(|record| TermCounts::of(&text_of(record), record.language)).collect()
        };
        let fields =
            self.weighted().into_iter().map(|(field, weight, text_of)| (field, weight, bags(text_of))).collect();
        ExtraRecords { fields, records: records.len() }
    }

    /// The score of each record beside the index for the terms; 0 when it has none.
    pub(super) fn score(&self, terms: &[String], beside: &ExtraRecords) -> tantivy::Result<Vec<f32>> {
        let mut scores = vec![0.0; beside.records];
        let searcher = self.searcher();
        let together = CombinedStatistics { searcher: &searcher, beside };
        // In the order of the query's clauses, so that equal passages have equal scores to the last bit.
        for term in terms {
            for (field, boost, bags) in &beside.fields {
                if !bags.iter().any(|bag| bag.counts.contains_key(term)) {
                    continue;
                }
                let weight = Bm25Weight::for_terms(&together, &[Term::from_field_text(*field, term)])?.boost_by(*boost);
                for (score, bag) in scores.iter_mut().zip(bags) {
                    let count = bag.counts.get(term).copied().unwrap_or_default();
                    if count > 0 {
                        *score += weight.score(FieldNormReader::fieldnorm_to_id(bag.length), count);
                    }
                }
            }
        }
        Ok(scores)
    }
}

impl TermCounts {
    fn of(text: &str, language: Language) -> Self {
        let mut bag = Self::default();
        for term in terms::terms_in(text, language) {
            *bag.counts.entry(term).or_insert(0) += 1;
            bag.length += 1;
        }
        bag
    }
}

impl ExtraRecords {
    fn bags(&self, field: Field) -> &[TermCounts] {
        self.fields.iter().find(|(own, ..)| *own == field).map_or(&[], |(_, _, bags)| bags)
    }
}

impl Bm25StatisticsProvider for CombinedStatistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        let beside: u64 = self.beside.bags(field).iter().map(|bag| u64::from(bag.length)).sum();
        Ok(self.searcher.total_num_tokens(field)? + beside)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.searcher.total_num_docs()? + self.beside.records as u64)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let value = term.value();
        let text = value.as_str().unwrap_or_default();
        let having = self.beside.bags(term.field()).iter().filter(|bag| bag.counts.contains_key(text)).count();
        Ok(Searcher::doc_freq(self.searcher, term)? + having as u64)
    }
}
