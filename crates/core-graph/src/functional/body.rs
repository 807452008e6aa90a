//! The async functions that entry points are made of.

use std::future::Future;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::checkpoint::RecordBytes;
use crate::context::Context;
use crate::error::NodeError;
use crate::functional::state::{EntryState, EntryUpdate, EntryValue};
use crate::handler::NodeFn;
use crate::state::{Shared, Snapshot};
use crate::step::Step;

/// What a durable function returns when it saves something else than it returns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "it is what a durable function returns"]
pub struct Final<O, P = O> {
    /// What the call returns.
    pub value: O,
    /// What the next call of the thread finds as the previous value.
    pub save: P,
}

/// An async function that can be an entry point: `(I, Context<Cx>)` to `Result<O, NodeError>`, which saves what it
/// returns, or `(I, Option<Shared<P>>, Context<Cx>)`, which is also given what the call before saved, to
/// `Result<Final<O, P>, NodeError>`.
#[diagnostic::on_unimplemented(
    message = "this function is not an entry point from `{I}` to `{O}`",
    label = "not an entry point",
    note = "an entry point is `async fn({I}, Context<{Cx}>) -> Result<{O}, NodeError>`, or `async fn({I}, Option<Shared<P>>, Context<{Cx}>) -> Result<Final<{O}, P>, NodeError>`"
)]
pub trait EntryBody<M, I, O, P, Cx>: Send + Sync + 'static {
    /// What the function returns. It must be `Send`, as the one of a [`Handler`](crate::Handler).
    type Future;

    /// Calls the function.
    fn call(
        &self,
        input: I,
        previous: Option<Shared<P>>,
        context: Context<Cx>,
    ) -> BoxFuture<'static, Result<(Shared<O>, Shared<P>), NodeError>>
    where
        Self::Future: Send;
}

impl<F, Fut, I, O, Cx> EntryBody<fn(I) -> O, I, O, O, Cx> for F
where
    F: Fn(I, Context<Cx>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, NodeError>> + 'static,
    O: Send + Sync + 'static,
{
    type Future = Fut;

    fn call(
        &self,
        input: I,
        _: Option<Shared<O>>,
        context: Context<Cx>,
    ) -> BoxFuture<'static, Result<(Shared<O>, Shared<O>), NodeError>>
    where
        Fut: Send,
    {
        let future = self(input, context);
        Box::pin(async move {
            let value = Shared::new(future.await?);
            Ok((value.clone(), value))
        })
    }
}

impl<F, Fut, I, O, P, Cx> EntryBody<fn(I, P) -> O, I, O, P, Cx> for F
where
    F: Fn(I, Option<Shared<P>>, Context<Cx>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Final<O, P>, NodeError>> + 'static,
    O: Send + Sync + 'static,
    P: Send + Sync + 'static,
{
    type Future = Fut;

    fn call(
        &self,
        input: I,
        previous: Option<Shared<P>>,
        context: Context<Cx>,
    ) -> BoxFuture<'static, Result<(Shared<O>, Shared<P>), NodeError>>
    where
        Fut: Send,
    {
        let future = self(input, previous, context);
        Box::pin(async move {
            let Final { value, save } = future.await?;
            Ok((Shared::new(value), Shared::new(save)))
        })
    }
}

/// The one node of a durable function.
pub(super) struct BodyNode<I, O, P, Cx>(pub(super) Arc<ErasedBody<I, O, P, Cx>>);

pub(super) type ErasedBody<I, O, P, Cx> = dyn Fn(I, Option<Shared<P>>, Context<Cx>) -> BoxFuture<'static, Result<(Shared<O>, Shared<P>), NodeError>>
    + Send
    + Sync;

impl<I, O, P, Cx> NodeFn<EntryState<I, O, P>, Cx> for BodyNode<I, O, P, Cx>
where
    I: EntryValue + Clone,
    O: EntryValue,
    P: EntryValue,
    Cx: Send + Sync + 'static,
{
    fn wants_context(&self) -> bool {
        true
    }

    fn call(
        &self,
        _: Option<RecordBytes>,
        state: Snapshot<EntryState<I, O, P>>,
        context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<EntryState<I, O, P>>, NodeError>> {
        let body = Arc::clone(&self.0);
        Box::pin(async move {
            let context = context.ok_or_else(|| NodeError::terminal("called without a context"))?;
            let input = state.input.as_deref().cloned();
            let input = input.ok_or_else(|| NodeError::terminal("called without an input; run it with one"))?;
            let previous = state.saved.clone();
            drop(state);
            let (output, saved) = body(input, previous, context).await?;
            let update = EntryState { input: None, output: Some(output), saved: Some(saved) };
            Ok(Step::update(EntryUpdate(update)))
        })
    }
}
