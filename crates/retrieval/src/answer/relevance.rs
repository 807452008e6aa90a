//! The relevance of a sentence to a part of a request.

use std::collections::BTreeSet;

use graphloom_text::Language;

use super::request::Part;
use crate::terms::terms_in;

/// The least share of a part's own terms that a sentence has itself.
const IN_SENTENCE: f32 = 0.34;
/// The same where the part has no words that stand beside each other.
const APART_IN_SENTENCE: f32 = 0.6;
/// A sentence with this share of them needs none beside each other.
const MOST_IN_SENTENCE: f32 = 0.75;
/// The least share of a part's own terms, and of all its terms, that a sentence has with what stands around it.
const IN_ALL: f32 = 0.5;
/// The least share of what a part refers to that a sentence has with what stands above it.
const REFERRED: f32 = 0.5;
/// Words beside each other in a request are at most so far apart in a sentence.
const NEAR: usize = 2;
/// A sentence begins with its subject, within so many terms.
const SUBJECT: usize = 4;
/// A passage is about a part when it has this share of the part's own terms; each sentence in it that has one of them counts.
const IN_PASSAGE: f32 = 0.75;
/// So many of a part's own terms make a sentence one of the nearest, with this share of them around it.
const NEAREST_TERMS: usize = 2;
const NEAREST_IN_ALL: f32 = 0.6;
/// What a sentence about a part that refers to another has more than one about that other.
const REFERS: f32 = 0.75;
/// Terms are the same when one begins with the other, which has at least so many characters: `fail` and `failur`.
const STEM: usize = 4;

/// A sentence and where it stands.
#[derive(Debug)]
pub(super) struct SentenceInPlace<'s> {
    terms: Vec<String>,
    above: &'s BTreeSet<String>,
    around: &'s [String],
}

impl<'s> SentenceInPlace<'s> {
    /// A sentence below headings with terms `above`, in a passage with these terms in order; all of them as those of a
    /// language.
    pub(super) fn new(sentence: &str, above: &'s BTreeSet<String>, around: &'s [String], language: Language) -> Self {
        Self { terms: terms_in(sentence, language), above, around }
    }

    fn has(&self, term: &str) -> bool {
        self.terms.iter().any(|other| same(term, other))
    }

    fn is_below(&self, term: &str) -> bool {
        self.above.iter().any(|other| same(term, other))
    }

    /// Whether the sentence or a heading above it has the term.
    fn is_under(&self, term: &str) -> bool {
        self.has(term) || self.is_below(term)
    }

    /// Whether neither the sentence nor a heading above it has the subject of a part.
    fn left_subject(&self, part: &Part) -> bool {
        !part.subject.is_empty() && !part.subject.iter().any(|term| self.is_under(term))
    }

    fn is_near(&self, term: &str) -> bool {
        self.is_under(term) || self.around.iter().any(|other| same(term, other))
    }
}

/// Whether two terms stand near each other.
fn has_pair(terms: &[String], (one, other): &(String, String)) -> bool {
    let places = |wanted: &str| {
        (0..).zip(terms).filter(|(_, term)| same(wanted, term)).map(|(at, _)| at).collect::<Vec<usize>>()
    };
    let (ones, others) = (places(one), places(other));
    ones.iter().any(|one| others.iter().any(|other| one.abs_diff(*other) <= NEAR && one != other))
}

/// The relevance of a sentence to a part, above zero; `None` when the sentence does not bear on the part.
pub(super) fn relevance(part: &Part, sentence: &SentenceInPlace<'_>) -> Option<f32> {
    let all = || part.own.iter().chain(&part.around);
    let own = share(part.own.iter(), |term| sentence.has(term));
    let above = share(part.own.iter(), |term| sentence.is_below(term));
    let own_near = share(part.own.iter(), |term| sentence.is_near(term));
    let all_near = share(all(), |term| sentence.is_near(term));
    let least = if part.pairs.is_empty() && part.own.len() > 1 { APART_IN_SENTENCE } else { IN_SENTENCE };
    // In a passage about the part a sentence need not say it all again.
    let holds = part.pairs.is_empty() || part.pairs.iter().any(|pair| has_pair(sentence.around, pair));
    let is_within = part.own.len() > 1 && own_near >= IN_PASSAGE && own > 0.0 && holds;
    let joined = is_within
        || part.pairs.is_empty()
        || own >= MOST_IN_SENTENCE
        || part
            .pairs
            .iter()
            .any(|pair| has_pair(&sentence.terms, pair) || (sentence.is_below(&pair.0) && sentence.is_below(&pair.1)));
    let refers = part.refers.is_empty() || share(part.refers.iter(), |term| sentence.is_under(term)) >= REFERRED;
    // A single word is of the list where it stands beside something of the list.
    let alone =
        part.own.len() == 1 && !part.context.is_empty() && !part.context.iter().any(|term| sentence.is_under(term));
    let left_subject = sentence.left_subject(part);
    if alone
        || left_subject
        || (own < least && !is_within)
        || own_near < IN_ALL
        || all_near < IN_ALL
        || !joined
        || !refers
    {
        return None;
    }
    let begins = sentence.terms.iter().take(SUBJECT).any(|term| part.own.iter().any(|own| same(own, term)));
    let whole = share(all(), |term| sentence.has(term));
    let subject = if begins { 0.5 } else { 0.0 };
    let specific = if part.refers.is_empty() { 0.0 } else { REFERS };
    Some(own + whole + above + all_near / 2.0 + subject + specific)
}

/// The nearness of a sentence to a part that no sentence bears on; `None` when the sentence is far.
pub(super) fn nearness(part: &Part, sentence: &SentenceInPlace<'_>) -> Option<f32> {
    let held = part.own.iter().filter(|term| sentence.has(term)).count();
    let near = share(part.own.iter(), |term| sentence.is_near(term));
    let refers = part.refers.is_empty() || part.refers.iter().any(|term| sentence.is_under(term));
    let left_subject = sentence.left_subject(part);
    let is_near = held >= NEAREST_TERMS && near >= NEAREST_IN_ALL && refers && !left_subject;
    is_near.then_some(share(part.own.iter(), |term| sentence.has(term)) + near)
}

/// Whether two stems are of one word.
pub(super) fn same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short == long || (short.chars().count() >= STEM && long.starts_with(short))
}

fn share<'t>(terms: impl Iterator<Item = &'t String>, has: impl Fn(&str) -> bool) -> f32 {
    let (mut shared, mut all) = (0.0, 0.0);
    for term in terms {
        all += 1.0;
        if has(term) {
            shared += 1.0;
        }
    }
    if all == 0.0 { 0.0 } else { shared / all }
}
