//! The one interface of everything that can be searched.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "literature")]
use crate::literature::Record;
use crate::{EngineReport, Evidence, Fault, RetrievalError};

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
    /// The engine that found it; empty where the searcher is one engine and its report names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub engine: String,
    /// When it was published, as its engine writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The work, with authors, DOI and the like, where the engine knows it.
    #[cfg(feature = "literature")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Box<Record>>,
}

impl Hit {
    /// A result with its score and the sentences to show.
    #[must_use]
    pub fn new(evidence: Evidence, score: f32, snippet: impl Into<String>) -> Self {
        Self {
            evidence,
            score,
            snippet: snippet.into(),
            engine: String::new(),
            published: None,
            #[cfg(feature = "literature")]
            work: None,
        }
    }

    /// The same with the engine that found it.
    #[must_use]
    pub fn by(mut self, engine: impl Into<String>) -> Self {
        self.engine = engine.into();
        self
    }

    /// The same as a work of the literature.
    #[cfg(feature = "literature")]
    #[must_use]
    pub fn of_work(mut self, work: Record) -> Self {
        self.work = Some(Box::new(work));
        self
    }
}

/// The results of a search for one question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Stored")]
#[schemars(!from)]
#[non_exhaustive]
pub struct SearchAnswer {
    /// The results, best first, each piece of evidence once.
    pub hits: Vec<Hit>,
    /// How each engine fared.
    pub reports: Vec<EngineReport>,
    /// What a person should know of single results, such as pages of which only the excerpt is used.
    pub notes: Vec<String>,
}

/// An answer as it may be stored: earlier versions stored the results alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Hits(Vec<Hit>),
    Whole {
        hits: Vec<Hit>,
        reports: Vec<EngineReport>,
        #[serde(default)]
        notes: Vec<String>,
    },
}

impl From<Stored> for SearchAnswer {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Hits(hits) => Self { hits, ..Self::default() },
            Stored::Whole { hits, reports, notes } => Self { hits, reports, notes },
        }
    }
}

impl SearchAnswer {
    /// The results of one engine.
    #[must_use]
    pub fn of(engine: &str, query: &str, hits: Vec<Hit>) -> Self {
        let report = EngineReport::new(engine, query, crate::EngineOutcome::found(hits.len()));
        Self { hits, reports: vec![report], notes: Vec::new() }
    }

    /// The answer of one engine that failed.
    #[must_use]
    pub fn failed(engine: &str, query: &str, fault: Fault) -> Self {
        let report = EngineReport::new(engine, query, crate::EngineOutcome::Failed { fault });
        Self { hits: Vec::new(), reports: vec![report], notes: Vec::new() }
    }

    /// Whether at least one engine answered. An answer without results counts.
    #[must_use]
    pub fn answered(&self) -> bool {
        self.reports.iter().any(|report| report.outcome.answered())
    }

    /// The lines of the engines that failed, and the notes.
    pub fn remarks(&self) -> impl Iterator<Item = String> + '_ {
        let failed = self.reports.iter().filter(|report| !report.outcome.answered());
        failed.map(ToString::to_string).chain(self.notes.iter().cloned())
    }

    /// The answer, where at least one engine gave one or none was asked.
    ///
    /// # Errors
    /// [`RetrievalError::NoEngine`] with a line for each engine that failed.
    pub fn or_error(self) -> Result<Self, RetrievalError> {
        if self.answered() || self.reports.is_empty() {
            return Ok(self);
        }
        Err(RetrievalError::NoEngine {
            retryable: self.reports.iter().any(|report| report.outcome.is_retryable()),
            told: self.reports.iter().map(ToString::to_string).collect(),
        })
    }
}

/// Something that can be asked in plain words and answers with evidence: a corpus, the literature, the web, several of
/// them together, or a source of one's own.
///
/// ```
/// use async_trait::async_trait;
/// use graphloom_retrieval::{Evidence, Hit, Search, SearchAnswer, Source};
///
/// /// The bookmarks of a group.
/// struct Bookmarks(Vec<(String, String)>);
///
/// #[async_trait]
/// impl Search for Bookmarks {
///     fn engines(&self) -> Vec<String> {
///         vec!["bookmarks".to_owned()]
///     }
///
///     async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
///         let fits = self.0.iter().filter(|(_, text)| text.contains(query)).take(limit);
///         let hit = |(url, text): &(String, String)| {
///             let source = Source::Web { url: url.clone() };
///             Hit::new(Evidence::new(url.clone(), source, text.clone(), text.clone()), 1.0, text.clone())
///         };
///         SearchAnswer::of("bookmarks", query, fits.map(hit).collect())
///     }
/// }
/// ```
#[async_trait]
pub trait Search: Send + Sync {
    /// The names of the engines, for events and messages.
    fn engines(&self) -> Vec<String>;

    /// At most `limit` results of each engine, best first. A question without a fitting passage gives no hits. An
    /// engine that fails is a report, and takes nothing from what the others found.
    async fn search(&self, query: &str, limit: usize) -> SearchAnswer;
}
