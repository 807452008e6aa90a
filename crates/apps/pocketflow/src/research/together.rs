//! Several kinds of sources at once.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;

use super::{Findings, Research, gathered};

/// Several kinds of sources, searched at the same time.
///
/// ```
/// use std::sync::Arc;
///
/// use graphloom_pocketflow::research::{NoResearch, Research, Together};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let both = Together::new([Arc::new(NoResearch) as Arc<dyn Research>, Arc::new(NoResearch)]);
/// assert_eq!(both.search("tides", 5).await.reports.len(), 2);
/// # }
/// ```
#[derive(Clone)]
pub struct Together {
    sources: Vec<Arc<dyn Research>>,
}

impl Together {
    /// These sources, whose reports come in this order.
    pub fn new(sources: impl IntoIterator<Item = Arc<dyn Research>>) -> Self {
        Self { sources: sources.into_iter().collect() }
    }
}

#[async_trait]
impl Research for Together {
    async fn search(&self, query: &str, limit: usize) -> Findings {
        gathered(join_all(self.sources.iter().map(|source| source.search(query, limit))).await)
    }
}

impl fmt::Debug for Together {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Together").field("sources", &self.sources.len()).finish()
    }
}
