//! The engines of a run.

use std::fmt;
use std::sync::Arc;

use graphloom_llm::ModelError;
use graphloom_llm::cassette::Cassette;
use graphloom_retrieval::{CombinedSearch, Search};

use super::Retrieved;
use super::recorded::Recording;
use crate::config::SearchMethod;

/// The engines of a run: of the web and local ones, asked together or each as a tool of its own.
#[derive(Clone, Default)]
pub struct Engines {
    web: Option<Arc<dyn Search>>,
    local: Option<Arc<dyn Search>>,
    recording: Option<Recording>,
}

impl Engines {
    /// The web and local documents, each where it can be searched. Neither is a run that finds nothing, and says so.
    pub fn new(web: Option<Arc<dyn Search>>, local: Option<Arc<dyn Search>>) -> Self {
        Self { web, local, recording: None }
    }

    /// A searcher as the web.
    pub fn of(web: Arc<dyn Search>) -> Self {
        Self::new(Some(web), None)
    }

    /// The same with every answer recorded, or played back from a recording. Which engines there are is recorded too, for
    /// a model is told of them.
    ///
    /// # Errors
    /// Those of the recording.
    pub async fn recorded(mut self, cassette: Arc<Cassette>) -> Result<Self, ModelError> {
        self.recording = Some(Recording::open(cassette, self.web.is_some(), self.local.is_some()).await?);
        Ok(self)
    }

    /// The names of the engines, for notes.
    pub fn names(&self) -> Vec<String> {
        self.search(SearchMethod::All).map(|search| search.engines()).unwrap_or_default()
    }

    /// Whether there is anything to search in this way.
    pub fn can(&self, method: SearchMethod) -> bool {
        match &self.recording {
            Some(recording) => recording.has(method),
            None => self.search(method).is_some(),
        }
    }

    /// Asks the engines for at most `limit` documents each.
    pub async fn ask(&self, method: SearchMethod, query: &str, limit: usize) -> Retrieved {
        let ask = || async {
            match self.search(method) {
                Some(search) => Retrieved::of(search.search(query, limit).await, query),
                None => Retrieved::default(),
            }
        };
        match &self.recording {
            Some(recording) => recording.exchange(method, query, limit, ask).await,
            None => ask().await,
        }
    }

    fn search(&self, method: SearchMethod) -> Option<Arc<dyn Search>> {
        let (web, local) = (self.web.as_ref(), self.local.as_ref());
        match method {
            SearchMethod::Web => web.cloned(),
            SearchMethod::Local => local.cloned(),
            SearchMethod::All => CombinedSearch::of(web.into_iter().chain(local).cloned()),
        }
    }
}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |method| self.search(method).map(|search| search.engines()).unwrap_or_default();
        f.debug_struct("Engines")
            .field("web", &names(SearchMethod::Web))
            .field("local", &names(SearchMethod::Local))
            .field("recorded", &self.recording.is_some())
            .finish()
    }
}
