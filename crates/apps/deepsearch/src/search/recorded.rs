//! Searches that are recorded, or played back.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_llm::ModelError;
use graphloom_llm::cassette::Cassette;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::config::SearchMethod;

use super::{EngineOutcome, EngineReport, Search, SearchAnswer};

/// An engine whose answers go to a recording, or come from one.
pub struct RecordedSearch {
    inner: Arc<dyn Search>,
    cassette: Arc<Cassette>,
    part: &'static str,
    parts: Parts,
}

/// Which parts the recorded engines have.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Parts {
    web: bool,
    local: bool,
}

impl RecordedSearch {
    /// Records what `inner` answers, or plays back what the recording has. Which parts there are is recorded too, for a
    /// model is told of them.
    ///
    /// # Errors
    /// Those of the recording.
    pub async fn open(inner: Arc<dyn Search>, cassette: Arc<Cassette>) -> Result<Self, ModelError> {
        let has = |method| inner.part(method).is_some();
        let parts = Parts { web: has(SearchMethod::Web), local: has(SearchMethod::Local) };
        let unread = |error: serde_json::Error| ModelError::Setup { message: error.to_string() };
        let given = || async { serde_json::to_value(parts).map_err(unread) };
        let parts =
            cassette.exchange("search_parts", &json!({}), given, |message| ModelError::Setup { message }).await?;
        let parts = serde_json::from_value(parts).map_err(unread)?;
        Ok(Self { inner, cassette, part: "search", parts })
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
            SearchAnswer { reports, ..SearchAnswer::default() }
        })
    }
    fn part(&self, method: SearchMethod) -> Option<Arc<dyn Search>> {
        let part = match method {
            SearchMethod::Web => "search_web",
            SearchMethod::Local => "search_local",
            SearchMethod::All => "search",
        };
        let is_there = match method {
            SearchMethod::Web => self.parts.web,
            SearchMethod::Local => self.parts.local,
            SearchMethod::All => true,
        };
        // What is played back needs no engine.
        let inner = if self.cassette.is_replay() { Some(Arc::clone(&self.inner)) } else { self.inner.part(method) };
        let of = |inner| -> Arc<dyn Search> {
            Arc::new(Self { inner, cassette: Arc::clone(&self.cassette), part, parts: self.parts })
        };
        inner.filter(|_| is_there).map(of)
    }
}
