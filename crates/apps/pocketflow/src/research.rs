//! Where the literature comes from: one trait between the conversation and its sources.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_retrieval::{Corpus, RetrievalError, SearchOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that can be cited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Record {
    /// The id that reviews and proposals use, the same whenever the record is found.
    pub id: String,
    /// The title.
    pub title: String,
    /// The authors, as they are named.
    pub authors: Vec<String>,
    /// The year of publication.
    pub year: Option<i32>,
    /// Where it was published.
    pub venue: Option<String>,
    /// The DOI, in lower case and without a resolver.
    pub doi: Option<String>,
    /// Where it can be read: an address, or a file and the place in it.
    pub place: String,
    /// The abstract, or the passage that was found.
    pub text: String,
    /// The source that had it.
    pub source: String,
}

/// How a source answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceReport {
    /// The source.
    pub source: String,
    /// Its answer.
    pub answer: SourceAnswer,
}

/// The answer of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SourceAnswer {
    /// It had records.
    Found {
        /// How many.
        records: usize,
    },
    /// It had none.
    Empty,
    /// It refuses more requests for now.
    RateLimited {
        /// Seconds to wait, where the source says so.
        wait: Option<u64>,
    },
    /// It could not be asked, or what it answered could not be read.
    Failed {
        /// Why.
        reason: String,
    },
}

impl SourceAnswer {
    /// Whether the source answered what it was asked.
    pub fn is_answer(&self) -> bool {
        matches!(self, Self::Found { .. } | Self::Empty)
    }
}

impl fmt::Display for SourceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.answer {
            SourceAnswer::Found { records: 1 } => write!(f, "`{}`: 1 record", self.source),
            SourceAnswer::Found { records } => write!(f, "`{}`: {records} records", self.source),
            SourceAnswer::Empty => write!(f, "`{}`: nothing found", self.source),
            SourceAnswer::RateLimited { wait: Some(wait) } => {
                write!(f, "`{}`: takes no more requests for {wait} s", self.source)
            }
            SourceAnswer::RateLimited { wait: None } => write!(f, "`{}`: takes no more requests for now", self.source),
            SourceAnswer::Failed { reason } => write!(f, "`{}`: failed ({reason})", self.source),
        }
    }
}

/// What a search for one query found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The records, best first, without duplicates.
    pub records: Vec<Record>,
    /// How each source answered.
    pub sources: Vec<SourceReport>,
}

/// Sources of literature. A source that fails is a report, not an error: the others still count.
#[async_trait]
pub trait Research: Send + Sync + 'static {
    /// Searches every source for a query in plain words; at most `limit` records.
    async fn search(&self, query: &str, limit: usize) -> Found;
}

/// No source at all: every search says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoResearch;

#[async_trait]
impl Research for NoResearch {
    async fn search(&self, _query: &str, _limit: usize) -> Found {
        let reason = "no source is set up; give a folder of documents with `--corpus DIR`".to_owned();
        let report = SourceReport { source: "none".to_owned(), answer: SourceAnswer::Failed { reason } };
        Found { records: Vec::new(), sources: vec![report] }
    }
}

/// Documents of a local corpus. Each document is one record, with its best passages as its text.
#[derive(Clone, Debug)]
pub struct LocalResearch {
    corpus: Arc<Corpus>,
}

/// The name of the local corpus among the sources.
const LOCAL: &str = "local";

impl LocalResearch {
    /// The documents of an indexed corpus.
    pub fn new(corpus: Corpus) -> Self {
        Self { corpus: Arc::new(corpus) }
    }

    fn find(&self, query: &str, limit: usize) -> Result<Vec<Record>, RetrievalError> {
        let mut options = SearchOptions::default();
        options.limit = limit.saturating_mul(2);
        let mut records: Vec<Record> = Vec::new();
        for hit in self.corpus.search(query, &options)? {
            let evidence = hit.evidence;
            let place = evidence.source.to_string();
            match records.iter_mut().find(|record| record.place == place) {
                Some(record) => {
                    record.text.push_str("\n\n");
                    record.text.push_str(&evidence.text);
                }
                None => records.push(Record {
                    id: document_id(&evidence.id),
                    title: evidence.title,
                    place,
                    text: evidence.text,
                    source: LOCAL.to_owned(),
                    ..Record::default()
                }),
            }
        }
        records.truncate(limit);
        Ok(records)
    }
}

/// The id of a passage without the part that names the passage.
fn document_id(passage: &str) -> String {
    passage.split('#').next().unwrap_or(passage).to_owned()
}

#[async_trait]
impl Research for LocalResearch {
    async fn search(&self, query: &str, limit: usize) -> Found {
        let (local, query) = (self.clone(), query.to_owned());
        let found = tokio::task::spawn_blocking(move || local.find(&query, limit)).await;
        let answer = match &found {
            Ok(Ok(records)) if records.is_empty() => SourceAnswer::Empty,
            Ok(Ok(records)) => SourceAnswer::Found { records: records.len() },
            Ok(Err(error)) => SourceAnswer::Failed { reason: error.to_string() },
            Err(_) => SourceAnswer::Failed { reason: "the search stopped".to_owned() },
        };
        let records = found.ok().and_then(Result::ok).unwrap_or_default();
        Found { records, sources: vec![SourceReport { source: LOCAL.to_owned(), answer }] }
    }
}
