//! A graph that was proven, and the same with its resources.

use std::fmt;
use std::sync::Arc;

use crate::checkpoint::Checkpointer;
use crate::driver::{Run, RunPolicy, Runtime};
use crate::graph::cache::Shelf;
use crate::graph::declarations::Declarations;
use crate::graph::inspection::NotToRun;
use crate::graph::topology::Topology;
use crate::graph::{CompileWarning, Diagram};
use crate::handler::NodeFn;
use crate::name::Node;
use crate::state::State;
use crate::store::{Store, StoreError};
use crate::thread::Threads;

/// A graph that passed [`compile`](crate::StateGraph::compile). Cloning it is cheap.
pub struct Compiled<S: State, Cx = ()> {
    pub(crate) topology: Arc<Topology<S>>,
    pub(crate) handlers: Arc<[NodeRun<S, Cx>]>,
    warnings: Arc<[CompileWarning]>,
}

/// A compiled graph with the resources that its nodes use. Cloning it is cheap.
pub struct App<S: State, Cx = ()> {
    pub(crate) graph: Compiled<S, Cx>,
    pub(crate) resources: Arc<Cx>,
}

/// The functions of a node.
pub(crate) struct NodeRun<S: State, Cx> {
    pub(crate) run: Arc<dyn NodeFn<S, Cx>>,
    /// Takes over when the node has failed.
    pub(crate) on_error: Option<Arc<dyn NodeFn<S, Cx>>>,
    /// Where its results are kept.
    pub(super) shelf: Option<Arc<Shelf<S>>>,
}

impl<S: State, Cx> NodeRun<S, Cx> {
    /// The node's function, or its error handler.
    pub(crate) fn function(&self, handling: bool) -> &Arc<dyn NodeFn<S, Cx>> {
        self.on_error.as_ref().filter(|_| handling).unwrap_or(&self.run)
    }
}

pub(super) fn new<S: State, Cx>(
    topology: Topology<S>,
    handlers: Vec<NodeRun<S, Cx>>,
    warnings: Vec<CompileWarning>,
) -> Compiled<S, Cx> {
    Compiled { topology: Arc::new(topology), handlers: handlers.into(), warnings: warnings.into() }
}

impl<S: State, Cx: Send + Sync + 'static> Compiled<S, Cx> {
    /// The graph's name.
    pub fn name(&self) -> &str {
        &self.topology.name
    }

    /// What may be meant, but is worth a look.
    pub fn warnings(&self) -> &[CompileWarning] {
        &self.warnings
    }

    /// A drawing of the graph.
    pub fn diagram(&self) -> &Diagram {
        &self.topology.diagram
    }

    /// The graph with the resources that its nodes find in their context.
    pub fn with_context(self, resources: impl Into<Arc<Cx>>) -> App<S, Cx> {
        App { graph: self, resources: resources.into() }
    }

    /// The same graph for who only looks at its threads, which needs no resources: they can be read, forked and updated from
    /// outside, and a run fails at the first node.
    pub fn for_inspection(&self) -> Compiled<S> {
        let handlers = self.handlers.iter().map(|_| NodeRun {
            run: Arc::new(NotToRun) as Arc<dyn NodeFn<S, ()>>,
            on_error: None,
            shelf: None,
        });
        Compiled {
            topology: Arc::clone(&self.topology),
            handlers: handlers.collect(),
            warnings: Arc::clone(&self.warnings),
        }
    }

    pub(crate) async fn clear_cache(&self, node: Node, store: Option<&dyn Store>) -> Result<u64, StoreError> {
        let shelf = self.topology.find(node.as_str()).and_then(|at| self.handlers[at as usize].shelf.as_ref());
        match shelf {
            Some(shelf) => shelf.clear(store).await,
            None => Ok(0),
        }
    }

    pub(super) fn declarations_and_diagram(&self) -> (Arc<dyn Declarations>, Diagram) {
        let declarations: Arc<dyn Declarations> = Arc::clone(&self.topology) as Arc<dyn Declarations>;
        (declarations, self.topology.diagram.clone())
    }
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
        Run::without_store(Runtime::new(self), input, policy)
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

impl<S: State, Cx> Clone for Compiled<S, Cx> {
    fn clone(&self) -> Self {
        Self {
            topology: Arc::clone(&self.topology),
            handlers: Arc::clone(&self.handlers),
            warnings: Arc::clone(&self.warnings),
        }
    }
}

impl<S: State, Cx> Clone for App<S, Cx> {
    fn clone(&self) -> Self {
        Self { graph: self.graph.clone(), resources: Arc::clone(&self.resources) }
    }
}

impl<S: State, Cx> fmt::Debug for Compiled<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("topology", &self.topology).finish_non_exhaustive()
    }
}

impl<S: State, Cx> fmt::Debug for App<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("graph", &self.graph).finish_non_exhaustive()
    }
}
