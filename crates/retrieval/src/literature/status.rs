//! How each source fared, for the person.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fault, Found};

/// How one source fared with one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SourceStatus {
    /// It gave records.
    Ok {
        /// How many.
        records: usize,
        /// How many it says it has.
        total: Option<u64>,
    },
    /// It answered that it has none.
    Empty,
    /// It gave nothing that can be used.
    Failed {
        /// Why.
        fault: Fault,
    },
}

impl SourceStatus {
    /// Whether the source answered, be it that it has nothing.
    #[must_use]
    pub fn answered(&self) -> bool {
        !matches!(self, Self::Failed { .. })
    }
}

/// How one source fared, with its name and what was noticed.
///
/// ```
/// use graphloom_retrieval::literature::{Fault, SourceReport, SourceStatus};
///
/// let fault = Fault::TimedOut { seconds: 30 };
/// let report = SourceReport::new("arxiv", "graphs", SourceStatus::Failed { fault });
/// assert_eq!(report.to_string(), "arXiv did not answer within 30 s; try again later.");
/// let report = SourceReport::new("openalex", "graphs", SourceStatus::Ok { records: 20, total: Some(1149) });
/// assert_eq!(report.to_string(), "OpenAlex gave 20 of 1149 records.");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SourceReport {
    /// The name of the source.
    pub source: String,
    /// The question, as [`Query`](super::Query) shows it.
    pub query: String,
    /// How it fared.
    pub status: SourceStatus,
    /// What a person may want to know besides.
    pub notes: Vec<String>,
}

impl SourceReport {
    /// A report without notes.
    #[must_use]
    pub fn new(source: impl Into<String>, query: impl Into<String>, status: SourceStatus) -> Self {
        Self { source: source.into(), query: query.into(), status, notes: Vec::new() }
    }

    pub(crate) fn of(source: &str, query: &str, answer: &Result<Found, Fault>) -> Self {
        match answer {
            Ok(found) if found.records.is_empty() => {
                Self { notes: found.notes.clone(), ..Self::new(source, query, SourceStatus::Empty) }
            }
            Ok(found) => {
                let status = SourceStatus::Ok { records: found.records.len(), total: found.total };
                Self { notes: found.notes.clone(), ..Self::new(source, query, status) }
            }
            Err(fault) => Self::new(source, query, SourceStatus::Failed { fault: fault.clone() }),
        }
    }

    /// The source as its owners write it, such as `OpenAlex`.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        shown_name(&self.source)
    }

    /// One line for the person, without the notes.
    #[must_use]
    pub fn line(&self) -> String {
        let name = shown_name(&self.source);
        match &self.status {
            SourceStatus::Ok { records: 1, total: None | Some(0..=1) } => format!("{name} gave 1 record."),
            SourceStatus::Ok { records, total: Some(total) } if *total > *records as u64 => {
                format!("{name} gave {records} of {total} records.")
            }
            SourceStatus::Ok { records, .. } => format!("{name} gave {records} records."),
            SourceStatus::Empty => format!("{name} has no record for this question."),
            SourceStatus::Failed { fault } => format!("{name} {fault}."),
        }
    }
}

impl fmt::Display for SourceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())?;
        for note in &self.notes {
            write!(f, " ({note})")?;
        }
        Ok(())
    }
}

/// The name as its owners write it.
fn shown_name(source: &str) -> &str {
    match source {
        "openalex" => "OpenAlex",
        "arxiv" => "arXiv",
        "crossref" => "Crossref",
        other => other,
    }
}
