//! The engines of `graphloom-retrieval`: the local corpus, the literature, the web.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_retrieval::{Locator, RetrievalError, Source};

use super::{EngineOutcome, EngineReport, Search, SearchAnswer};
use crate::evidence::Evidence;

/// An engine of `graphloom-retrieval`.
#[derive(Clone)]
pub struct RetrievalSearch {
    engine: Arc<dyn graphloom_retrieval::Search>,
}

impl RetrievalSearch {
    /// An engine, for instance a [`Corpus`](graphloom_retrieval::Corpus).
    pub fn new(engine: Arc<dyn graphloom_retrieval::Search>) -> Self {
        Self { engine }
    }
}

impl fmt::Debug for RetrievalSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RetrievalSearch").field(&self.engine.name()).finish()
    }
}

#[async_trait]
impl Search for RetrievalSearch {
    fn engines(&self) -> Vec<String> {
        vec![self.engine.name().to_owned()]
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let name = self.engine.name().to_owned();
        match self.engine.search(query, limit).await {
            Ok(hits) => {
                let mut seen = BTreeSet::new();
                let found = hits.into_iter().map(|hit| document(hit.evidence, &name, query));
                let mut evidence: Vec<Evidence> = found.filter(|found| seen.insert(found.id.clone())).collect();
                for (rank, found) in (1..).zip(&mut evidence) {
                    found.rank = rank;
                }
                let outcome = EngineOutcome::Found { documents: evidence.len() };
                SearchAnswer {
                    evidence,
                    reports: vec![EngineReport { engine: name, outcome }],
                    ..SearchAnswer::default()
                }
            }
            Err(error) => {
                let reports = vec![EngineReport { engine: name, outcome: of(&error) }];
                SearchAnswer { reports, ..SearchAnswer::default() }
            }
        }
    }
}

fn of(error: &RetrievalError) -> EngineOutcome {
    EngineOutcome::Failed { reason: error.to_string() }
}

/// The passage as a document: its address is the document's, so that references count documents, its id the passage's.
fn document(found: graphloom_retrieval::Evidence, engine: &str, query: &str) -> Evidence {
    let url = match &found.source {
        Source::Literature { url, .. } if !url.is_empty() => url.clone(),
        source => source.to_string(),
    };
    let mut title = found.title;
    if !matches!(found.locator, Locator::Document)
        && let Some(heading) = found.heading.last().filter(|heading| **heading != title && !heading.is_empty())
    {
        title = if title.is_empty() { heading.clone() } else { format!("{title}: {heading}") };
    }
    let mut document = Evidence::new(url, title, found.text);
    document.engine = engine.to_owned();
    document.query = query.to_owned();
    document
}
