//! From a claim and a source to a verdict.

use graphloom_text::Language;

use crate::disclaimer::disclaimer;
use crate::entail::{Entailment, Judgement, Outage, Question};
use crate::locate::{Span, best_window, find_quotation_in};
use crate::rules::{Fault, FaultKind, doubts, refuted};
use crate::segment::sentences_in;
use crate::verdict::{Basis, Checked, SourceText, Verdict};

/// Limits of a check.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The share of a claim's wording, 0 to 1, below which a claim is called not found without asking a judge. By default 0:
    /// of supported claims of medicine one in five shares no word with its evidence.
    pub least_overlap: f32,
    /// The most bytes of source that a judge is shown.
    pub passage_bytes: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { least_overlap: 0.0, passage_bytes: 1500 }
    }
}

/// What can be said of a claim without a judge.
#[derive(Clone, Debug, PartialEq)]
pub enum Examined {
    /// A quotation, a number, unit or date of the same quantity, or the lack of a text decided.
    Decided(Checked),
    /// A judge must be asked; [`OpenClaim::close`] takes the answer.
    Undecided(OpenClaim),
}

impl Examined {
    /// What the rules found: what rejects the claim, or why a judge should look twice.
    ///
    /// ```
    /// use graphloom_citations::{CheckOptions, SourceText, examine};
    ///
    /// let source = SourceText::new("", "The log is cut at 1000 pages, and nothing is lost.");
    /// let found = examine("Nothing is lost when Oracle cuts the log at 1000 pages.", source, CheckOptions::default());
    /// assert_eq!(found.faults()[0].claimed, "Oracle");
    /// ```
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        match self {
            Self::Decided(checked) => &checked.faults,
            Self::Undecided(open) => &open.question.doubts,
        }
    }
}

/// A claim that no rule rejected and no quotation accepted, so that a judge has to decide.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenClaim {
    /// What to ask.
    pub question: Question,
    span: Span,
    overlap: Option<f32>,
}

impl OpenClaim {
    /// The verdict that a judge's answer leads to. Without an answer the claim is not checked: doubts are no verdict. A claim
    /// that a judge accepts, although the source has something else in the place of what the claim says, is not checked: nobody
    /// can be sure of it.
    #[must_use]
    pub fn close(self, answer: Result<Judgement, Outage>) -> Checked {
        let Self { question, span, overlap } = self;
        let opposed = question.doubts.iter().find(|doubt| doubt.opposes());
        let (verdict, basis) = match (answer, opposed) {
            (Ok(Judgement::Entails), Some(doubt)) => {
                let why = format!("a judge accepts it, and a rule does not: {doubt}");
                (Verdict::NotChecked { why }, Basis::Doubt)
            }
            (Ok(Judgement::Entails), None) => (Verdict::Supported { span }, Basis::Entailment),
            (Ok(Judgement::Contradicts), _) => (Verdict::Contradicted { span }, Basis::Entailment),
            (Ok(Judgement::Neither), _) => (Verdict::NotFound, Basis::Entailment),
            (Err(Outage { why }), _) => (Verdict::NotChecked { why }, Basis::Outage),
        };
        Checked { verdict, basis, faults: question.doubts, overlap }
    }
}

/// Checks one claim against one source.
///
/// In this order: a quotation of the claim as a whole sentence of the source accepts it; another number, unit or date of
/// the same quantity in the same clause rejects it; a source without text says nothing; the rest is asked of `judge`, with
/// what made a rule doubt.
pub async fn check(claim: &str, source: SourceText<'_>, judge: &dyn Entailment, options: CheckOptions) -> Checked {
    match examine(claim, source, options) {
        Examined::Decided(checked) => checked,
        Examined::Undecided(open) => {
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
    let language = Language::detect(source.text);
    let quotation = quotation(claim, &source, language);
    if let Some((span, None)) = quotation {
        return decided(Verdict::Supported { span }, Basis::Quotation, Vec::new(), Some(1.0));
    }
    let window = best_window(claim, source.text, language);
    let same_script = Language::detect(claim).is_unspaced() == language.is_unspaced();
    // Between two scripts there is no common wording to measure.
    let overlap = window.as_ref().map(|window| window.overlap).or(Some(0.0)).filter(|_| same_script);
    let span = match (&quotation, window) {
        (Some((span, _)), _) => *span,
        (None, Some(window)) if window.overlap >= options.least_overlap || !same_script => window.span,
        (None, None) if (!same_script || options.least_overlap <= 0.0) && !source.text.trim().is_empty() => {
            head(source.text, options.passage_bytes)
        }
        _ => return decided(Verdict::NotFound, Basis::Wording, Vec::new(), overlap),
    };
    if let Some((fault, span)) = refuted(claim, &source, language).filter(|_| quotation.is_none()) {
        return decided(Verdict::Contradicted { span }, Basis::Rules, vec![fault], overlap);
    }
    let doubts = match quotation {
        Some((_, Some(disclaimer))) => {
            vec![Fault { kind: FaultKind::Frame, claimed: claim.to_owned(), found: Some(disclaimer) }]
        }
        _ => doubts(claim, &source, span, language),
    };
    let passage = widen(source.text, span, options.passage_bytes, language);
    let question = Question {
        claim: claim.to_owned(),
        title: source.title.to_owned(),
        passage: source.text[passage.range()].to_owned(),
        doubts,
    };
    Examined::Undecided(OpenClaim { question, span, overlap })
}

/// A quotation of the whole claim, and what keeps the source from saying it there. One that nothing does comes first.
fn quotation(claim: &str, source: &SourceText<'_>, language: Language) -> Option<(Span, Option<String>)> {
    let asks = claim.trim_end().ends_with(['?', '？']);
    let framed = |span: Span| {
        let disclaimer =
            if asks { Some("a question".to_owned()) } else { disclaimer(source.text, source.title, span, language) };
        (span, disclaimer)
    };
    let mut found = find_quotation_in(claim, source.text, language).into_iter().map(framed);
    let first = found.next()?;
    if first.1.is_none() { Some(first) } else { found.find(|(_, disclaimer)| disclaimer.is_none()).or(Some(first)) }
}

fn head(text: &str, most: usize) -> Span {
    Span { start: 0, end: text.floor_char_boundary(most) }
}

/// The span with whole sentences around it, as long as they fit.
fn widen(text: &str, span: Span, most: usize, language: Language) -> Span {
    let mut wide = span;
    let sentences = sentences_in(text, language);
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
