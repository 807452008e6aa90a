//! Searches that are recorded, or played back.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_llm::ModelError;
use graphloom_llm::cassette::Cassette;
use serde_json::json;

use super::{EngineOutcome, EngineReport, Search, SearchAnswer};

/// An engine whose answers go to a recording, or come from one.
pub struct RecordedSearch {
    inner: Arc<dyn Search>,
    cassette: Arc<Cassette>,
}

impl RecordedSearch {
    /// Records what `inner` answers, or plays back what the recording has.
    pub fn new(inner: Arc<dyn Search>, cassette: Arc<Cassette>) -> Self {
        Self { inner, cassette }
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
        let answer = self.cassette.exchange("search", &of, work, |message| ModelError::Setup { message }).await;
        let read = answer.and_then(|answer| {
            serde_json::from_value(answer).map_err(|error| ModelError::Setup { message: error.to_string() })
        });
        read.unwrap_or_else(|error| {
            let outcome = EngineOutcome::Failed { reason: error.to_string() };
            let reports = vec![EngineReport { engine: "recording".to_owned(), outcome }];
            SearchAnswer { evidence: Vec::new(), reports }
        })
    }
}
