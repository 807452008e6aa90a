//! Claims made false by program out of labelled ones: another number, unit or date, or a word made its opposite.

use std::collections::{BTreeMap, BTreeSet};

use graphloom_citations::planted::{Document, Kind, Planted, changed, plant};
use graphloom_citations::sentences;

use super::files::Part;
use super::opposites::Opposites;
use super::pairs::{Pair, Truth};

/// The kinds of change that the rules are to catch alone.
const AMOUNTS: [Kind; 3] = [Kind::NumberChanged, Kind::UnitChanged, Kind::DateChanged];
/// Words of a sentence that is copied.
const WORDS: std::ops::RangeInclusive<usize> = 8..=40;

/// A claim made false, and how.
pub(crate) type Changed = (Kind, Pair);

/// Sentences of the sources of one part, each with another number, unit or date: at most `each` of a kind.
pub(crate) fn sentences_with_other_amounts(pairs: &[Pair], part: Part, each: usize) -> Vec<Changed> {
    let mut documents: Vec<Document> = Vec::new();
    let mut sets = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.part == part) {
        if sets.insert(pair.source.as_str(), pair.set).is_none() {
            documents.push(Document::new(pair.title.as_str(), pair.source.as_str()));
        }
    }
    let planted = plant(&documents, each).into_iter().filter(|one| AMOUNTS.contains(&one.kind));
    let made = planted.map(|Planted { kind, claim, source }| {
        let set = sets.get(source.text.as_str()).copied().unwrap_or_default();
        (kind, Pair { set, part, truth: Truth::Contradicted, claim, title: source.title, source: source.text })
    });
    made.collect()
}

/// Supported claims of one part, each with another number, unit or date than the source and the claim have: at most `each`
/// of a kind. Some are still true, as `more than 120` where the source says 500.
pub(crate) fn claims_with_other_amounts(pairs: &[Pair], part: Part, each: usize) -> Vec<Changed> {
    let mut made: Vec<Changed> = Vec::new();
    for kind in AMOUNTS {
        let claims = distinct(pairs, part).into_iter().filter_map(|pair| {
            let document = Document::new(pair.title.as_str(), pair.source.as_str());
            let claim = changed(kind, &pair.claim, &document)?;
            // What was changed stood in the source: otherwise the claim says it in another way, and so may the change.
            let there = |word: &str| document.text.split_whitespace().any(|other| other == word);
            let was = pair.claim.split_whitespace().zip(claim.split_whitespace()).find(|(old, new)| old != new);
            was.is_some_and(|(old, _)| there(old)).then(|| (kind, false_claim(pair, claim)))
        });
        made.extend(claims.take(each));
    }
    made
}

/// Sentences of the sources of one part with one word made its opposite: at most `each` of a set.
pub(crate) fn reversed_sentences(pairs: &[Pair], part: Part, opposites: &Opposites, each: usize) -> Vec<Pair> {
    let (mut made, mut seen, mut counts) = (Vec::new(), BTreeSet::new(), BTreeMap::<&str, usize>::new());
    for pair in pairs.iter().filter(|pair| pair.part == part) {
        let count = counts.entry(pair.set).or_default();
        if *count >= each || !seen.insert(pair.source.as_str()) {
            continue;
        }
        let found = sentences(&pair.source).into_iter().find_map(|range| {
            let sentence = &pair.source[range];
            let claim = opposites.reverse(sentence).filter(|_| WORDS.contains(&sentence.split(' ').count()))?;
            (!pair.source.contains(&claim)).then_some(claim)
        });
        *count += usize::from(found.is_some());
        made.extend(found.map(|claim| false_claim(pair, claim)));
    }
    made
}

/// Supported claims of one part with one word made its opposite: at most `each` of a set.
pub(crate) fn reversed_claims(pairs: &[Pair], part: Part, opposites: &Opposites, each: usize) -> Vec<Pair> {
    let mut counts = BTreeMap::<&str, usize>::new();
    let made = distinct(pairs, part).into_iter().filter_map(|pair| {
        let count = counts.entry(pair.set).or_default();
        let claim = opposites.reverse(&pair.claim).filter(|_| *count < each)?;
        *count += 1;
        Some(false_claim(pair, claim))
    });
    made.collect()
}

/// The supported claims of one part, each once.
fn distinct(pairs: &[Pair], part: Part) -> Vec<&Pair> {
    let mut seen = BTreeSet::new();
    let supported = pairs.iter().filter(|pair| pair.part == part && pair.truth == Truth::Supported);
    supported.filter(|pair| seen.insert(pair.claim.as_str())).collect()
}

fn false_claim(pair: &Pair, claim: String) -> Pair {
    Pair { truth: Truth::Contradicted, claim, ..pair.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(claim: &str, source: &str) -> Pair {
        let (title, source) = (String::new(), source.to_owned());
        Pair { set: "set", part: Part::HeldBack, truth: Truth::Supported, claim: claim.to_owned(), title, source }
    }

    #[test]
    fn one_number_is_changed_and_nothing_else() {
        let pairs = [pair(
            "The tower was built with 1200 stones.",
            "In the old town the tower stands, which was built with 1200 stones of the river.",
        )];
        let [(Kind::NumberChanged, claim)] = &claims_with_other_amounts(&pairs, Part::HeldBack, 5)[..] else {
            panic!("one change")
        };
        assert!(claim.claim.starts_with("The tower was built with ") && claim.claim.ends_with(" stones."));
        assert!(!claim.claim.contains("1200") && claim.truth == Truth::Contradicted);
        let sentences = sentences_with_other_amounts(&pairs, Part::HeldBack, 5);
        assert!(sentences.iter().any(|(_, one)| one.claim.ends_with(" stones of the river.") && one.set == "set"));
        assert!(sentences_with_other_amounts(&pairs, Part::Seen, 5).is_empty());
    }

    #[test]
    fn one_word_is_reversed() {
        let words = "00000001 00 a 01 calm 0 001 ! 00000002 a 0101 | made up\n\
            00000002 00 a 01 stormy 0 001 ! 00000001 a 0101 | made up\n";
        let opposites = Opposites::read(&[('a', words.to_owned())]);
        let pairs = [pair("The lake is calm.", "On most days of the year the lake is calm and very clear.")];
        let claims = reversed_claims(&pairs, Part::HeldBack, &opposites, 5);
        assert_eq!(claims[0].claim, "The lake is stormy.");
        let sentences = reversed_sentences(&pairs, Part::HeldBack, &opposites, 5);
        assert_eq!(sentences[0].claim, "On most days of the year the lake is stormy and very clear.");
        assert!(reversed_claims(&pairs, Part::HeldBack, &opposites, 0).is_empty());
    }
}
