//! `StateGraph`: nodes and edges as they are declared.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{NodeError, panic_text};
use crate::failure::Failure;
use crate::graph::Compiled;
use crate::graph::blueprint::{Blueprint, DeclaredJoin};
use crate::graph::cache::Cache;
use crate::graph::options::GraphOptions;
use crate::graph::persistence::SubgraphSpec;
use crate::graph::spec::{NodeDefaults, NodeSpec};
use crate::graph::subgraph::{ChildOutcome, FromRef, Inner, Subgraph, With};
use crate::handler::{Handler, NodeFn, TaskHandler};
use crate::name::{Name, Node, Packet, Targets, Task};
use crate::state::{Snapshot, State};
use crate::step::Step;
use crate::topology::{Migration, Mode, RouteFn, SendFn};

/// A graph under construction: nodes, then edges, then [`compile`](Self::compile).
///
/// `S` is the state, `Cx` the resources that nodes find in their [`Context`](crate::Context).
pub struct StateGraph<S: State, Cx = ()> {
    pub(super) blueprint: Blueprint,
    pub(super) layout: S::Layout,
    pub(super) runs: Vec<DeclaredRun<S, Cx>>,
    pub(super) routers: Vec<RouteFn<S>>,
    pub(super) senders: Vec<SendFn<S>>,
    pub(super) caches: Vec<Cache<S>>,
    pub(super) error_handlers: Vec<Arc<dyn NodeFn<S, Cx>>>,
    pub(super) default_error_handler: Option<Arc<dyn NodeFn<S, Cx>>>,
    pub(super) migrations: Vec<Migration<S>>,
    pub(super) options: GraphOptions<S, Cx>,
}

/// The function of a node.
pub(super) struct DeclaredRun<S: State, Cx> {
    pub(super) run: Arc<dyn NodeFn<S, Cx>>,
    /// Makes the node with another graph, for a subgraph.
    pub(super) with: Option<Box<With<S, Cx>>>,
}

/// What a router returns: no node, one, or several.
pub trait Route {
    /// Calls `visit` with each node.
    fn visit(self, visit: impl FnMut(Node));
}

impl Route for Node {
    fn visit(self, mut visit: impl FnMut(Node)) {
        visit(self);
    }
}

impl Route for Option<Node> {
    fn visit(self, visit: impl FnMut(Node)) {
        self.into_iter().for_each(visit);
    }
}

impl Route for Vec<Node> {
    fn visit(self, visit: impl FnMut(Node)) {
        self.into_iter().for_each(visit);
    }
}

impl<const N: usize> Route for [Node; N] {
    fn visit(self, visit: impl FnMut(Node)) {
        self.into_iter().for_each(visit);
    }
}

impl<S: State, Cx> StateGraph<S, Cx>
where
    S::Layout: Default,
    Cx: Send + Sync + 'static,
{
    /// An empty graph. The name is stored with every thread.
    pub fn new(name: impl Into<String>) -> Self {
        Self::with_layout(name, S::Layout::default())
    }
}

impl<S: State, Cx: Send + Sync + 'static> StateGraph<S, Cx> {
    /// An empty graph over a state whose fields are known at run time.
    pub fn with_layout(name: impl Into<String>, layout: S::Layout) -> Self {
        Self {
            blueprint: Blueprint::new(name.into()),
            layout,
            runs: Vec::new(),
            routers: Vec::new(),
            senders: Vec::new(),
            caches: Vec::new(),
            error_handlers: Vec::new(),
            default_error_handler: None,
            migrations: Vec::new(),
            options: GraphOptions::default(),
        }
    }

    /// States the version of the graph and of its state, as their author counts; both are 1 unless stated. A thread of
    /// a newer version is refused; one whose state is older is [migrated](Self::migrate).
    pub fn versions(&mut self, graph: u32, state: u32) -> &mut Self {
        (self.blueprint.version, self.blueprint.state_version) = (graph, state);
        self
    }

    /// When finished tasks are committed.
    pub fn mode(&mut self, mode: Mode) -> &mut Self {
        self.blueprint.mode = mode;
        self
    }

    /// Limits the time of each super-step of this graph, with all its tasks, their retries and their waits in between.
    /// Barrier mode. A step that takes longer is stopped: its unfinished tasks are dropped, and the run fails with
    /// [`RunError::StepTimeout`](crate::RunError::StepTimeout). What had finished is kept, and
    /// [`continue_`](crate::Thread::continue_) runs only what had not, with the whole limit again. Where the graph is a
    /// subgraph, it is the call that fails. [`RunPolicy::step_timeout`](crate::RunPolicy) of a run comes before it.
    pub fn step_timeout(&mut self, limit: Duration) -> &mut Self {
        self.blueprint.step_timeout = Some(limit);
        self
    }

    /// Makes warnings of [`compile`](Self::compile) errors.
    pub fn deny_warnings(&mut self) -> &mut Self {
        self.blueprint.deny_warnings = true;
        self
    }

    /// Policies of the nodes that state none. Subgraphs do not inherit them.
    pub fn defaults(&mut self, defaults: NodeDefaults) -> &mut Self {
        self.blueprint.defaults = defaults;
        self
    }

    /// Adds a node that edges and gotos trigger.
    pub fn add_node<M>(&mut self, key: Node, run: impl Handler<M, S, Cx, Future: Send>) -> &mut NodeSpec {
        &mut self.declare(key.into_name(), false, run.into_node(), None).node
    }

    /// Adds a node that sends trigger, each with an input.
    pub fn add_task<M, I>(&mut self, key: Task<I>, run: impl TaskHandler<M, I, S, Cx, Future: Send>) -> &mut NodeSpec {
        &mut self.declare(key.into_name(), true, run.into_node(), None).node
    }

    /// Adds a node of synchronous work, run on a thread for blocking work. It cannot be cancelled: a time limit drops
    /// its result.
    pub fn add_blocking<R>(
        &mut self,
        key: Node,
        run: impl Fn(Snapshot<S>) -> Result<R, NodeError> + Send + Sync + 'static,
    ) -> &mut NodeSpec
    where
        R: Into<Step<S>> + 'static,
    {
        let run = Arc::new(run);
        let handler = move |state: Snapshot<S>| {
            let run = Arc::clone(&run);
            async move {
                let work = tokio::task::spawn_blocking(move || run(state).map(Into::into));
                match work.await {
                    Ok(result) => result,
                    Err(join) => Err(match join.try_into_panic() {
                        Ok(payload) => NodeError::terminal(format!("panicked: {}", panic_text(payload.as_ref()))),
                        Err(join) => NodeError::from(join),
                    }),
                }
            }
        };
        &mut self.declare(key.into_name(), false, handler.into_node(), None).node
    }

    /// Adds a graph as a node. `map_in` makes the child's input from the parent's state, `map_out` the parent's step
    /// from what became of the child. The child runs under its own namespace of the same thread: its super-steps are
    /// durable by themselves, its questions surface at the parent, its tasks count against the parent's budget. Each
    /// call has a state of its own unless another [`Persistence`](crate::Persistence) is stated on what this returns.
    pub fn add_subgraph<C, Ccx, R>(
        &mut self,
        key: Node,
        child: Compiled<C, Ccx>,
        map_in: impl Fn(&S) -> C::Update + Send + Sync + 'static,
        map_out: impl Fn(ChildOutcome<C>) -> Result<R, NodeError> + Send + Sync + 'static,
    ) -> &mut SubgraphSpec
    where
        C: State,
        Ccx: FromRef<Cx> + Send + Sync + 'static,
        R: Into<Step<S>> + 'static,
    {
        let node = Subgraph::new(child, move |_: Option<()>, state: &S| map_in(state), map_out);
        let (run, inner) = Inner::of(node);
        self.declare(key.into_name(), false, run, Some(inner))
    }

    /// Adds a graph as a task node: every send runs it once, with the send's input.
    pub fn add_subgraph_task<I, C, Ccx, R>(
        &mut self,
        key: Task<I>,
        child: Compiled<C, Ccx>,
        map_in: impl Fn(I, &S) -> C::Update + Send + Sync + 'static,
        map_out: impl Fn(ChildOutcome<C>) -> Result<R, NodeError> + Send + Sync + 'static,
    ) -> &mut SubgraphSpec
    where
        I: serde::de::DeserializeOwned + Send + 'static,
        C: State,
        Ccx: FromRef<Cx> + Send + Sync + 'static,
        R: Into<Step<S>> + 'static,
    {
        let (run, inner) = Inner::of(Subgraph::for_task(child, map_in, map_out));
        self.declare(key.into_name(), true, run, Some(inner))
    }

    /// Keeps the results of `node`: a task of the same key gets what an earlier one returned, update and targets, and
    /// the node does not run. Reading and keeping count as part of the attempt.
    ///
    /// Results are in the threads' long-term [`Store`](crate::store::Store) and outlive runs and processes; without
    /// one they live as long as the compiled graph. A hit is told as [`EventKind::TaskCached`](crate::EventKind). What
    /// failed or waits is not kept, nor are writes of untracked fields. Another version of the graph or of its state
    /// finds nothing, and [`Threads::clear_cache`](crate::Threads::clear_cache) forgets.
    pub fn add_cache(&mut self, node: impl Into<Node>, cache: Cache<S>) -> &mut Self {
        self.blueprint.caches.push(node.into().into_name());
        self.caches.push(cache);
        self
    }

    /// Runs `handler` when `node` has failed and no retry is left, as the same task of the same super-step.
    ///
    /// What the handler returns is committed in the place of the node's own result, with one difference: the node's
    /// edges do not fire. It goes on where the node [may go](NodeSpec::may_goto), or nowhere. The failure is stored
    /// first: after a crash the handler runs again, not the node. A handler has the time limit of its node and one
    /// attempt; when it fails, the run does. It sees the results of the node's durable steps as its own. A question is
    /// not a failure.
    pub fn add_error_handler<M>(
        &mut self,
        node: impl Into<Node>,
        handler: impl TaskHandler<M, Failure, S, Cx, Future: Send>,
    ) -> &mut Self {
        self.blueprint.error_handlers.push(node.into().into_name());
        self.error_handlers.push(handler.into_node());
        self
    }

    /// Runs `handler` for every node without an error handler of its own. Subgraphs do not inherit it.
    pub fn default_error_handler<M>(
        &mut self,
        handler: impl TaskHandler<M, Failure, S, Cx, Future: Send>,
    ) -> &mut Self {
        self.blueprint.handles_errors = true;
        self.default_error_handler = Some(handler.into_node());
        self
    }

    /// When `from` finishes, `to` runs. An edge from [`START`](crate::START) begins, an edge to [`END`](crate::END) ends.
    pub fn add_edge(&mut self, from: impl Into<Node>, to: Node) -> &mut Self {
        self.blueprint.edges.push((from.into().into_name(), to.into_name()));
        self
    }

    /// When `from` finishes, `route` says which of `targets` run, from the state with the update of `from`.
    pub fn add_conditional_edges<R: Route>(
        &mut self,
        from: impl Into<Node>,
        targets: impl Targets,
        route: impl Fn(&S) -> R + Send + Sync + 'static,
    ) -> &mut Self {
        let route: RouteFn<S> = Arc::new(move |state, found| route(state).visit(|node| found(node.name())));
        self.add_router(from.into().into_name(), targets.names(), route)
    }

    /// When `from` finishes, `send` says which inputs go to which of `targets`. No input at all counts, for joins, as
    /// a fan-out that is complete.
    pub fn add_sends(
        &mut self,
        from: impl Into<Node>,
        targets: impl Targets,
        send: impl Fn(&S) -> Vec<Packet> + Send + Sync + 'static,
    ) -> &mut Self {
        self.add_sender(from.into().into_name(), targets.names(), Arc::new(send))
    }

    /// `to` runs when all of `from` have finished. A task node counts as finished when every send of the same fan-out
    /// has, nested ones included.
    pub fn add_join(&mut self, from: impl Targets, to: Node) -> &mut Self {
        self.declare_join(from.names(), to.into_name(), false)
    }

    /// `to` runs when those of `from` that the run reaches have finished: one of them has, and no unfinished task can
    /// lead to another any more. So it never starves when a route leaves one out.
    ///
    /// What can lead where is what the graph declares: edges, targets of conditional edges, of sends and of gotos, and
    /// joins. A loop that leads back through `to` begins a new round. A task that waits for an answer is unfinished.
    pub fn add_join_reached(&mut self, from: impl Targets, to: Node) -> &mut Self {
        self.declare_join(from.names(), to.into_name(), true)
    }

    pub(super) fn declare_join(&mut self, from: Vec<Name>, to: Name, reached: bool) -> &mut Self {
        self.blueprint.joins.push(DeclaredJoin { from, to, reached });
        self
    }

    /// At most `limit` tasks of the concurrency class run at the same time.
    pub fn limit(&mut self, class: impl Into<String>, limit: usize) -> &mut Self {
        self.blueprint.limits.push((class.into(), limit));
        self
    }

    /// Adds a node that is made already.
    pub(crate) fn add_run(&mut self, key: Node, run: Arc<dyn NodeFn<S, Cx>>, spec: NodeSpec) {
        self.declare(key.into_name(), false, run, None).node = spec;
    }

    pub(super) fn declare(
        &mut self,
        name: Name,
        is_task: bool,
        run: Arc<dyn NodeFn<S, Cx>>,
        child: Option<Inner<S, Cx>>,
    ) -> &mut SubgraphSpec {
        let place = self.runs.len();
        let (inner, with) = child.map(|Inner { graph, with }| (graph, with)).unzip();
        self.runs.push(DeclaredRun { run, with });
        self.blueprint.add(name, is_task, place, inner)
    }

    pub(super) fn add_router(&mut self, from: Name, targets: Vec<Name>, route: RouteFn<S>) -> &mut Self {
        self.blueprint.conditionals.push((from, targets));
        self.routers.push(route);
        self
    }

    pub(super) fn add_sender(&mut self, from: Name, targets: Vec<Name>, send: SendFn<S>) -> &mut Self {
        self.blueprint.sends.push((from, targets));
        self.senders.push(send);
        self
    }
}

impl<I> From<Task<I>> for Node {
    fn from(task: Task<I>) -> Self {
        match task.into_name() {
            Name::Static(name) => Self::named(name),
            Name::Owned(name) => Self::owned(name),
        }
    }
}

impl<S: State, Cx> fmt::Debug for StateGraph<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateGraph")
            .field("name", &self.blueprint.name)
            .field("nodes", &self.blueprint.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
