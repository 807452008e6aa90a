//! Several engines asked at once.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds::MOST_RESULTS;
use super::{Engine, EngineAnswer, EngineName, Pages, SearchRate, WebOptions, WebResult, engines, reading};
use crate::extract::snippet;
use crate::literature::Fault;
use crate::{EngineOutcome, EngineReport, Hit, RetrievalError, Search, SearchAnswer};

/// The longest wait for one engine and one question, with all tries and pauses.
const DEADLINE: Duration = Duration::from_secs(120);

/// The outcome of one question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct WebAnswer {
    /// Every page once: the first of each engine, then the second of each, and so on.
    pub results: Vec<WebResult>,
    /// How every engine fared, in the order of the engines.
    pub reports: Vec<EngineReport>,
}

impl WebAnswer {
    /// Whether at least one engine answered. An answer without results counts.
    #[must_use]
    pub fn answered(&self) -> bool {
        self.reports.iter().any(|report| report.outcome.answered())
    }
}

/// Search engines of the web that are asked together. Clones share the bound on searches in a second.
///
/// An engine that fails, or that takes too long, takes nothing from what the others found; each has its
/// [`EngineReport`].
#[derive(Clone)]
pub struct Web {
    engines: Vec<Arc<dyn Engine>>,
    rate: Arc<SearchRate>,
    deadline: Duration,
    pages: Option<Arc<Pages>>,
}

impl Web {
    /// The engines of these names, each once; nothing is asked yet.
    ///
    /// # Errors
    /// [`RetrievalError::NoKey`], [`RetrievalError::NoAddress`], [`RetrievalError::SourceAddress`] and
    /// [`RetrievalError::NoClient`] say what an engine lacks, [`RetrievalError::OpenKey`] that a key could be read.
    pub fn open(names: &[EngineName], options: &WebOptions) -> Result<Self, RetrievalError> {
        let mut distinct: Vec<EngineName> = Vec::new();
        for name in names {
            if !distinct.contains(name) {
                distinct.push(*name);
            }
        }
        let engines = distinct.into_iter().map(|name| engines::open(name, options)).collect::<Result<_, _>>()?;
        Ok(Self::of(engines).rate(SearchRate::new(options.per_second)))
    }

    /// Other engines.
    #[must_use]
    pub fn of(engines: Vec<Arc<dyn Engine>>) -> Self {
        Self { engines, rate: Arc::new(SearchRate::new(0.0)), deadline: DEADLINE, pages: None }
    }

    /// Bounds the searches in a second; a question to two engines is two searches.
    #[must_use]
    pub fn rate(mut self, rate: SearchRate) -> Self {
        self.rate = Arc::new(rate);
        self
    }

    /// The longest wait for one engine and one question; 120 s unless set. The wait for a turn does not count.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Also reads pages: a [search](Search::search) whose engine gives an excerpt only has the page itself.
    #[must_use]
    pub fn with_pages(mut self, pages: Pages) -> Self {
        self.pages = Some(Arc::new(pages));
        self
    }

    /// The names of the engines.
    #[must_use]
    pub fn engines(&self) -> Vec<&str> {
        self.engines.iter().map(|engine| engine.name()).collect()
    }

    /// Asks every engine for at most `limit` pages, and for never more than [`MOST_RESULTS`].
    pub async fn ask(&self, query: &str, limit: usize) -> WebAnswer {
        let limit = limit.clamp(1, MOST_RESULTS);
        let answers = join_all(self.engines.iter().map(|engine| self.ask_one(engine.as_ref(), query, limit))).await;
        let mut reports = Vec::new();
        let mut found = Vec::new();
        for (report, results) in answers {
            reports.push(report);
            found.push(results);
        }
        WebAnswer { results: merged(found), reports }
    }

    async fn ask_one(&self, engine: &dyn Engine, query: &str, limit: usize) -> (EngineReport, Vec<WebResult>) {
        let answer: Result<EngineAnswer, Fault> = match self.rate.turn().await {
            Ok(()) => match tokio::time::timeout(self.deadline, engine.search(query, limit)).await {
                Ok(answer) => answer,
                Err(_) => Err(Fault::TimedOut { seconds: self.deadline.as_secs() }),
            },
            Err(fault) => Err(fault),
        };
        let report = match &answer {
            Ok(answer) => EngineReport::new(engine.name(), query, EngineOutcome::found(answer.results.len()))
                .noting(answer.notes.clone()),
            Err(fault) => EngineReport::new(engine.name(), query, EngineOutcome::Failed { fault: fault.clone() }),
        };
        if report.outcome.answered() {
            tracing::debug!(engine = engine.name(), query, "{report}");
        } else {
            tracing::warn!(engine = engine.name(), query, "{report}");
        }
        (report, answer.map(|answer| answer.results).unwrap_or_default())
    }
}

/// Every page once, by rank and then in the order of the engines; of two texts of a page the longer one is kept.
fn merged(found: Vec<Vec<WebResult>>) -> Vec<WebResult> {
    let mut all: Vec<WebResult> = found.into_iter().flatten().collect();
    all.sort_by_key(|result| result.rank);
    let mut place: HashMap<String, usize> = HashMap::new();
    let mut pages: Vec<WebResult> = Vec::new();
    for result in all {
        match place.get(&result.url) {
            Some(at) => {
                let first = &mut pages[*at];
                if result.text.len() > first.text.len() {
                    first.text = result.text;
                }
                first.published = first.published.take().or(result.published);
            }
            None => {
                place.insert(result.url.clone(), pages.len());
                pages.push(result);
            }
        }
    }
    pages
}

impl fmt::Debug for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Web").field("engines", &self.engines()).field("rate", &self.rate).finish_non_exhaustive()
    }
}

/// Every result is a document: where an engine gives an excerpt only and [pages are read](Web::with_pages), the paragraphs
/// of the page that are about the question.
#[async_trait]
impl Search for Web {
    fn engines(&self) -> Vec<String> {
        Self::engines(self).into_iter().map(str::to_owned).collect()
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let WebAnswer { results, reports } = self.ask(query, limit).await;
        let (results, notes) = match &self.pages {
            Some(pages) => reading::read(pages, results, query).await,
            None => (results, Vec::new()),
        };
        let hit = |result: WebResult| {
            let score = 1.0 / f32::from(u16::try_from(result.rank).unwrap_or(u16::MAX));
            let mut hit = Hit::new(result.evidence(), score, snippet(query, &result.text)).by(result.engine);
            hit.published = result.published;
            hit
        };
        // A document without a text can support nothing.
        let hits = results.into_iter().filter(|result| !result.text.trim().is_empty()).map(hit).collect();
        SearchAnswer { hits, reports, notes }
    }
}
