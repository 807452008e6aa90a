//! Sentences of records that can be quoted.

use std::collections::BTreeMap;

use graphloom_retrieval::answer::{Material, Request};
use graphloom_retrieval::extract::{best_sentences, sentences};

/// Sentences of fewer or more words are not quoted.
const WORDS: std::ops::RangeInclusive<usize> = 6..=40;
/// How many of the best sentences are looked at before unfit ones are left out.
const LOOKED_AT: usize = 4;

/// The sentences of records that bear on a topic, by the id of their record, those that fit its searches best first; each
/// once. A record is its id, title and text.
pub(crate) fn claims<'r>(
    topic: &Request,
    searches: &str,
    records: impl Iterator<Item = (&'r str, &'r str, &'r str)>,
) -> BTreeMap<String, Vec<String>> {
    let material = records.map(|(id, title, text)| Material::new(id, title, text));
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for quotable in topic.quotable(searches, material, "") {
        if let Some(sentence) = fit(&quotable.text) {
            found.entry(quotable.evidence).or_default().push(sentence);
        }
    }
    found
}

/// At most `most` sentences of a text that can be quoted, those that fit the question best first. Where none shares a word
/// with the question, the first that can be quoted.
pub(crate) fn quotable(question: &str, text: &str, most: usize) -> Vec<String> {
    let best = best_sentences(question, text, most.saturating_mul(LOOKED_AT));
    let mut found: Vec<String> = Vec::new();
    for sentence in best.into_iter().filter_map(|sentence| fit(&text[sentence.range])) {
        if found.len() < most && !found.contains(&sentence) {
            found.push(sentence);
        }
    }
    if found.is_empty() {
        found.extend(sentences(text).into_iter().find_map(|range| fit(&text[range])));
    }
    found
}

/// The sentence on one line, where it reads like one and nothing in it would pass for a citation or markup.
fn fit(raw: &str) -> Option<String> {
    let line = raw.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_start_matches(['-', '*', '•', '>', ' ']);
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    let words = line.split(' ').count();
    // A script without spaces has few words but many letters.
    let long_enough = WORDS.contains(&words) || (words < *WORDS.start() && !line.is_ascii() && letters >= 12);
    let fits = long_enough
        && line.ends_with(['.', '!', '。', '！'])
        && !line.contains(['[', ']', '{', '}', '|', '<', '>', '#'])
        && !line.contains("://")
        && letters * 10 >= line.chars().count() * 7;
    fits.then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_sentences_that_stand_in_the_text() {
        let text = "# Log\n\n- The log is flushed to the disk\n  before a commit returns.\n\nSee [the log](x.md) for the log \
                    of all changes made.\n\n| the log | is | a | table | of | six |\n\nReaders never wait for the log to be \
                    written. The log?\n";
        let found = quotable("when is the log flushed", text, 5);
        assert_eq!(
            found,
            [
                "The log is flushed to the disk before a commit returns.",
                "Readers never wait for the log to be written."
            ]
        );
        assert_eq!(quotable("bicycles", text, 5).len(), 1, "something of the record, where nothing fits");
        assert_eq!(quotable("log", "See `x`.", 5), Vec::<String>::new());
    }
}
