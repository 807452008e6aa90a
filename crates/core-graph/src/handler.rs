//! The async functions that nodes are made of.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::task::Context as PollContext;

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::error::NodeError;
use crate::remote::{Executor, GraphVersion, NodePlace, NotPortable, TaskLink, TaskReply, TaskRequest, UnknownTask};
use crate::state::{Snapshot, State, codec};
use crate::step::Step;

/// An async function that can be a node: `(Snapshot<S>)` or `(Snapshot<S>, Context<Cx>)` to
/// `Result<impl Into<Step<S>>, NodeError>`.
///
/// What is not part of the state comes with the context, as [resources](Context::resources). A function that needs a value of
/// its own besides is a closure that clones it for each call, since a node may run many times, and beside itself:
///
/// ```
/// # use graphloom_core_graph::{Node, Snapshot, State, StateGraph};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
/// # use std::sync::Arc;
/// # #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
/// # struct Trip {
/// #     city: String,
/// # }
/// # const RETURN: Node = Node::named("return");
/// # let mut graph = StateGraph::<Trip>::new("trip");
/// let home: Arc<str> = "Lisbon".into();
/// graph.add_node(RETURN, move |_: Snapshot<Trip>| {
///     let home = Arc::clone(&home);
///     async move { Ok(Trip::update().city(&*home)) }
/// });
/// ```
///
/// An `async |…|` closure cannot do that: its future would borrow what the closure has captured.
#[diagnostic::on_unimplemented(
    message = "this function is not a node of a graph over `{S}`",
    label = "not a node",
    note = "a node is `async fn(Snapshot<{S}>) -> Result<impl Into<Step<{S}>>, NodeError>`, optionally with `Context<{Cx}>` as the second parameter",
    note = "a function that takes an input before the snapshot is a task node: add it with `add_task`"
)]
pub trait Handler<M, S: State, Cx>: Send + Sync + 'static {
    /// What the function returns. It must be `Send`, which is asked where the function is added, so that the compiler
    /// names the value that is not.
    type Future;

    /// Makes the function a [`NodeFn`].
    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>>
    where
        Self::Future: Send;
}

/// An async function that can be a task node: `(I, Snapshot<S>)` or `(I, Snapshot<S>, Context<Cx>)` to
/// `Result<impl Into<Step<S>>, NodeError>`.
#[diagnostic::on_unimplemented(
    message = "this function is not a task node with input `{I}` of a graph over `{S}`",
    label = "not a task node",
    note = "a task node is `async fn({I}, Snapshot<{S}>) -> Result<impl Into<Step<{S}>>, NodeError>`, optionally with `Context<{Cx}>` as the third parameter"
)]
pub trait TaskHandler<M, I, S: State, Cx>: Send + Sync + 'static {
    /// What the function returns. It must be `Send`, as the one of a [`Handler`].
    type Future;

    /// Makes the function a [`NodeFn`].
    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>>
    where
        Self::Future: Send;
}

/// What becomes of a node that is called.
pub enum Called<S: State> {
    /// It has ended already.
    Ended(Result<Step<S>, NodeError>),
    /// It has not, or has not begun: this is to be polled.
    Runs(BoxFuture<'static, Result<Step<S>, NodeError>>),
}

/// A node as the driver calls it.
pub trait NodeFn<S: State, Cx>: Send + Sync + 'static {
    /// Whether [`NodeFn::call`] needs a context.
    fn wants_context(&self) -> bool;

    /// Starts the node. `input` is the encoded input of a task node.
    fn call(
        &self,
        input: Option<RecordBytes>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>>;

    /// Starts the node where it is polled. One that needs no future of its own while it is ready may end at once; what is
    /// left of any other is polled with the same waker next. Nodes that take no context are only ever called.
    fn begin(
        &self,
        input: Option<RecordBytes>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
        waker: &mut PollContext<'_>,
    ) -> Called<S> {
        let _ = waker;
        Called::Runs(self.call(input, state, context))
    }

    /// The node inside, of one that is around another and decides whether that one is called, as one that keeps results does. It
    /// stays where the run is driven, and the node inside is what may be executed elsewhere.
    fn inside(&self) -> Option<&Arc<dyn NodeFn<S, Cx>>> {
        None
    }

    /// The same node around another one; none where [`inside`](Self::inside) is none.
    fn around(&self, inside: Arc<dyn NodeFn<S, Cx>>) -> Option<Arc<dyn NodeFn<S, Cx>>> {
        let _ = inside;
        None
    }

    /// The same node, whose graph inside has its tasks executed by an executor; `place` leads to the node. None for a node
    /// without a graph inside.
    ///
    /// # Errors
    /// The graph inside is one whose tasks cannot be executed elsewhere.
    fn executed_by(
        &self,
        executor: &Arc<dyn Executor>,
        place: &[NodePlace],
    ) -> Option<Result<Arc<dyn NodeFn<S, Cx>>, NotPortable>> {
        let _ = (executor, place);
        None
    }

    /// The graph inside, and those inside of it.
    fn graphs_inside(&self) -> BTreeSet<GraphVersion> {
        BTreeSet::new()
    }

    /// Executes a task of the graph inside that another process drives; the graph is at this depth of the request's place.
    /// None for a node without a graph inside.
    ///
    /// # Errors
    /// A task of another graph, or of another version.
    fn perform_inside(
        &self,
        request: Arc<TaskRequest>,
        depth: usize,
        resources: &Arc<Cx>,
        link: Arc<dyn TaskLink>,
    ) -> Option<Result<BoxFuture<'static, TaskReply>, UnknownTask>> {
        let _ = (request, depth, resources, link);
        None
    }
}

impl<S: State, Cx: 'static> dyn NodeFn<S, Cx> {
    /// As [`begin`](NodeFn::begin) for what takes a context. What takes none runs in a future, and needs no waker here.
    #[inline]
    pub(crate) fn start_call(
        &self,
        input: Option<RecordBytes>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
        waker: &mut PollContext<'_>,
    ) -> Called<S> {
        match context {
            Some(context) => self.begin(input, state, Some(context), waker),
            None => Called::Runs(self.call(input, state, None)),
        }
    }
}

impl<S: State, Cx: 'static> dyn NodeFn<S, Cx> {
    /// The node that is inside of all others.
    pub(crate) fn innermost(self: &Arc<Self>) -> &Arc<Self> {
        self.inside().map_or(self, Self::innermost)
    }
}

impl<S, Cx> std::fmt::Debug for dyn NodeFn<S, Cx> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NodeFn")
    }
}

impl<S: State> std::fmt::Debug for Called<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ended(result) => f.debug_tuple("Ended").field(result).finish(),
            Self::Runs(_) => f.write_str("Runs"),
        }
    }
}

/// A node made of a function of all that a driver passes.
struct Function<F> {
    wants_context: bool,
    call: F,
}

/// What a driver passes beside the state, for the function to take; what is not taken is not moved.
struct Given<'c, Cx> {
    input: &'c Option<RecordBytes>,
    context: &'c mut Option<Context<Cx>>,
}

impl<Cx> Given<'_, Cx> {
    fn input<I: DeserializeOwned>(&self) -> Result<I, NodeError> {
        let bytes = self.input.as_ref().ok_or_else(|| NodeError::terminal("called without an input".to_owned()))?;
        codec::decode("input", bytes).map_err(NodeError::terminal)
    }

    fn context(&mut self) -> Result<Context<Cx>, NodeError> {
        given(self.context.take())
    }
}

/// The future of a node that runs.
pub(crate) type NodeFuture<S> = BoxFuture<'static, Result<Step<S>, NodeError>>;

impl<S, Cx, F> NodeFn<S, Cx> for Function<F>
where
    S: State,
    F: Fn(Snapshot<S>, Given<'_, Cx>) -> NodeFuture<S> + Send + Sync + 'static,
{
    fn wants_context(&self) -> bool {
        self.wants_context
    }

    fn call(
        &self,
        input: Option<RecordBytes>,
        state: Snapshot<S>,
        mut context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        (self.call)(state, Given { input: &input, context: &mut context })
    }
}

/// The future of a node as one that ends in a step, or the error that kept it from being called.
fn steps<S: State, R: Into<Step<S>>>(
    future: Result<impl Future<Output = Result<R, NodeError>> + Send + 'static, NodeError>,
) -> NodeFuture<S> {
    match future {
        Ok(future) => Box::pin(async move { Ok(future.await?.into()) }),
        Err(error) => Box::pin(async { Err(error) }),
    }
}

pub(crate) fn given<Cx>(context: Option<Context<Cx>>) -> Result<Context<Cx>, NodeError> {
    context.ok_or_else(|| NodeError::terminal("called without a context".to_owned()))
}

impl<S, Cx, F, Fut, R> Handler<(R,), S, Cx> for F
where
    S: State,
    Cx: 'static,
    F: Fn(Snapshot<S>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + 'static,
    R: Into<Step<S>>,
{
    type Future = Fut;

    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>>
    where
        Fut: Send,
    {
        let call = move |state, _: Given<'_, Cx>| steps(Ok(self(state)));
        Arc::new(Function { wants_context: false, call })
    }
}

impl<S, Cx, F, Fut, R> Handler<(R, Cx), S, Cx> for F
where
    S: State,
    Cx: Send + Sync + 'static,
    F: Fn(Snapshot<S>, Context<Cx>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + 'static,
    R: Into<Step<S>>,
{
    type Future = Fut;

    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>>
    where
        Fut: Send,
    {
        let call = move |state, mut given: Given<'_, Cx>| steps(given.context().map(|context| self(state, context)));
        Arc::new(Function { wants_context: true, call })
    }
}

impl<S, Cx, I, F, Fut, R> TaskHandler<(R,), I, S, Cx> for F
where
    S: State,
    Cx: 'static,
    I: DeserializeOwned + 'static,
    F: Fn(I, Snapshot<S>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + 'static,
    R: Into<Step<S>>,
{
    type Future = Fut;

    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>>
    where
        Fut: Send,
    {
        let call = move |state, given: Given<'_, Cx>| steps(given.input().map(|input| self(input, state)));
        Arc::new(Function { wants_context: false, call })
    }
}

impl<S, Cx, I, F, Fut, R> TaskHandler<(R, Cx), I, S, Cx> for F
where
    S: State,
    Cx: Send + Sync + 'static,
    I: DeserializeOwned + 'static,
    F: Fn(I, Snapshot<S>, Context<Cx>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + 'static,
    R: Into<Step<S>>,
{
    type Future = Fut;

    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>>
    where
        Fut: Send,
    {
        let call = move |state, mut given: Given<'_, Cx>| {
            steps(given.context().and_then(|context| Ok(self(given.input()?, state, context))))
        };
        Arc::new(Function { wants_context: true, call })
    }
}
