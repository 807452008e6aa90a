//! What the rules alone and with a judge say to labelled claims.

use std::collections::BTreeMap;
use std::fmt;

use graphloom_citations::planted::Kind;
use graphloom_citations::{CheckOptions, Entailment, Examined, SourceText, Verdict, check, examine};

use super::change::Changed;
use super::files::Part;
use super::pairs::{Pair, Truth};

/// What the rules alone said to the pairs of one set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    counts: BTreeMap<(Truth, RuleVerdict), usize>,
}

/// What a check without a judge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RuleVerdict {
    Supported,
    Contradicted,
    NotFound,
    Asked,
}

/// What the rules alone say to a pair.
pub(crate) fn rule_verdict(pair: &Pair) -> RuleVerdict {
    match examine(&pair.claim, SourceText::new(&pair.title, &pair.source), CheckOptions::default()) {
        Examined::Undecided(_) => RuleVerdict::Asked,
        Examined::Decided(checked) => match checked.verdict {
            Verdict::Supported { .. } => RuleVerdict::Supported,
            Verdict::Contradicted { .. } => RuleVerdict::Contradicted,
            _ => RuleVerdict::NotFound,
        },
    }
}

impl Row {
    fn add(&mut self, pair: &Pair) {
        *self.counts.entry((pair.truth, rule_verdict(pair))).or_default() += 1;
    }

    pub(crate) fn count(&self, truth: Truth, rule_verdict: RuleVerdict) -> usize {
        self.counts.get(&(truth, rule_verdict)).copied().unwrap_or(0)
    }

    fn all(&self, truth: Truth) -> usize {
        self.counts.iter().filter(|((own, _), _)| *own == truth).map(|(_, count)| count).sum()
    }

    /// How many claims were called contradicted.
    pub(crate) fn condemned(&self) -> usize {
        self.counts
            .iter()
            .filter(|((_, rule_verdict), _)| *rule_verdict == RuleVerdict::Contradicted)
            .map(|(_, count)| count)
            .sum()
    }

    /// Of the supported claims, the share to which the rules said this.
    pub(crate) fn supported(&self, rule_verdict: RuleVerdict) -> f64 {
        share(self.count(Truth::Supported, rule_verdict), self.all(Truth::Supported))
    }

    pub(crate) fn precision(&self) -> f64 {
        share(self.count(Truth::Contradicted, RuleVerdict::Contradicted), self.condemned())
    }

    fn recall(&self) -> f64 {
        share(self.count(Truth::Contradicted, RuleVerdict::Contradicted), self.all(Truth::Contradicted))
    }

    fn merge(&mut self, other: &Self) {
        for (key, count) in &other.counts {
            *self.counts.entry(*key).or_default() += count;
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>9} {:>12.3} {:>9.3} {:>7.3} {:>10} {:>9.3} {:>7.3}",
            self.all(Truth::Supported),
            self.supported(RuleVerdict::Contradicted),
            self.supported(RuleVerdict::NotFound),
            self.supported(RuleVerdict::Asked),
            self.condemned(),
            self.precision(),
            self.recall(),
        )
    }
}

/// The sets of one part, and all of them together.
pub(crate) fn rows(pairs: &[Pair], part: Part) -> (BTreeMap<&'static str, Row>, Row) {
    let mut rows: BTreeMap<&'static str, Row> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.part == part) {
        rows.entry(pair.set).or_default().add(pair);
    }
    let mut all = Row::default();
    rows.values().for_each(|row| all.merge(row));
    (rows, all)
}

/// How many changes of each kind the rules alone reject, and how many there are.
pub(crate) fn caught(changes: &[Changed]) -> BTreeMap<Kind, (usize, usize)> {
    let mut found: BTreeMap<Kind, (usize, usize)> = BTreeMap::new();
    for (kind, pair) in changes {
        let row = found.entry(*kind).or_default();
        row.0 += usize::from(rule_verdict(pair) == RuleVerdict::Contradicted);
        row.1 += 1;
    }
    found
}

/// What a judge accepts, out of how many.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Accepted {
    pub(crate) right: usize,
    pub(crate) all: usize,
}

impl Accepted {
    pub(crate) fn share(self) -> f64 {
        share(self.right, self.all)
    }

    /// Both together.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { right: self.right + other.right, all: self.all + other.all }
    }
}

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6} of {:>6} {:>9.3}", self.right, self.all, self.share())
    }
}

/// How many of the claims a judge accepts.
pub(crate) async fn accepted(pairs: &[Pair], judge: &dyn Entailment) -> Accepted {
    let mut found = Accepted { right: 0, all: pairs.len() };
    for pair in pairs {
        let source = SourceText::new(&pair.title, &pair.source);
        let checked = check(&pair.claim, source, judge, CheckOptions::default()).await;
        found.right += usize::from(checked.verdict.is_supported());
    }
    found
}

#[expect(clippy::cast_precision_loss, reason = "counts of claims are small")]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
