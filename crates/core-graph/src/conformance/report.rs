//! What became of the cases.

use std::fmt;

use super::Ability;

/// What became of every case, in the order in which they ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConformanceReport {
    /// The cases.
    pub cases: Vec<CaseReport>,
}

/// One case.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaseReport {
    /// Its name, a sentence.
    pub name: &'static str,
    /// What it needs.
    pub ability: Ability,
    /// What became of it.
    pub verdict: Verdict,
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The store does what is asked.
    Passed,
    /// The store does not have the ability, and says so.
    Unsupported,
    /// The store does something else.
    Failed(String),
}

impl ConformanceReport {
    /// Whether no case failed.
    pub fn is_green(&self) -> bool {
        self.failures().next().is_none()
    }

    /// The cases that failed, with what was expected.
    pub fn failures(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.cases.iter().filter_map(|case| match &case.verdict {
            Verdict::Failed(message) => Some((case.name, message.as_str())),
            Verdict::Passed | Verdict::Unsupported => None,
        })
    }

    /// How many cases passed.
    pub fn passed(&self) -> usize {
        self.cases.iter().filter(|case| case.verdict == Verdict::Passed).count()
    }
}

impl fmt::Display for ConformanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} cases passed", self.passed(), self.cases.len())?;
        for case in &self.cases {
            match &case.verdict {
                Verdict::Passed => {}
                Verdict::Unsupported => writeln!(f, "  not there: {}", case.name)?,
                Verdict::Failed(message) => writeln!(f, "  FAILED {}: {message}", case.name)?,
            }
        }
        Ok(())
    }
}
