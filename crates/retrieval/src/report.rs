//! How an engine fared with a question.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::fault::Fault;

/// The outcome of one question to one engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EngineOutcome {
    /// The engine gave results.
    Found {
        /// How many results it gave.
        pieces: usize,
        /// How many it says that it has, where it says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
    },
    /// The engine answered that it has nothing.
    Empty,
    /// The engine gave no answer that can be used.
    Failed {
        /// Why.
        fault: Fault,
    },
}

impl EngineOutcome {
    /// The outcome of an answer with so many results: found, or empty.
    #[must_use]
    pub fn found(pieces: usize) -> Self {
        if pieces == 0 { Self::Empty } else { Self::Found { pieces, total: None } }
    }

    /// Whether the engine answered. An answer without results counts.
    #[must_use]
    pub fn answered(&self) -> bool {
        !matches!(self, Self::Failed { .. })
    }

    /// Why there is no answer.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Failed { fault } => Some(fault),
            Self::Found { .. } | Self::Empty => None,
        }
    }

    /// Whether the same question may get an answer later without a change by the user.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.fault().is_some_and(Fault::is_retryable)
    }
}

/// How one engine fared with one question, the same for documents, the literature and the web.
///
/// ```
/// use graphloom_retrieval::{EngineOutcome, EngineReport, Fault};
///
/// let fault = Fault::TimedOut { seconds: 30 };
/// let report = EngineReport::new("arxiv", "graphs", EngineOutcome::Failed { fault });
/// assert_eq!(report.to_string(), "arXiv did not answer within 30 s; try again later.");
/// let outcome = EngineOutcome::Found { pieces: 20, total: Some(1149) };
/// assert_eq!(EngineReport::new("openalex", "graphs", outcome).to_string(), "OpenAlex gave 20 of 1149 records.");
/// let outcome = EngineOutcome::found(2);
/// assert_eq!(EngineReport::new("wikipedia", "graphs", outcome).to_string(), "Wikipedia gave 2 pages.");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EngineReport {
    /// The name of the engine.
    #[serde(alias = "source")]
    pub engine: String,
    /// The question.
    #[serde(default)]
    pub query: String,
    /// The outcome.
    #[serde(alias = "status")]
    pub outcome: EngineOutcome,
    /// What a person may want to know besides.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl EngineReport {
    /// A report without notes.
    #[must_use]
    pub fn new(engine: impl Into<String>, query: impl Into<String>, outcome: EngineOutcome) -> Self {
        Self { engine: engine.into(), query: query.into(), outcome, notes: Vec::new() }
    }

    /// The same with notes.
    #[must_use]
    pub fn noting(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }

    /// The engine as its owners write it, such as `OpenAlex`.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        name_and_things(&self.engine).0
    }

    /// What the engine gives, in the plural: `pages` or `records`.
    #[must_use]
    pub fn things(&self) -> &'static str {
        name_and_things(&self.engine).1
    }

    /// One line for the person, without the notes.
    #[must_use]
    pub fn line(&self) -> String {
        let (name, things) = name_and_things(&self.engine);
        let thing = things.trim_end_matches('s');
        match &self.outcome {
            EngineOutcome::Found { pieces, total: Some(total) } if *total > *pieces as u64 => {
                format!("{name} gave {pieces} of {total} {things}.")
            }
            EngineOutcome::Found { pieces: 1, .. } => format!("{name} gave 1 {thing}."),
            EngineOutcome::Found { pieces, .. } => format!("{name} gave {pieces} {things}."),
            EngineOutcome::Empty => format!("{name} has no {thing} for this question."),
            EngineOutcome::Failed { fault } => format!("{name} {fault}."),
        }
    }
}

impl fmt::Display for EngineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())?;
        for note in &self.notes {
            write!(f, " ({note})")?;
        }
        Ok(())
    }
}

/// The name as its owners write it, and what the engine gives.
fn name_and_things(engine: &str) -> (&str, &'static str) {
    match engine {
        "openalex" => ("OpenAlex", "records"),
        "arxiv" => ("arXiv", "records"),
        "crossref" => ("Crossref", "records"),
        "pubmed" => ("PubMed", "records"),
        "semanticscholar" => ("Semantic Scholar", "records"),
        "core" => ("CORE", "records"),
        "europepmc" => ("Europe PMC", "records"),
        "tavily" => ("Tavily", "pages"),
        "google" => ("Google (Serper)", "pages"),
        "brave" => ("Brave", "pages"),
        "exa" => ("Exa", "pages"),
        "searxng" => ("SearXNG", "pages"),
        "wikipedia" => ("Wikipedia", "pages"),
        other => (other, "records"),
    }
}

/// Also reads the three forms of earlier versions, which stored runs and recordings hold: that of the web (`found` with
/// `pages`), that of the literature (`ok` with `records`), and that of DeepSearch (`found` with `documents`, reasons in
/// place of faults).
impl<'de> Deserialize<'de> for EngineOutcome {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let fields = Map::deserialize(from)?;
        let word = |name: &str| fields.get(name).and_then(Value::as_str);
        let reason = || word("reason").unwrap_or_default().to_owned();
        let failed = |fault| Ok(Self::Failed { fault });
        match word("kind").or_else(|| word("status")) {
            Some("found" | "ok") => {
                let count = |name: &str| fields.get(name).and_then(Value::as_u64);
                let pieces = ["pieces", "pages", "records", "documents"].into_iter().find_map(count);
                let pieces = pieces.ok_or_else(|| D::Error::missing_field("pieces"))?;
                let pieces = usize::try_from(pieces).map_err(D::Error::custom)?;
                let total = count("total");
                Ok(if pieces == 0 { Self::Empty } else { Self::Found { pieces, total } })
            }
            Some("empty") => Ok(Self::Empty),
            Some("failed") => match fields.get("fault") {
                Some(fault) => failed(serde_json::from_value(fault.clone()).map_err(D::Error::custom)?),
                None => failed(Fault::Unusable { reason: reason() }),
            },
            Some("rate_limited") => {
                let until = fields.get("until").cloned().unwrap_or_default();
                failed(Fault::RateLimited { until: serde_json::from_value(until).map_err(D::Error::custom)? })
            }
            Some("unauthorised") => failed(Fault::Refused { status: 401, reason: reason() }),
            Some(other) => Err(D::Error::unknown_variant(other, &["found", "empty", "failed"])),
            None => Err(D::Error::missing_field("kind")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_outcome_is_told_in_a_sentence() {
        let failed = |fault| EngineOutcome::Failed { fault };
        let refused = Fault::Refused { status: 401, reason: "bad key".into() };
        for (outcome, line) in [
            (EngineOutcome::Empty, "Tavily has no page for this question."),
            (EngineOutcome::found(1), "Tavily gave 1 page."),
            (failed(Fault::RateLimited { until: None }), "Tavily asked for a pause; try again after it."),
            (
                failed(refused),
                "Tavily refused the request (status 401: bad key); check the question, the contact address and the key.",
            ),
            (failed(Fault::TimedOut { seconds: 3 }), "Tavily did not answer within 3 s; try again later."),
        ] {
            assert_eq!(EngineReport::new("tavily", "q", outcome).to_string(), line);
        }
    }

    #[test]
    fn reports_of_earlier_versions_are_read() {
        let found = |pieces, total| EngineOutcome::Found { pieces, total };
        let failed = |fault| EngineOutcome::Failed { fault };
        let slow = Fault::TimedOut { seconds: 3 };
        for (stored, expected) in [
            (
                json!({ "engine": "a", "query": "q", "outcome": { "kind": "found", "pages": 2 }, "notes": [] }),
                found(2, None),
            ),
            (json!({ "engine": "a", "query": "q", "outcome": { "kind": "empty" }, "notes": [] }), EngineOutcome::Empty),
            (
                json!({ "engine": "a", "query": "q", "outcome": { "kind": "rate_limited", "until": 5 }, "notes": [] }),
                failed(Fault::RateLimited { until: Some(crate::fault::Timestamp(5)) }),
            ),
            (
                json!({ "source": "a", "query": "q", "status": { "status": "ok", "records": 3, "total": 9 }, "notes": [] }),
                found(3, Some(9)),
            ),
            (
                json!({ "source": "a", "query": "q", "status": { "status": "failed", "fault": slow }, "notes": [] }),
                failed(slow.clone()),
            ),
            (json!({ "engine": "a", "outcome": { "status": "found", "documents": 0 } }), EngineOutcome::Empty),
            (
                json!({ "engine": "a", "outcome": { "status": "failed", "reason": "down" } }),
                failed(Fault::Unusable { reason: "down".into() }),
            ),
        ] {
            let read: EngineReport = serde_json::from_value(stored.clone()).unwrap();
            assert_eq!(read.outcome, expected, "{stored}");
            let again = serde_json::to_value(&read).unwrap();
            assert_eq!(serde_json::from_value::<EngineReport>(again).unwrap(), read);
        }
        let wrong = json!({ "engine": "a", "outcome": { "kind": "perhaps" } });
        assert!(serde_json::from_value::<EngineReport>(wrong).unwrap_err().to_string().contains("perhaps"));
    }
}
