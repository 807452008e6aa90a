//! A graph as a node of another.

use std::any::{Any, type_name};
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::Arc;
use std::task::Context as PollContext;

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::error::{NodeError, RunError};
use crate::graph::Compiled;
use crate::graph::blueprint::InnerGraph;
use crate::handler::{Called, NodeFn, given};
use crate::remote::{Executor, GraphVersion, NodePlace, NotPortable, Performed, TaskLink, TaskRequest};
use crate::state::{Snapshot, State, codec};
use crate::step::Step;
use crate::subgraph::{EndedChild, LeftChild, OwnStack, begin_in_task, begins_a_stack, finish_in_task};

/// What became of a subgraph, given to `map_out`: returning an error there is how a child's failure escalates.
#[non_exhaustive]
pub enum ChildOutcome<C: State> {
    /// It is done.
    Done(Arc<C>),
    /// It failed; its last committed state, and why.
    Failed {
        /// The last committed state.
        state: Arc<C>,
        /// Why.
        error: RunError,
    },
}

/// Makes a child's resources from its parent's.
///
/// Resources of the same type are shared; for others implement it on the child's type.
pub trait FromRef<P>: Sized {
    /// The child's resources.
    fn from_ref(parent: &Arc<P>) -> Arc<Self>;
}

impl<T> FromRef<T> for T {
    fn from_ref(parent: &Arc<T>) -> Arc<Self> {
        Arc::clone(parent)
    }
}

impl<C: State> ChildOutcome<C> {
    /// The state of a child that is done; the error of one that failed, for `?` in `map_out`.
    ///
    /// # Errors
    /// The child failed.
    pub fn done(self) -> Result<Arc<C>, NodeError> {
        match self {
            Self::Done(state) => Ok(state),
            Self::Failed { error, .. } => Err(NodeError::from(error)),
        }
    }
}

/// The node that runs a child. `I` is the input of a task node, `()` for others.
pub(super) struct Subgraph<I, C: State, Ccx, In, Out> {
    parts: Arc<Parts<C, Ccx, In, Out>>,
    takes_input: bool,
    input: PhantomData<fn(I)>,
}

/// What a call holds.
struct Parts<C: State, Ccx, In, Out> {
    child: Compiled<C, Ccx>,
    map_in: Arc<In>,
    map_out: Arc<Out>,
}

/// The graph in a node, while the graph around it is declared.
pub(super) struct Inner<S: State, Cx> {
    pub(super) graph: InnerGraph,
    pub(super) with: Box<With<S, Cx>>,
}

/// Makes the node with another graph, a [`Compiled`] of the same type, which gets the same input and of which the same is
/// made; none for any other.
pub(super) type With<S, Cx> = dyn Fn(&dyn Any) -> Option<Made<S, Cx>> + Send + Sync;

/// A node that runs a graph, and the graph.
pub(super) type Made<S, Cx> = (Arc<dyn NodeFn<S, Cx>>, InnerGraph);

impl<C: State, Ccx, In, Out> Subgraph<Option<()>, C, Ccx, In, Out> {
    pub(super) fn new(child: Compiled<C, Ccx>, map_in: In, map_out: Out) -> Self {
        Self::with(child, Arc::new(map_in), Arc::new(map_out), false)
    }
}

impl<I, C: State, Ccx, In, Out> Subgraph<I, C, Ccx, In, Out> {
    pub(super) fn for_task(child: Compiled<C, Ccx>, map_in: In, map_out: Out) -> Self {
        Self::with(child, Arc::new(map_in), Arc::new(map_out), true)
    }

    fn with(child: Compiled<C, Ccx>, map_in: Arc<In>, map_out: Arc<Out>, takes_input: bool) -> Self {
        Self { parts: Arc::new(Parts { child, map_in, map_out }), takes_input, input: PhantomData }
    }
}

impl<I: DeserializeOwned, C: State, Ccx, In, Out> Subgraph<I, C, Ccx, In, Out> {
    /// What the child begins with.
    fn enter<S>(&self, input: Option<&[u8]>, state: &S) -> Result<C::Update, NodeError>
    where
        In: Fn(I, &S) -> C::Update,
    {
        // A node without an input gets the encoded form of none.
        let nil = [0xC0];
        let bytes = if self.takes_input { input.unwrap_or_default() } else { &nil };
        let input = codec::decode("input", bytes).map_err(NodeError::terminal)?;
        Ok((self.parts.map_in)(input, state))
    }
}

impl<S: State, Cx: Send + Sync + 'static> Inner<S, Cx> {
    /// The node, and the graph in it.
    pub(super) fn of<I, C, Ccx, In, Out, R>(subgraph: Subgraph<I, C, Ccx, In, Out>) -> (Arc<dyn NodeFn<S, Cx>>, Self)
    where
        I: DeserializeOwned + Send + 'static,
        C: State,
        Ccx: FromRef<Cx> + Send + Sync + 'static,
        In: Fn(I, &S) -> C::Update + Send + Sync + 'static,
        Out: Fn(ChildOutcome<C>) -> Result<R, NodeError> + Send + Sync + 'static,
        R: Into<Step<S>> + 'static,
    {
        let (maps, takes_input) = (Arc::clone(&subgraph.parts), subgraph.takes_input);
        let with = move |other: &dyn Any| {
            let child = other.downcast_ref::<Compiled<C, Ccx>>()?.clone();
            let (map_in, map_out) = (Arc::clone(&maps.map_in), Arc::clone(&maps.map_out));
            Some(Subgraph::<I, _, _, _, _>::with(child, map_in, map_out, takes_input).made())
        };
        let (node, graph) = subgraph.made();
        (node, Self { graph, with: Box::new(with) })
    }
}

impl<I, C: State, Ccx, In, Out> Subgraph<I, C, Ccx, In, Out> {
    /// The node, and what is known of the graph in it.
    fn made<S, Cx, R>(self) -> Made<S, Cx>
    where
        S: State,
        Cx: Send + Sync + 'static,
        I: DeserializeOwned + Send + 'static,
        Ccx: FromRef<Cx> + Send + Sync + 'static,
        In: Fn(I, &S) -> C::Update + Send + Sync + 'static,
        Out: Fn(ChildOutcome<C>) -> Result<R, NodeError> + Send + Sync + 'static,
        R: Into<Step<S>> + 'static,
    {
        let (outline, diagram) = self.parts.child.outline_and_diagram();
        let type_name = type_name::<Compiled<C, Ccx>>();
        (Arc::new(self), InnerGraph { outline, diagram, type_name })
    }
}

impl<C: State, Ccx: Send + Sync + 'static, In, Out> Parts<C, Ccx, In, Out> {
    /// Runs what is left of a call.
    async fn finish<Cx, S, R>(
        &self,
        resources: &Arc<Ccx>,
        context: &Context<Cx>,
        left: LeftChild<C, Ccx>,
    ) -> Result<Step<S>, NodeError>
    where
        S: State,
        Out: Fn(ChildOutcome<C>) -> Result<R, NodeError>,
        R: Into<Step<S>>,
    {
        let ended = finish_in_task(&self.child.executable, resources, &**context.services(), left).await?;
        self.leave(ended)
    }

    /// What the node makes of a child that has ended.
    fn leave<S, R>(&self, ended: EndedChild<C>) -> Result<Step<S>, NodeError>
    where
        S: State,
        Out: Fn(ChildOutcome<C>) -> Result<R, NodeError>,
        R: Into<Step<S>>,
    {
        let outcome = match ended {
            Ok(state) => ChildOutcome::Done(state),
            Err((state, error)) => ChildOutcome::Failed { state, error },
        };
        (self.map_out)(outcome).map(Into::into)
    }
}

impl<S, Cx, I, C, Ccx, In, Out, R> NodeFn<S, Cx> for Subgraph<I, C, Ccx, In, Out>
where
    S: State,
    Cx: Send + Sync + 'static,
    I: DeserializeOwned + Send + 'static,
    C: State,
    Ccx: FromRef<Cx> + Send + Sync + 'static,
    In: Fn(I, &S) -> C::Update + Send + Sync + 'static,
    Out: Fn(ChildOutcome<C>) -> Result<R, NodeError> + Send + Sync + 'static,
    R: Into<Step<S>> + 'static,
{
    fn wants_context(&self) -> bool {
        true
    }

    fn call(
        &self,
        input: Option<RecordBytes>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        let entered = given(context).and_then(|context| Ok((self.enter(input.as_deref(), &*state)?, context)));
        let parts = Arc::clone(&self.parts);
        Box::pin(async move {
            let (update, context) = entered?;
            let resources = Ccx::from_ref(context.shared_resources());
            let deep = begins_a_stack(&**context.services());
            let call = async move { parts.finish(&resources, &context, LeftChild::Call(update)).await };
            if deep { OwnStack::spawn(call).await } else { call.await }
        })
    }

    fn begin(
        &self,
        input: Option<RecordBytes>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
        waker: &mut PollContext<'_>,
    ) -> Called<S> {
        let entered = given(context).and_then(|context| Ok((self.enter(input.as_deref(), &*state)?, context)));
        drop(state);
        let (update, context) = match entered {
            Ok(entered) => entered,
            Err(error) => return Called::Ended(Err(error)),
        };
        let resources = Ccx::from_ref(context.shared_resources());
        if begins_a_stack(&**context.services()) {
            let parts = Arc::clone(&self.parts);
            let call = async move { parts.finish(&resources, &context, LeftChild::Call(update)).await };
            return Called::Runs(Box::pin(OwnStack::spawn(call)));
        }
        match begin_in_task(&self.parts.child.executable, &resources, &**context.services(), update, waker) {
            Ok(ended) => Called::Ended(ended.and_then(|ended| self.parts.leave(ended))),
            Err(left) => {
                let parts = Arc::clone(&self.parts);
                Called::Runs(Box::pin(async move { parts.finish(&resources, &context, *left).await }))
            }
        }
    }

    fn executed_by(
        &self,
        executor: &Arc<dyn Executor>,
        place: &[NodePlace],
    ) -> Option<Result<Arc<dyn NodeFn<S, Cx>>, NotPortable>> {
        let Parts { child, map_in, map_out } = &*self.parts;
        let (map_in, map_out) = (Arc::clone(map_in), Arc::clone(map_out));
        let child = child.executed_within(executor, place);
        Some(
            child.map(|child| -> Arc<dyn NodeFn<S, Cx>> {
                Arc::new(Self::with(child, map_in, map_out, self.takes_input))
            }),
        )
    }

    fn graphs_inside(&self) -> BTreeSet<GraphVersion> {
        self.parts.child.versions()
    }

    fn perform_inside(
        &self,
        request: Arc<TaskRequest>,
        depth: usize,
        resources: &Arc<Cx>,
        link: Arc<dyn TaskLink>,
    ) -> Option<Performed> {
        Some(self.parts.child.perform_at(request, depth, Ccx::from_ref(resources), link))
    }
}

impl<C: State> std::fmt::Debug for ChildOutcome<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Done(_) => f.write_str("Done"),
            Self::Failed { error, .. } => f.debug_tuple("Failed").field(error).finish(),
        }
    }
}
