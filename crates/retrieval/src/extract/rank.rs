//! Which sentences of a text fit a question.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use graphloom_text::{Language, sentences, sentences_in};

use crate::terms::{query_terms_in, terms_in};

/// A question is compared by at most this many distinct terms.
const MOST_TERMS: usize = 64;
/// BM25's saturation and length weights, at their customary values.
const SATURATION: f32 = 1.2;
const LENGTH_WEIGHT: f32 = 0.75;
/// Shorter sentences are headings or fragments and seldom say anything.
const FEWEST_TERMS: usize = 4;
const FRAGMENT_WEIGHT: f32 = 0.5;
/// A question repeats the words of a query without answering it.
const QUESTION_WEIGHT: f32 = 0.6;
/// Code, captions and table rows share words with a question but are poor quotations.
const NO_PROSE_WEIGHT: f32 = 0.25;
/// A display snippet is cut near this many characters.
const SNIPPET_LENGTH: usize = 320;

/// A sentence and how well it fits.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankedSentence {
    /// The bytes of the sentence in the text.
    pub range: Range<usize>,
    /// Its BM25 score among the sentences of the text, always above zero; larger is better.
    pub score: f32,
}

/// At most `n` sentences of `text` that share words with `query`, best first; equal scores keep the order of the text.
///
/// A word that few sentences have counts more. Fragments, questions and what looks like code count less. Sentences that
/// share nothing with the query are never returned, so the answer can be empty. The marker of a list item is left out.
#[must_use]
pub fn best_sentences(query: &str, text: &str, n: usize) -> Vec<RankedSentence> {
    let language = Language::detect(text);
    let wanted = query_terms_in(query, MOST_TERMS, language);
    let ranges: Vec<Range<usize>> =
        sentences_in(text, language).into_iter().map(|range| without_marker(text, range)).collect();
    let bags: Vec<Vec<String>> = ranges.iter().map(|range| terms_in(&text[range.clone()], language)).collect();
    let total: usize = bags.iter().map(Vec::len).sum();
    if wanted.is_empty() || total == 0 {
        return Vec::new();
    }
    let average = total as f32 / bags.len() as f32;
    let mut having: BTreeMap<&str, usize> = BTreeMap::new();
    for bag in &bags {
        for term in bag.iter().map(String::as_str).collect::<BTreeSet<_>>() {
            *having.entry(term).or_default() += 1;
        }
    }
    let weight = |term: &str| {
        let n = having.get(term).copied().unwrap_or_default() as f32;
        (1.0 + (bags.len() as f32 - n + 0.5) / (n + 0.5)).ln()
    };
    let mut ranked: Vec<RankedSentence> = Vec::new();
    for (range, bag) in ranges.into_iter().zip(&bags) {
        let mut score = 0.0;
        for term in &wanted {
            let count = bag.iter().filter(|other| *other == term).count() as f32;
            let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * bag.len() as f32 / average;
            score += weight(term) * count * (SATURATION + 1.0) / (count + SATURATION * length);
        }
        if bag.len() < FEWEST_TERMS {
            score *= FRAGMENT_WEIGHT;
        }
        let sentence = &text[range.clone()];
        if sentence.ends_with(['?', '？']) {
            score *= QUESTION_WEIGHT;
        }
        if !is_prose(sentence) {
            score *= NO_PROSE_WEIGHT;
        }
        if score > 0.0 {
            ranked.push(RankedSentence { range, score });
        }
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.range.start.cmp(&b.range.start)));
    ranked.truncate(n);
    ranked
}

fn without_marker(text: &str, range: Range<usize>) -> Range<usize> {
    let sentence = &text[range.clone()];
    let Some((marker, rest)) = sentence.split_once(' ') else { return range };
    let number = marker.strip_suffix(['.', ')']).unwrap_or_default();
    let numbered = !number.is_empty() && number.len() <= 3 && number.bytes().all(|byte| byte.is_ascii_digit());
    let rest = rest.trim_start();
    if (numbered || matches!(marker, "-" | "*" | "+" | "•" | "–")) && !rest.is_empty() {
        return range.end - rest.len()..range.end;
    }
    range
}

/// Whether something begins and ends like a sentence and has few of the signs that code is full of.
fn is_prose(sentence: &str) -> bool {
    let begins = sentence.starts_with(|c: char| c.is_alphanumeric() || "\"'“‘«„(「『".contains(c));
    let ends = sentence
        .trim_end_matches(['"', '\'', '”', '’', '»', ')', ']', '」', '』', '*'])
        .ends_with(['.', '!', '?', ':', '…', '。', '！', '？', '．']);
    let signs = sentence.matches(['{', '}', ';', '=', '<', '>', '|', '$', '\\', '`']).count();
    begins && ends && signs * 25 < sentence.chars().count() && !sentence.contains("//")
}

/// The best one or two sentences in the order of the text, on one line; the beginning of the text if none fits.
#[must_use]
pub fn snippet(query: &str, text: &str) -> String {
    let mut best: Vec<Range<usize>> = best_sentences(query, text, 2).into_iter().map(|s| s.range).collect();
    if best.len() == 2 && best[0].len() + best[1].len() > SNIPPET_LENGTH {
        best.truncate(1);
    }
    best.sort_by_key(|range| range.start);
    if best.is_empty() {
        best.extend(sentences(text).into_iter().next());
    }
    let mut shown = String::new();
    let mut end = None;
    for range in best {
        match end {
            None => {}
            Some(end) if text[end..range.start].trim().is_empty() => shown.push(' '),
            Some(_) => shown.push_str(" … "),
        }
        shown.extend(text[range.clone()].split_whitespace().flat_map(|word| [word, " "]));
        shown.truncate(shown.trim_end().len());
        end = Some(range.end);
    }
    shorten(shown)
}

fn shorten(mut shown: String) -> String {
    if let Some((cut, _)) = shown.char_indices().nth(SNIPPET_LENGTH) {
        let at = shown[..cut].rfind(' ').filter(|space| *space > cut / 2).unwrap_or(cut);
        shown.truncate(at);
        shown.push_str(" …");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Does a crash lose commits? Pages are written to the log first. After a crash, the log is replayed \
                        and committed transactions are restored. Log. Reading pages is fast.";

    fn best(query: &str, n: usize) -> Vec<&'static str> {
        best_sentences(query, TEXT, n).into_iter().map(|s| &TEXT[s.range]).collect()
    }

    #[test]
    fn the_sentence_that_answers_comes_before_the_one_that_asks() {
        let answer = "After a crash, the log is replayed and committed transactions are restored.";
        assert_eq!(best("What happens to commits after a crash?", 1), [answer]);
        assert_eq!(best("Which log is written?", 2)[0], "Pages are written to the log first.");
        assert!(best("zebra", 3).is_empty());
        assert!(best("", 3).is_empty());
        assert!(best("crash", 0).is_empty());
    }

    #[test]
    fn prose_comes_before_code_and_without_its_marker() {
        let text = "let owner = drop(scope);\n\n1. An owner has one scope here.\n\n| owner | scope |\n\n\
                    - When the owner leaves its scope, the value is dropped.\n";
        let best: Vec<&str> = best_sentences("owner scope", text, 2).into_iter().map(|s| &text[s.range]).collect();
        assert_eq!(best, ["An owner has one scope here.", "When the owner leaves its scope, the value is dropped."]);
    }

    #[test]
    fn a_snippet_is_one_short_line() {
        assert_eq!(
            snippet("log replay", TEXT),
            "Pages are written to the log first. After a crash, the log is replayed and committed transactions are restored."
        );
        assert_eq!(snippet("zebra", "First one\nhere. Second."), "First one here.");
        assert_eq!(snippet("fast crash", TEXT).matches(" … ").count(), 1);
        let long = format!("word {}", "日本".repeat(400));
        assert!(snippet("word", &long).chars().count() <= SNIPPET_LENGTH + 2);
        assert_eq!(snippet("x", ""), "");
    }
}
