//! The interface that every search engine of this crate has.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Evidence, RetrievalError};

/// One result of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Hit {
    /// What was found.
    pub evidence: Evidence,
    /// How well it fits; only comparable within one answer of one engine, larger is better.
    pub score: f32,
    /// The sentences that fit best, for display.
    pub snippet: String,
}

impl Hit {
    /// A result with its score and the sentences to show.
    #[must_use]
    pub fn new(evidence: Evidence, score: f32, snippet: impl Into<String>) -> Self {
        Self { evidence, score, snippet: snippet.into() }
    }
}

/// Something that can be asked in plain words and answers with evidence.
///
/// ```
/// use graphloom_retrieval::{Hit, RetrievalError, Search};
///
/// async fn first_id(engine: &dyn Search, question: &str) -> Result<Option<String>, RetrievalError> {
///     let hits: Vec<Hit> = engine.search(question, 1).await?;
///     Ok(hits.into_iter().next().map(|hit| hit.evidence.id))
/// }
/// ```
#[async_trait]
pub trait Search: Send + Sync {
    /// The name of the engine, for events and messages.
    fn name(&self) -> &str;

    /// At most `limit` results, best first. A question without a fitting passage gives an empty list, not an error.
    ///
    /// # Errors
    /// Fails when the engine could not answer.
    async fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, RetrievalError>;
}
