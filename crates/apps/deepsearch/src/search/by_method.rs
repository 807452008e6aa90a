//! The engines of the web and the local ones, told apart.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Engines, Search, SearchAnswer};
use crate::config::SearchMethod;

/// The engines of the web and the local ones: together one engine, and each a [part](Search::part) that a model can
/// choose as a tool of its own.
#[derive(Clone, Default)]
pub struct WebAndLocal {
    /// The web; none when it cannot be searched.
    pub web: Option<Arc<dyn Search>>,
    /// Local documents; none when there are none.
    pub local: Option<Arc<dyn Search>>,
}

impl WebAndLocal {
    fn all(&self) -> Engines {
        Engines::new(self.web.iter().chain(&self.local).map(Arc::clone))
    }
}

impl fmt::Debug for WebAndLocal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |part: &Option<Arc<dyn Search>>| part.as_ref().map(|search| search.engines()).unwrap_or_default();
        f.debug_struct("WebAndLocal").field("web", &names(&self.web)).field("local", &names(&self.local)).finish()
    }
}

#[async_trait]
impl Search for WebAndLocal {
    fn engines(&self) -> Vec<String> {
        self.all().engines()
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        self.all().search(query, limit).await
    }

    fn part(&self, method: SearchMethod) -> Option<Arc<dyn Search>> {
        match method {
            SearchMethod::Web => self.web.clone(),
            SearchMethod::Local => self.local.clone(),
            SearchMethod::All => Some(Arc::new(self.clone())),
        }
    }
}
