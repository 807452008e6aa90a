//! The sentences of a source that share most words with a claim.

use std::collections::{BTreeMap, BTreeSet};

use graphloom_text::Language;

use super::Span;
use crate::segment::sentences_in;
use crate::stem::{is_stop, stem};
use crate::token::{Kind, tokens};

/// The most sentences of one span.
const WIDEST: usize = 3;
/// What each further sentence of a span must bring.
const PRICE_OF_A_SENTENCE: f32 = 0.04;

/// The words of a text as they are compared, with their weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wording(BTreeMap<String, f32>);

impl Wording {
    /// The words of a text that are compared as those of `language`.
    pub(crate) fn of(text: &str, language: Language) -> Self {
        let mut words = BTreeMap::new();
        let mut before: Option<(usize, String)> = None;
        for token in tokens(text) {
            let mut ideograph = None;
            match token.kind {
                Kind::Word if is_stop(&token.folded, language) => {}
                Kind::Word => {
                    let name =
                        text[token.range.clone()].chars().any(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_');
                    words.insert(stem(&token.folded, language), if name { 2.0 } else { 1.0 });
                }
                Kind::Number => {
                    words.insert(token.folded.replace([',', ' ', '\''], ""), 2.0);
                }
                Kind::Ideograph => {
                    // Pairs: one ideograph alone says too little.
                    if let Some((end, left)) = before.take()
                        && end == token.range.start
                    {
                        words.insert(format!("{left}{}", token.folded), 0.7);
                    }
                    ideograph = Some((token.range.end, token.folded));
                }
                Kind::Sign => {}
            }
            before = ideograph;
        }
        Self(words)
    }

    /// The share of this wording's weight that `other` has, too.
    pub(crate) fn share_in(&self, other: &BTreeSet<&str>) -> f32 {
        let all: f32 = self.0.values().sum();
        let shared: f32 =
            self.0.iter().filter(|(word, _)| other.contains(word.as_str())).map(|(_, weight)| weight).sum();
        if all > 0.0 { shared / all } else { 0.0 }
    }

    /// The words, without numbers.
    pub(crate) fn words(&self) -> BTreeSet<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// This wording without names and numbers, which weigh more than words.
    pub(crate) fn without_names(&self) -> Self {
        Self(
            self.0.iter().filter(|(_, weight)| **weight <= 1.0).map(|(word, weight)| (word.clone(), *weight)).collect(),
        )
    }

    /// This wording without the words that `drop` names.
    pub(crate) fn without(&self, drop: impl Fn(&str) -> bool) -> Self {
        Self(self.0.iter().filter(|(word, _)| !drop(word)).map(|(word, weight)| (word.clone(), *weight)).collect())
    }
}

/// Where a claim is spoken of, and how much of it.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) span: Span,
    pub(crate) overlap: f32,
}

/// The best of all runs of one to three sentences of a source in `language`; of equally good ones the shorter, then the first.
pub(crate) fn best_window(claim: &str, source: &str, language: Language) -> Option<Window> {
    let claim = Wording::of(claim, language);
    let ranges = sentences_in(source, language);
    let wordings: Vec<Wording> = ranges.iter().map(|range| Wording::of(&source[range.clone()], language)).collect();
    let sets: Vec<BTreeSet<&str>> = wordings.iter().map(Wording::words).collect();
    let mut best: Option<(f32, Window)> = None;
    for first in 0..ranges.len() {
        let mut words = BTreeSet::new();
        for (width, set) in sets[first..].iter().take(WIDEST).enumerate() {
            words.extend(set.iter().copied());
            let overlap = claim.share_in(&words);
            #[expect(clippy::cast_precision_loss, reason = "a width is at most three")]
            let score = overlap - PRICE_OF_A_SENTENCE * width as f32;
            if overlap > 0.0 && best.as_ref().is_none_or(|(most, _)| score > *most + f32::EPSILON) {
                let span = Span { start: ranges[first].start, end: ranges[first + width].end };
                best = Some((score, Window { span, overlap }));
            }
        }
    }
    best.map(|(_, window)| window)
}
