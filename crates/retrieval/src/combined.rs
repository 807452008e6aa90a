//! Several search engines as one, and none.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;

use crate::{Search, SearchAnswer};

/// Several search engines, asked at the same time. Their results are taken in turns, best first, each piece of
/// evidence once.
#[derive(Clone, Default)]
pub struct CombinedSearch(Vec<Arc<dyn Search>>);

impl CombinedSearch {
    /// Combines these engines, in this order.
    #[must_use]
    pub fn new(searchers: impl IntoIterator<Item = Arc<dyn Search>>) -> Self {
        Self(searchers.into_iter().collect())
    }

    /// Combines several engines into one. One engine stays as it is; none gives `None`.
    #[must_use]
    pub fn of(searchers: impl IntoIterator<Item = Arc<dyn Search>>) -> Option<Arc<dyn Search>> {
        let mut searchers: Vec<Arc<dyn Search>> = searchers.into_iter().collect();
        match searchers.len() {
            0 => None,
            1 => searchers.pop(),
            _ => Some(Arc::new(Self(searchers))),
        }
    }
}

impl fmt::Debug for CombinedSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CombinedSearch").field(&self.engines()).finish()
    }
}

#[async_trait]
impl Search for CombinedSearch {
    fn engines(&self) -> Vec<String> {
        self.0.iter().flat_map(|searcher| searcher.engines()).collect()
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        let answers = join_all(self.0.iter().map(|searcher| searcher.search(query, limit))).await;
        let mut together = SearchAnswer::default();
        let mut lists = Vec::with_capacity(answers.len());
        for answer in answers {
            together.reports.extend(answer.reports);
            together.notes.extend(answer.notes);
            lists.push(answer.hits);
        }
        let mut seen = BTreeSet::new();
        together.hits = interleave(lists).filter(|hit| seen.insert(hit.evidence.id.clone())).collect();
        together
    }
}

/// The first of each list, then the second of each, and so on.
pub fn interleave<T>(lists: impl IntoIterator<Item = Vec<T>>) -> impl Iterator<Item = T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    std::iter::from_fn(move || {
        let round: Vec<T> = lists.iter_mut().filter_map(Iterator::next).collect();
        (!round.is_empty()).then_some(round)
    })
    .flatten()
}

/// Nothing to search: every question is answered with no hits and no reports.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evidence, Fault, Hit, Source};

    struct Ids(&'static str, &'static [&'static str]);

    #[async_trait]
    impl Search for Ids {
        fn engines(&self) -> Vec<String> {
            vec![self.0.to_owned()]
        }

        async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
            if self.1.is_empty() {
                return SearchAnswer::failed(self.0, query, Fault::TimedOut { seconds: 1 });
            }
            let hit = |id: &&str| {
                Hit::new(Evidence::new(*id, Source::Web { url: (*id).to_owned() }, *id, *id), 1.0, "").by(self.0)
            };
            SearchAnswer::of(self.0, query, self.1.iter().take(limit).map(hit).collect())
        }
    }

    #[tokio::test]
    async fn results_are_taken_in_turns_each_once() {
        let searchers: [Arc<dyn Search>; 3] =
            [Arc::new(Ids("a", &["1", "2", "3"])), Arc::new(Ids("b", &[])), Arc::new(Ids("c", &["2", "4"]))];
        let together = CombinedSearch::new(searchers);
        assert_eq!(together.engines(), ["a", "b", "c"]);
        let answer = together.search("q", 9).await;
        let ids: Vec<&str> = answer.hits.iter().map(|hit| hit.evidence.id.as_str()).collect();
        assert_eq!(ids, ["1", "2", "4", "3"]);
        assert!(answer.answered() && answer.remarks().count() == 1);
        assert!(CombinedSearch::new([]).search("q", 1).await.or_error().is_ok(), "nothing was asked");
        let dead = CombinedSearch::new([Arc::new(Ids("b", &[])) as Arc<dyn Search>]).search("q", 1).await;
        assert!(dead.or_error().unwrap_err().is_retryable());
    }
}
