//! Several engines as one, and none.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;

use super::{Search, SearchAnswer};

/// Several engines, asked at the same time. Their documents are taken in turns, best first, each once.
#[derive(Clone)]
pub struct Engines(Vec<Arc<dyn Search>>);

impl Engines {
    /// These engines, in this order.
    pub fn new(engines: impl IntoIterator<Item = Arc<dyn Search>>) -> Self {
        Self(engines.into_iter().collect())
    }
}

impl std::fmt::Debug for Engines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Engines").field(&self.engines()).finish()
    }
}

#[async_trait]
impl Search for Engines {
    fn engines(&self) -> Vec<String> {
        self.0.iter().flat_map(|engine| engine.engines()).collect()
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let answers = join_all(self.0.iter().map(|engine| engine.search(query, limit))).await;
        let mut answer = SearchAnswer::default();
        let mut lists = Vec::new();
        for SearchAnswer { evidence, reports, unread } in answers {
            answer.reports.extend(reports);
            answer.unread.extend(unread);
            lists.push(evidence.into_iter());
        }
        let mut seen = BTreeSet::new();
        let mut more = true;
        while more {
            more = false;
            for list in &mut lists {
                if let Some(found) = list.next() {
                    more = true;
                    if seen.insert(found.id.clone()) {
                        answer.evidence.push(found);
                    }
                }
            }
        }
        answer
    }
}

/// No engine: every search finds nothing, and the run says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSearch;

#[async_trait]
impl Search for NoSearch {
    fn engines(&self) -> Vec<String> {
        Vec::new()
    }

    async fn search(&self, _query: &str, _limit: usize) -> SearchAnswer {
        SearchAnswer::default()
    }
}
