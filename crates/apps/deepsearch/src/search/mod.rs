//! Where documents come from: one trait between the graphs and the engines.

mod by_method;
mod engines;
mod open;
mod recorded;
mod retrieval;
mod web;

pub use by_method::WebAndLocal;
pub use engines::{Engines, NoSearch};
pub use open::{OpenedWeb, open_web};
pub use recorded::RecordedSearch;
pub use retrieval::RetrievalSearch;
pub use web::WebSearch;
pub(crate) use web::about;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_retrieval::web::PageError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::SearchMethod;
use crate::evidence::Evidence;

/// How an engine answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EngineOutcome {
    /// It answered with this many documents, maybe none.
    Found {
        /// How many.
        documents: usize,
    },
    /// It takes no more requests for now, or its turn did not come in time (code 211305).
    RateLimited {
        /// What it said.
        reason: String,
    },
    /// It could not be asked, or what it answered could not be read (code 211304).
    Failed {
        /// Why.
        reason: String,
    },
}

/// How an engine answered one query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EngineReport {
    /// The engine.
    pub engine: String,
    /// Its answer.
    pub outcome: EngineOutcome,
}

/// A page that an engine named and nobody could read, so that its excerpt is all there is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadPage {
    /// The page.
    pub url: String,
    /// Why it was not read.
    pub error: PageError,
}

impl fmt::Display for UnreadPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "of `{}` only the excerpt of the engine is used: {}", self.url, self.error)
    }
}

/// What a search for one query found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchAnswer {
    /// The documents, best first, each id once.
    pub evidence: Vec<Evidence>,
    /// How each engine answered.
    pub reports: Vec<EngineReport>,
    /// Pages of documents that are excerpts only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadPage>,
}

/// One engine or several. An engine that fails is a report, never a document.
#[async_trait]
pub trait Search: Send + Sync {
    /// The names of the engines, for notes.
    fn engines(&self) -> Vec<String>;

    /// At most `limit` documents of each engine for a query.
    async fn search(&self, query: &str, limit: usize) -> SearchAnswer;

    /// The engines of the web or the local ones alone, where they can be told apart; see [`WebAndLocal`].
    fn part(&self, _method: SearchMethod) -> Option<Arc<dyn Search>> {
        None
    }
}
