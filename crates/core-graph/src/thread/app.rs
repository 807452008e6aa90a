//! A compiled graph with its resources, and what can be done with it: run it once, or open its threads.

use std::fmt;
use std::sync::Arc;

use crate::checkpoint::Checkpointer;
use crate::executor::{Run, Runtime};
use crate::graph::Compiled;
use crate::limits::RunPolicy;
use crate::name::Node;
use crate::state::State;
use crate::store::StoreError;
use crate::thread::Threads;

/// A compiled graph with the resources that its nodes use. Cloning it is cheap.
pub struct App<S: State, Cx = ()> {
    pub(crate) graph: Compiled<S, Cx>,
    pub(crate) resources: Arc<Cx>,
}

impl<S: State, Cx: Default + Send + Sync + 'static> Compiled<S, Cx> {
    /// Threads of this graph in a store.
    pub fn with_checkpointer(&self, store: impl Checkpointer) -> Threads<S, Cx> {
        self.with_shared_checkpointer(Arc::new(store))
    }

    /// Threads of this graph in a store that others use too, or one that is chosen at run time.
    pub fn with_shared_checkpointer(&self, store: Arc<dyn Checkpointer>) -> Threads<S, Cx> {
        App::from(self).with_shared_checkpointer(store)
    }

    /// Runs the graph without a store: nothing is kept but the result.
    pub fn run_once(&self, input: S::Update) -> Run<S> {
        self.run_once_with(input, RunPolicy::default())
    }

    /// Runs the graph without a store, under a policy.
    pub fn run_once_with(&self, input: S::Update, policy: RunPolicy) -> Run<S> {
        App::from(self).run_once_with(input, policy)
    }
}

impl<S: State, Cx: Send + Sync + 'static> App<S, Cx> {
    /// Threads of this graph in a store.
    pub fn with_checkpointer(&self, store: impl Checkpointer) -> Threads<S, Cx> {
        self.with_shared_checkpointer(Arc::new(store))
    }

    /// Threads of this graph in a store that others use too, or one that is chosen at run time.
    pub fn with_shared_checkpointer(&self, store: Arc<dyn Checkpointer>) -> Threads<S, Cx> {
        Threads::new(self.clone(), store)
    }

    /// Runs the graph without a store: nothing is kept but the result.
    pub fn run_once(&self, input: S::Update) -> Run<S> {
        self.run_once_with(input, RunPolicy::default())
    }

    /// Runs the graph without a store, under a policy.
    pub fn run_once_with(&self, input: S::Update, policy: RunPolicy) -> Run<S> {
        let runtime = Runtime::of(&self.graph.executable, Arc::clone(&self.resources));
        Run::without_store(runtime, input, policy)
    }

    /// Forgets the results that [`add_cache`](crate::StateGraph::add_cache) kept of `node` in this process, by runs
    /// without a store; how many they were. [`Threads::clear_cache`] does it for those in a store.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn clear_cache(&self, node: impl Into<Node>) -> Result<u64, StoreError> {
        self.graph.clear_cache(node.into(), None).await
    }

    /// The graph.
    pub fn graph(&self) -> &Compiled<S, Cx> {
        &self.graph
    }

    /// The resources.
    pub fn resources(&self) -> &Arc<Cx> {
        &self.resources
    }
}

impl<S: State, Cx> From<&App<S, Cx>> for App<S, Cx> {
    fn from(app: &App<S, Cx>) -> Self {
        app.clone()
    }
}

impl<S: State, Cx: Default + Send + Sync + 'static> From<&Compiled<S, Cx>> for App<S, Cx> {
    fn from(graph: &Compiled<S, Cx>) -> Self {
        graph.clone().with_context(Cx::default())
    }
}

impl<S: State, Cx> Clone for App<S, Cx> {
    fn clone(&self) -> Self {
        Self { graph: self.graph.clone(), resources: Arc::clone(&self.resources) }
    }
}

impl<S: State, Cx> fmt::Debug for App<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("graph", &self.graph).finish_non_exhaustive()
    }
}

impl<S: State, Cx: Send + Sync + 'static> Compiled<S, Cx> {
    /// The graph with the resources that its nodes find in their context.
    pub fn with_context(self, resources: impl Into<Arc<Cx>>) -> App<S, Cx> {
        App { graph: self, resources: resources.into() }
    }
}
