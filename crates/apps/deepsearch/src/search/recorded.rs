//! Searches that are recorded, or played back.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_llm::ModelError;
use graphloom_llm::cassette::Cassette;
use serde_json::json;

use crate::config::SearchMethod;

use super::{EngineOutcome, EngineReport, Search, SearchAnswer};

/// An engine whose answers go to a recording, or come from one.
pub struct RecordedSearch {
    inner: Arc<dyn Search>,
    cassette: Arc<Cassette>,
    part: &'static str,
}

impl RecordedSearch {
    /// Records what `inner` answers, or plays back what the recording has.
    pub fn new(inner: Arc<dyn Search>, cassette: Arc<Cassette>) -> Self {
        Self { inner, cassette, part: "search" }
    }
}

impl fmt::Debug for RecordedSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RecordedSearch").field(&self.inner.engines()).finish()
    }
}

#[async_trait]
impl Search for RecordedSearch {
    fn engines(&self) -> Vec<String> {
        self.inner.engines()
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let work = || async {
            let answer = self.inner.search(query, limit).await;
            serde_json::to_value(&answer).map_err(|error| ModelError::Setup { message: error.to_string() })
        };
        let of = json!({ "query": query, "limit": limit });
        let answer = self.cassette.exchange(self.part, &of, work, |message| ModelError::Setup { message }).await;
        let read = answer.and_then(|answer| {
            serde_json::from_value(answer).map_err(|error| ModelError::Setup { message: error.to_string() })
        });
        read.unwrap_or_else(|error| {
            let outcome = EngineOutcome::Failed { reason: error.to_string() };
            let reports = vec![EngineReport { engine: "recording".to_owned(), outcome }];
            SearchAnswer { evidence: Vec::new(), reports }
        })
    }
    fn part(&self, method: SearchMethod) -> Option<Arc<dyn Search>> {
        let part = match method {
            SearchMethod::Web => "search_web",
            SearchMethod::Local => "search_local",
            SearchMethod::All => "search",
        };
        // What is played back knows its parts by what was asked of them.
        let inner = if self.cassette.is_replay() { Some(Arc::clone(&self.inner)) } else { self.inner.part(method) };
        let of = |inner| -> Arc<dyn Search> { Arc::new(Self { inner, cassette: Arc::clone(&self.cassette), part }) };
        inner.map(of)
    }
}
