//! Searches that are recorded, or played back.

use std::sync::Arc;

use graphloom_llm::ModelError;
use graphloom_llm::cassette::Cassette;
use graphloom_retrieval::{EngineOutcome, EngineReport, Fault};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Retrieved;
use crate::config::SearchMethod;

/// Where answers of engines go, or come from.
#[derive(Clone)]
pub(super) struct Recording {
    cassette: Arc<Cassette>,
    parts: Parts,
}

/// Which engines the recorded run had.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Parts {
    web: bool,
    local: bool,
}

impl Recording {
    pub(super) async fn open(cassette: Arc<Cassette>, web: bool, local: bool) -> Result<Self, ModelError> {
        let unread = |error: serde_json::Error| ModelError::Setup { message: error.to_string() };
        let given = || async { serde_json::to_value(Parts { web, local }).map_err(unread) };
        let parts =
            cassette.exchange("search_parts", &json!({}), given, |message| ModelError::Setup { message }).await?;
        Ok(Self { parts: serde_json::from_value(parts).map_err(unread)?, cassette })
    }

    pub(super) fn has(&self, method: SearchMethod) -> bool {
        match method {
            SearchMethod::Web => self.parts.web,
            SearchMethod::Local => self.parts.local,
            SearchMethod::All => self.parts.web || self.parts.local,
        }
    }

    /// The recorded answer, or that of `ask`, which is then recorded.
    pub(super) async fn exchange<F: Future<Output = Retrieved> + Send>(
        &self,
        method: SearchMethod,
        query: &str,
        limit: usize,
        ask: impl Fn() -> F + Send + Sync,
    ) -> Retrieved {
        let part = match method {
            SearchMethod::Web => "search_web",
            SearchMethod::Local => "search_local",
            SearchMethod::All => "search",
        };
        let setup = |message: String| ModelError::Setup { message };
        let work = || async { serde_json::to_value(ask().await).map_err(|error| setup(error.to_string())) };
        let of = json!({ "query": query, "limit": limit });
        let answer = self.cassette.exchange(part, &of, work, setup).await;
        let read = answer.and_then(|answer| serde_json::from_value(answer).map_err(|error| setup(error.to_string())));
        read.unwrap_or_else(|error| {
            let fault = Fault::Unusable { reason: error.to_string() };
            let report = EngineReport::new("recording", query, EngineOutcome::Failed { fault });
            Retrieved { reports: vec![report], ..Retrieved::default() }
        })
    }
}
