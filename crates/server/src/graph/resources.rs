//! What the nodes of a run find in their context.

use std::sync::Arc;

use graphloom_core_graph::remote::Performer;
use graphloom_core_graph::{Compiled, NodeError, State};
use serde_json::Value;

/// What the nodes of a run find in their context.
pub(crate) enum Resources<Cx> {
    /// The same for every run.
    Shared(Arc<Cx>),
    /// Made of the context that a run is given.
    OfRun(Arc<dyn Fn(&Value) -> Result<Cx, BadContext> + Send + Sync>),
}

/// The context of a run does not fit the graph.
#[derive(Debug, thiserror::Error)]
#[error("the context does not fit: {0}")]
pub(crate) struct BadContext(pub(crate) String);

impl<Cx: Send + Sync + 'static> Resources<Cx> {
    /// What a worker has of a graph with them.
    pub(crate) fn performer<S: State>(&self, graph: &Compiled<S, Cx>) -> Arc<dyn Performer> {
        match self {
            Self::Shared(shared) => Arc::new(graph.clone().with_context(Arc::clone(shared))),
            Self::OfRun(make) => {
                let make = Arc::clone(make);
                Arc::new(graph.performer_per_run(move |context| make(context).map_err(NodeError::terminal)))
            }
        }
    }

    /// The resources of one run.
    pub(super) fn of(&self, context: &Value) -> Result<Arc<Cx>, BadContext> {
        match self {
            Self::Shared(shared) => Ok(Arc::clone(shared)),
            Self::OfRun(make) => make(context).map(Arc::new),
        }
    }
}
