//! Words of a question that no document has, and words of the index with a similar spelling.

use std::collections::BTreeMap;

use graphloom_text::words;
use tantivy::Term;

use super::Corpus;
use super::engine::Engine;
use crate::RetrievalError;
use crate::terms::{query_terms, query_terms_of, terms};

/// A shorter term is like too many others.
const SHORTEST: usize = 4;
/// From this length two letters may differ, and before it one.
const LONG: usize = 8;
/// How many words are offered for one.
const OFFERED: usize = 3;
/// How many words of a question are looked for.
const LOOKED_FOR: usize = 8;

impl Corpus {
    /// The words of a question that stand in no document and are none that `is_known`, each with up to three terms of the
    /// index that are spelt most like it, the commonest first: one letter differs, or two in words of eight letters and
    /// more; two letters in each other's place count as one. Words without such a term are left out. `is_known` is asked by
    /// terms.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn similar_words(
        &self,
        query: &str,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<String>)>, RetrievalError> {
        let engine = self.engine()?;
        let failed = |error| RetrievalError::engine(&self.inner.index, error);
        let languages = engine.languages().map_err(failed)?;
        let asked = query_terms(query, super::MOST_TERMS);
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for word in words(query).take(super::MOST_TERMS) {
            let of_word = terms(word);
            let [term] = of_word.as_slice() else { continue };
            let is_word = term.chars().all(char::is_alphabetic) && term.chars().count() >= SHORTEST;
            if !is_word || !asked.contains(term) || is_known(term) || found.contains_key(word) {
                continue;
            }
            let forms = query_terms_of(word, super::MOST_TERMS, &languages);
            let has =
                forms.iter().map(|form| engine.has(form)).collect::<tantivy::Result<Vec<bool>>>().map_err(failed)?;
            if has.contains(&true) {
                continue;
            }
            let near = engine.near(term).map_err(failed)?;
            if !near.is_empty() {
                found.insert(word.to_owned(), near);
            }
            if found.len() == LOOKED_FOR {
                break;
            }
        }
        Ok(found.into_iter().collect())
    }
}

impl Engine {
    /// Whether a term stands in a document.
    fn has(&self, term: &str) -> tantivy::Result<bool> {
        let searcher = self.searcher();
        for (field, ..) in self.weighted() {
            if searcher.doc_freq(&Term::from_field_text(field, term))? > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The terms that are spelt most like a term.
    fn near(&self, term: &str) -> tantivy::Result<Vec<String>> {
        let length = term.chars().count();
        let most = if length < LONG { 1 } else { 2 };
        // How far each term is, and how often it stands.
        let mut near: BTreeMap<String, (usize, u64)> = BTreeMap::new();
        for segment in self.searcher().segment_readers() {
            for (field, ..) in self.weighted() {
                let index = segment.inverted_index(field)?;
                let mut stream = index.terms().stream()?;
                while stream.advance() {
                    let Ok(other) = std::str::from_utf8(stream.key()) else { continue };
                    if other.len().abs_diff(term.len()) > 4 * most || other.chars().count().abs_diff(length) > most {
                        continue;
                    }
                    let far = strsim::osa_distance(term, other);
                    if far <= most {
                        let often = u64::from(stream.value().doc_freq);
                        near.entry(other.to_owned()).or_insert((far, 0)).1 += often;
                    }
                }
            }
        }
        let least = near.values().map(|(far, _)| *far).min().unwrap_or_default();
        let mut near: Vec<(String, u64)> =
            near.into_iter().filter(|(_, (far, _))| *far == least).map(|(term, (_, often))| (term, often)).collect();
        near.sort_by(|(one, a), (other, b)| b.cmp(a).then(one.cmp(other)));
        Ok(near.into_iter().take(OFFERED).map(|(term, _)| term).collect())
    }
}
