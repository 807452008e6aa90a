//! A flow that runs once for each set of parameters.

use async_trait::async_trait;
use graphloom_core_graph::NodeError;

use super::batch::{Failures, in_order};
use super::graph::BuiltFlow;
use super::merge::merge;
use super::work::{Label, Params, Runnable, Store};

/// A flow that runs once for each set of parameters, one run after the other or several at once.
///
/// One after the other, every run sees what those before it wrote. Several at once all begin with the store as it was,
/// and what they changed is brought together in the order of the parameters: objects key by key, lists that grew at their
/// ends. Two runs that set one value differently are an error that names the place. A run that fails writes nothing.
pub trait BatchFlow: Send + Sync + 'static {
    /// The parameters of each run; those of the outer flow are added to them.
    ///
    /// # Errors
    /// What keeps the runs from being prepared.
    fn prep(&self, shared: &Store, params: &Params) -> Result<Vec<Params>, NodeError>;

    /// Looks at how the runs ended, one result per set of parameters in their order, and names the edge. With
    /// [`Failures::Stop`] all are `Ok`.
    ///
    /// # Errors
    /// What keeps the results from being used.
    fn post(&self, _shared: &mut Store, _runs: Vec<Result<Label, NodeError>>) -> Result<Label, NodeError> {
        Ok(Label::DEFAULT)
    }

    /// How many runs go on at once; one after the other by default, and for zero.
    fn at_once(&self) -> usize {
        1
    }

    /// What the failure of a run means.
    fn failures(&self) -> Failures {
        Failures::Stop
    }
}

/// Parameters from a function, one run after the other.
pub(super) struct Listed<E>(pub(super) E);

impl<E> BatchFlow for Listed<E>
where
    E: Fn(&Store, &Params) -> Result<Vec<Params>, NodeError> + Send + Sync + 'static,
{
    fn prep(&self, shared: &Store, params: &Params) -> Result<Vec<Params>, NodeError> {
        (self.0)(shared, params)
    }
}

pub(super) struct ForEach<B> {
    pub(super) flow: BuiltFlow,
    pub(super) batch: B,
}

impl<B: BatchFlow> ForEach<B> {
    async fn in_turn(&self, shared: &mut Store, sets: Vec<Params>) -> Result<Vec<Result<Label, NodeError>>, NodeError> {
        let mut runs = Vec::new();
        for params in sets {
            match (Runnable::run(&self.flow, shared, &params).await, self.batch.failures()) {
                (Err(error), Failures::Stop) => return Err(error),
                (ended, _) => runs.push(ended),
            }
        }
        Ok(runs)
    }

    async fn at_once(&self, shared: &mut Store, sets: Vec<Params>) -> Result<Vec<Result<Label, NodeError>>, NodeError> {
        let before = shared.clone();
        let runs: Vec<_> = sets
            .into_iter()
            .map(|params| {
                let mut own = before.clone();
                async move { Runnable::run(&self.flow, &mut own, &params).await.map(|label| (label, own)) }
            })
            .collect();
        let ended = in_order(runs, self.batch.at_once(), self.batch.failures()).await?;
        let mut labels = Vec::new();
        for run in ended {
            labels.push(match run {
                Ok((label, after)) => {
                    merge(shared, &before, after, "").map_err(NodeError::terminal)?;
                    Ok(label)
                }
                Err(error) => Err(error),
            });
        }
        Ok(labels)
    }
}

#[async_trait]
impl<B: BatchFlow> Runnable for ForEach<B> {
    async fn run(&self, shared: &mut Store, params: &Params) -> Result<Label, NodeError> {
        let with_outer = |own: Params| {
            let mut merged = params.clone();
            merged.extend(own);
            merged
        };
        let sets: Vec<Params> = self.batch.prep(shared, params)?.into_iter().map(with_outer).collect();
        let runs = match self.batch.at_once() {
            0 | 1 => self.in_turn(shared, sets).await?,
            _ => self.at_once(shared, sets).await?,
        };
        self.batch.post(shared, runs)
    }
}
