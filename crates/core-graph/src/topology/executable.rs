//! A graph as it is run.

use std::sync::Arc;

use crate::handler::NodeFn;
use crate::state::State;
use crate::topology::Topology;

/// A graph as it is run: what the step machine reads, and the functions of its nodes. Cloning it is cheap.
pub(crate) struct ExecutableGraph<S: State, Cx> {
    pub(crate) topology: Arc<Topology<S>>,
    pub(crate) handlers: Arc<[NodeRun<S, Cx>]>,
}

/// The functions of a node.
pub(crate) struct NodeRun<S: State, Cx> {
    pub(crate) run: Arc<dyn NodeFn<S, Cx>>,
    /// Takes over when the node has failed.
    pub(crate) on_error: Option<Arc<dyn NodeFn<S, Cx>>>,
}

impl<S: State, Cx> NodeRun<S, Cx> {
    /// Returns the node's function, or its error handler.
    pub(crate) fn function(&self, handling: bool) -> &Arc<dyn NodeFn<S, Cx>> {
        self.on_error.as_ref().filter(|_| handling).unwrap_or(&self.run)
    }
}

impl<S: State, Cx> Clone for ExecutableGraph<S, Cx> {
    fn clone(&self) -> Self {
        Self { topology: Arc::clone(&self.topology), handlers: Arc::clone(&self.handlers) }
    }
}
