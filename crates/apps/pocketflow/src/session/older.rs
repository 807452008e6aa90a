//! What earlier schemas wrote inside artifacts, read as what this one has.
//!
//! Up to schema 2 the program had records and reports of its own. They are read here, and not in a migration of the
//! whole session, because checkpoints of running conversations hold them too.

use graphloom_retrieval::literature::{Author, Doi};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::research::{EngineOutcome, EngineReport, Fault, Provenance, Record};

/// A record of schema 2.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct OlderRecord {
    id: String,
    title: String,
    authors: Vec<String>,
    year: Option<i32>,
    venue: Option<String>,
    doi: Option<String>,
    place: String,
    text: String,
    source: String,
}

/// A report of schema 2.
#[derive(Deserialize)]
struct OlderReport {
    source: String,
    answer: OlderAnswer,
}

#[derive(Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
enum OlderAnswer {
    Found { records: usize },
    Empty,
    RateLimited,
    Failed { reason: String },
}

impl From<OlderRecord> for Record {
    fn from(older: OlderRecord) -> Self {
        let mut record = Self::new(older.title);
        record.doi = older.doi.as_deref().and_then(Doi::parse);
        record.authors = older.authors.iter().filter_map(|name| Author::displayed(name)).collect();
        record.year = older.year.and_then(|year| u16::try_from(year).ok());
        record.venue = older.venue;
        record.provenance = vec![Provenance::new(older.source, &older.id, "", 1)];
        record.id = older.id;
        record.url = (!older.place.is_empty()).then_some(older.place);
        record.abstract_text = (!older.text.is_empty()).then_some(older.text);
        record
    }
}

impl From<OlderReport> for EngineReport {
    fn from(older: OlderReport) -> Self {
        let status = match older.answer {
            OlderAnswer::Found { records } => EngineOutcome::found(records),
            OlderAnswer::Empty => EngineOutcome::Empty,
            OlderAnswer::RateLimited => EngineOutcome::Failed { fault: Fault::RateLimited { until: None } },
            OlderAnswer::Failed { reason } => EngineOutcome::Failed { fault: Fault::Unusable { reason } },
        };
        Self::new(older.source, "", status)
    }
}

fn record_of(value: Value) -> Result<Record, serde_json::Error> {
    // Only the older form has a place.
    if value.get("place").is_some() {
        return serde_json::from_value::<OlderRecord>(value).map(Record::from);
    }
    serde_json::from_value(value)
}

fn report_of(value: Value) -> Result<EngineReport, serde_json::Error> {
    if value.get("answer").is_some() {
        return serde_json::from_value::<OlderReport>(value).map(EngineReport::from);
    }
    serde_json::from_value(value)
}

/// A record of any schema.
pub(super) fn record<'de, D: Deserializer<'de>>(from: D) -> Result<Record, D::Error> {
    record_of(Value::deserialize(from)?).map_err(D::Error::custom)
}

/// Records of any schema.
pub(super) fn records<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Record>, D::Error> {
    Vec::<Value>::deserialize(from)?.into_iter().map(|value| record_of(value).map_err(D::Error::custom)).collect()
}

/// Reports of any schema.
pub(super) fn reports<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<EngineReport>, D::Error> {
    Vec::<Value>::deserialize(from)?.into_iter().map(|value| report_of(value).map_err(D::Error::custom)).collect()
}
