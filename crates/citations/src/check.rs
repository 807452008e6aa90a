//! From a claim and a source to a verdict.

use crate::entail::{Entailment, Judgement, Outage, Question};
use crate::locate::{Span, best_window, find_quotation};
use crate::rules::{Fault, faults, is_turned_round};
use crate::segment::{Language, sentences_in};
use crate::verdict::{Basis, Checked, SourceText, Verdict};

/// Limits of a check.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The share of a claim's wording, 0 to 1, below which no span is about it. A claim in another script than its
    /// source shares no words with it and goes to the judge all the same.
    pub least_overlap: f32,
    /// The most bytes of source that a judge is shown.
    pub passage_bytes: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { least_overlap: 0.2, passage_bytes: 1500 }
    }
}

/// What can be said of a claim without a judge.
#[derive(Clone, Debug, PartialEq)]
pub enum Examined {
    /// Quotation, rules or the lack of any common wording decided.
    Decided(Checked),
    /// A judge must be asked; [`Open::close`] takes the answer.
    Open(Open),
}

/// A claim that no rule rejected and no quotation accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    /// What to ask.
    pub question: Question,
    span: Span,
    overlap: f32,
}

impl Open {
    /// The verdict that a judge's answer leads to.
    #[must_use]
    pub fn close(self, answer: Result<Judgement, Outage>) -> Checked {
        let Self { span, overlap, .. } = self;
        let (verdict, basis) = match answer {
            Ok(Judgement::Entails) => (Verdict::Supported { span }, Basis::Entailment),
            Ok(Judgement::Contradicts) => (Verdict::Contradicted { span }, Basis::Entailment),
            Ok(Judgement::Neither) => (Verdict::NotFound, Basis::Entailment),
            Err(Outage { why }) => (Verdict::NotChecked { why }, Basis::Outage),
        };
        Checked { verdict, basis, faults: Vec::new(), overlap }
    }
}

/// Checks one claim against one source.
///
/// In this order: a quotation of the claim in the source accepts it; a number, unit, date or name that the source does
/// not have, or a negation that differs, rejects it; what is left is asked of `judge`.
pub async fn check(claim: &str, source: SourceText<'_>, judge: &dyn Entailment, options: CheckOptions) -> Checked {
    match examine(claim, source, options) {
        Examined::Decided(checked) => checked,
        Examined::Open(open) => {
            let answer = judge.judge(&open.question).await;
            open.close(answer)
        }
    }
}

/// The part of [`check`] that needs no judge.
#[must_use]
pub fn examine(claim: &str, source: SourceText<'_>, options: CheckOptions) -> Examined {
    let decided =
        |verdict, basis, faults: Vec<Fault>, overlap| Examined::Decided(Checked { verdict, basis, faults, overlap });
    if let Some(span) = quotation(claim, source.text) {
        return decided(Verdict::Supported { span }, Basis::Quotation, Vec::new(), 1.0);
    }
    let window = best_window(claim, source.text);
    let same_script = Language::detect(claim).is_unspaced() == Language::detect(source.text).is_unspaced();
    let overlap = window.as_ref().map_or(0.0, |window| window.overlap);
    let span = match window {
        Some(window) if window.overlap >= options.least_overlap || !same_script => window.span,
        None if !same_script && !source.text.trim().is_empty() => head(source.text, options.passage_bytes),
        // Rules are not asked where nothing is about the claim.
        _ => return decided(Verdict::NotFound, Basis::Wording, Vec::new(), overlap),
    };
    let faults = faults(claim, &source, Some(span));
    if faults.iter().any(|fault| fault.found.is_some()) {
        return decided(Verdict::Contradicted { span }, Basis::Rules, faults, overlap);
    }
    if !faults.is_empty() {
        return decided(Verdict::NotFound, Basis::Rules, faults, overlap);
    }
    let passage = widen(source.text, span, options.passage_bytes);
    let question = Question {
        claim: claim.to_owned(),
        title: source.title.to_owned(),
        passage: source.text[passage.range()].to_owned(),
    };
    Examined::Open(Open { question, span, overlap })
}

/// A quotation of the whole claim, unless the sentence around it turns it round.
fn quotation(claim: &str, text: &str) -> Option<Span> {
    let found = find_quotation(claim, text);
    if found.is_empty() {
        return None;
    }
    let sentences = sentences_in(text, Language::detect(text));
    found.into_iter().find(|span| {
        let first = sentences.iter().position(|range| range.end > span.start);
        let last = sentences.iter().rposition(|range| range.start < span.end);
        let around = first.zip(last).and_then(|(first, last)| text.get(sentences[first].start..sentences[last].end));
        around.is_none_or(|around| !is_turned_round(claim, around) && !is_asked(around, claim))
    })
}

/// A question states nothing, so a claim quoted out of one is no quotation.
fn is_asked(around: &str, claim: &str) -> bool {
    around.trim_end().ends_with(['?', '？']) && !claim.trim_end().ends_with(['?', '？'])
}

fn head(text: &str, most: usize) -> Span {
    Span { start: 0, end: text.floor_char_boundary(most) }
}

/// The span with whole sentences around it, as long as they fit.
fn widen(text: &str, span: Span, most: usize) -> Span {
    let mut wide = span;
    let sentences = sentences_in(text, Language::detect(text));
    let before = sentences.iter().rev().filter(|range| range.end <= span.start);
    let after = sentences.iter().filter(|range| range.start >= span.end);
    for (range, earlier) in interleave(before.take(3), after.take(3)) {
        let next = if earlier {
            Span { start: range.start, end: wide.end }
        } else {
            Span { start: wide.start, end: range.end }
        };
        if next.end - next.start > most {
            break;
        }
        wide = next;
    }
    if wide.end - wide.start > most {
        wide.end = text.floor_char_boundary(wide.start + most);
    }
    wide
}

type Place<'a> = (&'a std::ops::Range<usize>, bool);

fn interleave<'a>(
    before: impl Iterator<Item = &'a std::ops::Range<usize>>,
    after: impl Iterator<Item = &'a std::ops::Range<usize>>,
) -> Vec<Place<'a>> {
    let (mut before, mut after) = (before.fuse(), after.fuse());
    let mut all = Vec::new();
    loop {
        match (before.next(), after.next()) {
            (None, None) => return all,
            (left, right) => {
                all.extend(left.map(|range| (range, true)));
                all.extend(right.map(|range| (range, false)));
            }
        }
    }
}
