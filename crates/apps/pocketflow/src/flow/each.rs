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
/// ends. Where two runs set one value differently, that of the first stays: all else that the other made is kept, its result
/// is an error that names the places, and the flow's notes tell it. A run that fails writes nothing.
pub trait BatchFlow: Send + Sync + 'static {
    /// The parameters of each run; those of the outer flow are added to them.
    ///
    /// # Errors
    /// What keeps the runs from being prepared.
    fn prep(&self, shared: &Store, params: &Params) -> Result<Vec<Params>, NodeError>;

    /// Looks at how the runs ended, one result per set of parameters in their order, and names the edge. With
    /// [`Failures::Stop`] all are `Ok` but those that set what another run had set.
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
pub(super) struct FromFunction<E>(pub(super) E);

impl<E> BatchFlow for FromFunction<E>
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
    async fn in_turn(
        &self,
        shared: &mut Store,
        sets: Vec<Params>,
        conflicts: &mut Vec<String>,
    ) -> Result<Vec<Result<Label, NodeError>>, NodeError> {
        let mut runs = Vec::new();
        for params in sets {
            match (Runnable::run(&self.flow, shared, &params, conflicts).await, self.batch.failures()) {
                (Err(error), Failures::Stop) => return Err(error),
                (ended, _) => runs.push(ended),
            }
        }
        Ok(runs)
    }

    async fn at_once(
        &self,
        shared: &mut Store,
        sets: Vec<Params>,
        conflicts: &mut Vec<String>,
    ) -> Result<Vec<Result<Label, NodeError>>, NodeError> {
        let before = shared.clone();
        let runs: Vec<_> = sets
            .into_iter()
            .map(|params| {
                let mut own = before.clone();
                async move {
                    let mut inner = Vec::new();
                    let label = Runnable::run(&self.flow, &mut own, &params, &mut inner).await?;
                    Ok((label, own, inner))
                }
            })
            .collect();
        let ended = in_order(runs, self.batch.at_once(), self.batch.failures()).await?;
        let mut labels = Vec::new();
        for run in ended {
            labels.push(match run {
                Ok((label, after, inner)) => {
                    conflicts.extend(inner);
                    match merge(shared, &before, after).as_slice() {
                        [] => Ok(label),
                        places => {
                            let conflict = conflict(places);
                            conflicts.push(conflict.clone());
                            Err(NodeError::terminal(conflict))
                        }
                    }
                }
                Err(error) => Err(error),
            });
        }
        Ok(labels)
    }
}

fn conflict(places: &[String]) -> String {
    let places: Vec<String> = places.iter().map(|place| format!("`{place}`")).collect();
    format!(
        "two runs at once set {} differently, the first stands; give each a key of its own, or run one after the other",
        places.join(", ")
    )
}

#[async_trait]
impl<B: BatchFlow> Runnable for ForEach<B> {
    async fn run(&self, shared: &mut Store, params: &Params, conflicts: &mut Vec<String>) -> Result<Label, NodeError> {
        let with_outer = |own: Params| {
            let mut merged = params.clone();
            merged.extend(own);
            merged
        };
        let sets: Vec<Params> = self.batch.prep(shared, params)?.into_iter().map(with_outer).collect();
        let runs = match self.batch.at_once() {
            0 | 1 => self.in_turn(shared, sets, conflicts).await?,
            _ => self.at_once(shared, sets, conflicts).await?,
        };
        self.batch.post(shared, runs)
    }
}
