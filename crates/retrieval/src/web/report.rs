//! How an engine fared.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EngineAnswer;
use crate::literature::{Fault, Moment};

/// What came of one question to one engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EngineOutcome {
    /// It gave pages.
    Found {
        /// How many.
        pages: usize,
    },
    /// It answered and has no page.
    Empty,
    /// It wants fewer questions, or what the account may ask is used up.
    RateLimited {
        /// When it may be asked again, when that is known.
        until: Option<Moment>,
    },
    /// It does not take the key.
    Unauthorised {
        /// What it says.
        reason: String,
    },
    /// It gave no answer that can be used.
    Failed {
        /// Why.
        fault: Fault,
    },
}

impl EngineOutcome {
    /// What an answer comes to.
    #[must_use]
    pub fn of(answer: &Result<EngineAnswer, Fault>) -> Self {
        match answer {
            Ok(answer) if answer.results.is_empty() => Self::Empty,
            Ok(answer) => Self::Found { pages: answer.results.len() },
            Err(Fault::RateLimited { until } | Fault::BudgetSpent { until }) => Self::RateLimited { until: *until },
            Err(Fault::Refused { status: 401 | 403, reason }) => Self::Unauthorised { reason: reason.clone() },
            Err(fault) => Self::Failed { fault: fault.clone() },
        }
    }

    /// Whether the engine answered, be it that it has nothing.
    #[must_use]
    pub fn answered(&self) -> bool {
        matches!(self, Self::Found { .. } | Self::Empty)
    }

    /// Whether the same question may get an answer later without a change by the user.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. } => true,
            Self::Failed { fault } => fault.is_retryable(),
            Self::Found { .. } | Self::Empty | Self::Unauthorised { .. } => false,
        }
    }
}

/// How one engine fared with one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EngineReport {
    /// The name of the engine.
    pub engine: String,
    /// The question.
    pub query: String,
    /// What came of it.
    pub outcome: EngineOutcome,
    /// What a person may want to know besides.
    pub notes: Vec<String>,
}

impl EngineReport {
    /// A report without notes.
    #[must_use]
    pub fn new(engine: impl Into<String>, query: impl Into<String>, outcome: EngineOutcome) -> Self {
        Self { engine: engine.into(), query: query.into(), outcome, notes: Vec::new() }
    }

    pub(super) fn of(engine: &str, query: &str, answer: &Result<EngineAnswer, Fault>) -> Self {
        let notes = answer.as_ref().map(|answer| answer.notes.clone()).unwrap_or_default();
        Self { notes, ..Self::new(engine, query, EngineOutcome::of(answer)) }
    }
}

impl fmt::Display for EngineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = shown_name(&self.engine);
        match &self.outcome {
            EngineOutcome::Found { pages: 1 } => write!(f, "{name} found one page.")?,
            EngineOutcome::Found { pages } => write!(f, "{name} found {pages} pages.")?,
            EngineOutcome::Empty => write!(f, "{name} has no page for this question.")?,
            EngineOutcome::RateLimited { until: Some(until) } => {
                write!(f, "{name} wants no more questions until {until}; ask again then.")?;
            }
            EngineOutcome::RateLimited { until: None } => {
                write!(f, "{name} wants fewer questions, or the account is used up; ask again later.")?;
            }
            EngineOutcome::Unauthorised { reason } => {
                write!(f, "{name} does not take the key ({reason}); check the key and what it may be used for.")?;
            }
            EngineOutcome::Failed { fault } => write!(f, "{name} {fault}.")?,
        }
        for note in &self.notes {
            write!(f, " ({note})")?;
        }
        Ok(())
    }
}

fn shown_name(engine: &str) -> &str {
    match engine {
        "tavily" => "Tavily",
        "google" => "Google (Serper)",
        "searxng" => "SearXNG",
        "wikipedia" => "Wikipedia",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_is_told_in_a_sentence() {
        let refused = |status| Err(Fault::Refused { status, reason: "bad key".into() });
        for (answer, line) in [
            (Ok(EngineAnswer::default()), "Tavily has no page for this question."),
            (
                Err(Fault::RateLimited { until: None }),
                "Tavily wants fewer questions, or the account is used up; ask again later.",
            ),
            (refused(401), "Tavily does not take the key (bad key); check the key and what it may be used for."),
            (Err(Fault::TimedOut { seconds: 3 }), "Tavily did not answer within 3 s; try again later."),
        ] {
            assert_eq!(EngineReport::of("tavily", "q", &answer).to_string(), line);
        }
        assert!(matches!(EngineOutcome::of(&refused(400)), EngineOutcome::Failed { .. }));
    }
}
