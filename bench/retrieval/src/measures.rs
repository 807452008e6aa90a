//! The measures of retrieval, and whether two differ by more than chance.

use std::fmt;

use crate::judged::Question;

/// The measures of one answer, or their mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    /// Gain of the first ten, discounted by place, as a part of the best order's; the gain is the grade.
    pub(crate) ndcg: f64,
    /// The mean of the precision at each relevant document.
    pub(crate) map: f64,
    /// The part of relevant documents among the first hundred.
    pub(crate) recall: f64,
    /// One through the place of the first relevant document.
    pub(crate) mrr: f64,
}

impl Figures {
    pub(crate) fn of(question: &Question, found: &[String]) -> Self {
        let grades: Vec<f64> =
            found.iter().map(|document| question.relevant.get(document).copied().unwrap_or_default()).collect();
        let gain = |grades: &[f64]| -> f64 {
            grades.iter().take(10).zip(2_u32..).map(|(grade, place)| grade / f64::from(place).log2()).sum()
        };
        let mut best: Vec<f64> = question.relevant.values().copied().collect();
        best.sort_by(|a, b| b.total_cmp(a));
        let mut seen = 0.0;
        let mut precision = 0.0;
        for (place, _) in (1_u32..).zip(&grades).filter(|(_, grade)| **grade > 0.0) {
            seen += 1.0;
            precision += seen / f64::from(place);
        }
        let first = (1_u32..).zip(&grades).find(|(_, grade)| **grade > 0.0);
        let all = question.relevant.len() as f64;
        Self {
            ndcg: gain(&grades) / gain(&best),
            map: precision / all,
            recall: seen / all,
            mrr: first.map_or(0.0, |(place, _)| 1.0 / f64::from(place)),
        }
    }

    pub(crate) fn mean(all: &[Self]) -> Self {
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
        Self {
            ndcg: mean(|one| one.ndcg),
            map: mean(|one| one.map),
            recall: mean(|one| one.recall),
            mrr: mean(|one| one.mrr),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ndcg, map, recall, mrr } = self;
        write!(f, "nDCG@10 {ndcg:.3}, MAP {map:.3}, R@100 {recall:.3}, MRR {mrr:.3}")
    }
}

/// How many questions the second way answers better and worse, and how often signs drawn at random make a difference of the
/// means at least as large (a paired randomisation test of nDCG, on both sides).
pub(crate) fn chance(first: &[Figures], second: &[Figures]) -> (usize, usize, f64) {
    const DRAWS: usize = 10_000;
    let differences: Vec<f64> = second.iter().zip(first).map(|(second, first)| second.ndcg - first.ndcg).collect();
    let better = differences.iter().filter(|difference| **difference > 1e-9).count();
    let worse = differences.iter().filter(|difference| **difference < -1e-9).count();
    let seen = differences.iter().sum::<f64>().abs();
    // Marsaglia's xorshift: the same draws in every run.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut as_large = 0;
    for _ in 0..DRAWS {
        let mut sum = 0.0;
        for difference in &differences {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            sum += if state >> 63 == 0 { *difference } else { -difference };
        }
        if sum.abs() >= seen - 1e-12 {
            as_large += 1;
        }
    }
    (better, worse, f64::from(as_large) / DRAWS as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_those_of_the_field() {
        let question = Question {
            text: String::new(),
            relevant: [("a".to_owned(), 2.0), ("b".to_owned(), 1.0)].into(),
            set: String::new(),
            without: Vec::new(),
            half: String::new(),
        };
        let of =
            |found: &[&str]| Figures::of(&question, &found.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["a", "b"]), Figures { ndcg: 1.0, map: 1.0, recall: 1.0, mrr: 1.0 });
        assert_eq!(of(&["x"]), Figures::default());
        let found = of(&["x", "b", "a"]);
        let log3 = 3_f64.log2();
        let expected = (1.0 / log3 + 2.0 / 2.0) / (2.0 + 1.0 / log3);
        assert!((found.ndcg - expected).abs() < 1e-12);
        assert!((found.map - (0.5 + 2.0 / 3.0) / 2.0).abs() < 1e-12);
        assert_eq!((found.recall, found.mrr), (1.0, 0.5));
    }

    #[test]
    fn a_difference_is_told_from_chance() {
        let figures = |ndcg: f64| Figures { ndcg, ..Figures::default() };
        let (low, high) = (vec![figures(0.1); 20], vec![figures(0.2); 20]);
        assert_eq!(chance(&low, &low), (0, 0, 1.0));
        let (better, worse, p) = chance(&low, &high);
        assert!((better, worse) == (20, 0) && p < 0.01, "{p}");
        let mixed: Vec<Figures> = (0..20).map(|place| figures(if place % 2 == 0 { 0.0 } else { 0.2 })).collect();
        assert!(chance(&low, &mixed).2 > 0.5);
    }
}
