//! A node that does the same for every item of a list.

use std::collections::BTreeMap;

use async_trait::async_trait;
use futures::{StreamExt, stream};
use graphloom_core_graph::NodeError;

use super::work::{Attempts, Label, Params, Runnable, Store, try_again};

/// What the failure of an item means for the batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failures {
    /// The node fails; items in flight are dropped and the others are not begun.
    #[default]
    Stop,
    /// The others go on; [`post`](BatchWork::post) is told which failed.
    Collect,
}

/// A node that does the same for every item of a list.
#[async_trait]
pub trait BatchWork: Send + Sync + 'static {
    /// An item.
    type Item: Send + Sync;
    /// What is made of one.
    type Exec: Send;

    /// Reads the items from the shared store.
    async fn prep(&self, shared: &mut Store, params: &Params) -> Result<Vec<Self::Item>, NodeError>;

    /// Works on one item; attempts count from 1 for every item.
    async fn exec(&self, item: &Self::Item, attempt: u32) -> Result<Self::Exec, NodeError>;

    /// Takes over when the last attempt of an item failed; by default the error stands.
    async fn exec_fallback(&self, _item: &Self::Item, error: NodeError) -> Result<Self::Exec, NodeError> {
        Err(error)
    }

    /// Writes the results, one per item in the order of the items, and names the edge. With [`Failures::Stop`] all are
    /// `Ok`.
    async fn post(
        &self,
        _shared: &mut Store,
        _items: Vec<Self::Item>,
        _results: Vec<Result<Self::Exec, NodeError>>,
    ) -> Result<Label, NodeError> {
        Ok(Label::DEFAULT)
    }

    /// How often each item is tried.
    fn attempts(&self) -> Attempts {
        Attempts::default()
    }

    /// How many items are worked on at once; one after the other by default, and for zero.
    fn at_once(&self) -> usize {
        1
    }

    /// What the failure of an item means.
    fn failures(&self) -> Failures {
        Failures::Stop
    }
}

/// Does works, at most `at_once` at a time; a slow one holds up no other. The results are in the order of the works.
pub(super) async fn in_order<T, F>(
    works: Vec<F>,
    at_once: usize,
    failures: Failures,
) -> Result<Vec<Result<T, NodeError>>, NodeError>
where
    F: Future<Output = Result<T, NodeError>>,
{
    let numbered: Vec<_> = works.into_iter().enumerate().map(|(at, work)| async move { (at, work.await) }).collect();
    let mut working = stream::iter(numbered).buffer_unordered(at_once.max(1));
    let mut done = BTreeMap::new();
    while let Some((at, result)) = working.next().await {
        match (result, failures) {
            (Err(error), Failures::Stop) => return Err(error),
            (result, _) => done.insert(at, result),
        };
    }
    Ok(done.into_values().collect())
}

pub(super) struct Batch<W>(pub(super) W);

impl<W: BatchWork> Batch<W> {
    async fn one(&self, item: &W::Item) -> Result<W::Exec, NodeError> {
        match try_again(self.0.attempts(), |attempt| self.0.exec(item, attempt)).await {
            Ok(done) => Ok(done),
            Err(error) => self.0.exec_fallback(item, error).await,
        }
    }
}

#[async_trait]
impl<W: BatchWork> Runnable for Batch<W> {
    async fn run(&self, shared: &mut Store, params: &Params, _: &mut Vec<String>) -> Result<Label, NodeError> {
        let items = self.0.prep(shared, params).await?;
        let works: Vec<_> = items.iter().map(|item| self.one(item)).collect();
        let results = in_order(works, self.0.at_once(), self.0.failures()).await?;
        self.0.post(shared, items, results).await
    }
}
