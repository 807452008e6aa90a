//! A graph as a node of another.

use std::marker::PhantomData;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::driver::{Runtime, run_in_task};
use crate::error::{NodeError, RunError};
use crate::graph::Compiled;
use crate::handler::NodeFn;
use crate::state::{Snapshot, State, codec};
use crate::step::Step;

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
    map_in: In,
    map_out: Out,
}

impl<C: State, Ccx, In, Out> Subgraph<Option<()>, C, Ccx, In, Out> {
    pub(super) fn new(child: Compiled<C, Ccx>, map_in: In, map_out: Out) -> Self {
        Self { parts: Arc::new(Parts { child, map_in, map_out }), takes_input: false, input: PhantomData }
    }
}

impl<I, C: State, Ccx, In, Out> Subgraph<I, C, Ccx, In, Out> {
    pub(super) fn for_task(child: Compiled<C, Ccx>, map_in: In, map_out: Out) -> Self {
        Self { parts: Arc::new(Parts { child, map_in, map_out }), takes_input: true, input: PhantomData }
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
        let (parts, takes_input) = (Arc::clone(&self.parts), self.takes_input);
        Box::pin(async move {
            let context = context.ok_or_else(|| NodeError::terminal("called without a context"))?;
            // A node without an input gets the encoded form of none.
            let nil = [0xC0];
            let bytes = if takes_input { input.as_deref().unwrap_or_default() } else { &nil };
            let input: I = codec::decode("input", bytes).map_err(NodeError::terminal)?;
            let update = (parts.map_in)(input, &state);
            drop(state);
            let runtime = Runtime::of(&parts.child, Ccx::from_ref(context.shared_resources()));
            let outcome = match run_in_task(&runtime, &**context.services(), update).await? {
                Ok(state) => ChildOutcome::Done(state),
                Err((state, error)) => ChildOutcome::Failed { state, error },
            };
            (parts.map_out)(outcome).map(Into::into)
        })
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
