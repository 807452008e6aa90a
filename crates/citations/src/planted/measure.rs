//! How well planted claims are told apart.

use std::collections::BTreeMap;
use std::fmt;

use super::{Kind, Planted};
use crate::check::{CheckOptions, check};
use crate::entail::Entailment;
use crate::verdict::SourceText;

/// One verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Claims for which it was given and does no harm.
    pub right: usize,
    /// Claims for which it is the right one and was given, or another that does no harm.
    pub found: usize,
    /// Claims for which it was given.
    pub given: usize,
    /// Claims for which it is right.
    pub expected: usize,
}

impl Row {
    /// Of the claims for which it was given, for how many it is right; 1 when it was never given.
    #[must_use]
    pub fn precision(&self) -> f64 {
        share(self.right, self.given)
    }

    /// Of the claims for which it is right, how many got it or another that does no harm.
    #[must_use]
    pub fn recall(&self) -> f64 {
        share(self.found, self.expected)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of claims are small")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// By verdict.
    pub verdicts: BTreeMap<&'static str, Row>,
    /// By kind of claim: how many got the right verdict, and how many there are.
    pub kinds: BTreeMap<Kind, (usize, usize)>,
    /// The claims that got a wrong verdict, with it.
    pub wrong: Vec<(Planted, &'static str)>,
}

impl Scores {
    /// How many claims there are.
    #[must_use]
    pub fn claims(&self) -> usize {
        self.kinds.values().map(|(_, all)| all).sum()
    }
}

/// Checks every claim against its source.
pub async fn measure(planted: &[Planted], judge: &dyn Entailment) -> Scores {
    let mut scores = Scores::default();
    for one in planted {
        let source = SourceText::new(&one.source.title, &one.source.text);
        let given = check(&one.claim, source, judge, CheckOptions::default()).await.verdict.name();
        let right = one.kind.verdict();
        let kind = scores.kinds.entry(one.kind).or_default();
        kind.1 += 1;
        scores.verdicts.entry(right).or_default().expected += 1;
        scores.verdicts.entry(given).or_default().given += 1;
        if one.kind.accepts(given) {
            kind.0 += 1;
            scores.verdicts.entry(given).or_default().right += 1;
            scores.verdicts.entry(right).or_default().found += 1;
        } else {
            scores.wrong.push((one.clone(), given));
        }
    }
    scores
}

impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<32} {:>10} {:>10} {:>10}",
            format!("{} planted claims", self.claims()),
            "precision",
            "recall",
            "claims"
        )?;
        for (verdict, row) in &self.verdicts {
            writeln!(f, "{verdict:<32} {:>10.3} {:>10.3} {:>10}", row.precision(), row.recall(), row.expected)?;
        }
        for (kind, (right, all)) in &self.kinds {
            writeln!(f, "  {:<30} {:>10} {:>10.3} {:>10}", kind.name(), "", share(*right, *all), all)?;
        }
        Ok(())
    }
}
