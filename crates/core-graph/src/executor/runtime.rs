//! What a graph needs to run.

use std::sync::Arc;

use crate::context::{Context, TaskServices};
use crate::executor::task_context::TaskContext;
use crate::handler::NodeFn;
use crate::state::State;
use crate::topology::{ExecutableGraph, NodeRun, Topology};

/// What a graph needs to run: its topology, its nodes, their resources.
pub(crate) struct Runtime<S: State, Cx> {
    pub(crate) topology: Arc<Topology<S>>,
    handlers: Arc<[NodeRun<S, Cx>]>,
    resources: Arc<Cx>,
}

impl<S: State, Cx> Runtime<S, Cx> {
    /// Returns what runs for a node, its function or its error handler, and the resources that it finds.
    pub(crate) fn function(&self, node: u32, handling: bool) -> (&Arc<dyn NodeFn<S, Cx>>, &Arc<Cx>) {
        (self.handlers[node as usize].function(handling), &self.resources)
    }

    pub(crate) fn of(graph: &ExecutableGraph<S, Cx>, resources: Arc<Cx>) -> Self {
        Self { topology: Arc::clone(&graph.topology), handlers: Arc::clone(&graph.handlers), resources }
    }
}

/// The context of a task with these services and resources.
pub(crate) fn context<Cx>(services: &Arc<TaskContext>, resources: &Arc<Cx>) -> Context<Cx> {
    let services: Arc<dyn TaskServices> = Arc::clone(services) as Arc<dyn TaskServices>;
    Context::new(services, Arc::clone(resources))
}

impl<S: State, Cx> Clone for Runtime<S, Cx> {
    fn clone(&self) -> Self {
        Self {
            topology: Arc::clone(&self.topology),
            handlers: Arc::clone(&self.handlers),
            resources: Arc::clone(&self.resources),
        }
    }
}
