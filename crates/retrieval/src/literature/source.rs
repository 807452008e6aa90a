//! What every source of literature can do.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fault, Query, Record};

/// What one source answered to one question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Found {
    /// The records, best first, with ids and provenance.
    pub records: Vec<Record>,
    /// How many works the source says it has for the question.
    pub total: Option<u64>,
    /// The question as the source was asked it.
    pub asked: String,
    /// What a person may want to know: entries that could not be used, tries that failed, what the source cannot ask.
    pub notes: Vec<String>,
}

impl Found {
    /// An answer with `records`, which the source was asked for as `asked`.
    #[must_use]
    pub fn new(asked: impl Into<String>, records: Vec<Record>, total: Option<u64>) -> Self {
        Self { records, total, asked: asked.into(), notes: Vec::new() }
    }

    /// The answer with what was noticed on the way, and no more than was asked for.
    pub(crate) fn after(mut self, mut notes: Vec<String>, asked: &str, limit: u32) -> Self {
        notes.append(&mut self.notes);
        self.notes = notes;
        asked.clone_into(&mut self.asked);
        self.records.truncate(limit as usize);
        self
    }
}

/// A source of literature, such as OpenAlex.
///
/// ```
/// use async_trait::async_trait;
/// use graphloom_retrieval::literature::{Fault, Found, Provenance, Query, Record, Source};
///
/// /// The references that a group keeps itself.
/// struct Shelf(Vec<Record>);
///
/// #[async_trait]
/// impl Source for Shelf {
///     fn name(&self) -> &str {
///         "shelf"
///     }
///
///     async fn search(&self, query: &Query) -> Result<Found, Fault> {
///         let fits = |record: &&Record| query.terms.iter().any(|term| record.title.contains(term.as_str()));
///         let mut records: Vec<Record> = self.0.iter().filter(fits).cloned().collect();
///         for (rank, record) in (1..).zip(&mut records) {
///             record.provenance = vec![Provenance::new("shelf", &record.title, query.to_string(), rank)];
///         }
///         let total = records.len() as u64;
///         Ok(Found::new(query.to_string(), records, Some(total)))
///     }
/// }
/// ```
#[async_trait]
pub trait Source: Send + Sync + 'static {
    /// The short name of the source, in lower case: `openalex`.
    fn name(&self) -> &str;

    /// At most [`Query::limit`] records, best first. A question without a fitting work gives an empty list, not a fault.
    ///
    /// # Errors
    /// The reason why there is no answer that can be used.
    async fn search(&self, query: &Query) -> Result<Found, Fault>;
}
