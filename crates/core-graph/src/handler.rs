//! The async functions that nodes are made of.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::context::Context;
use crate::error::NodeError;
use crate::state::{Snapshot, State, codec};
use crate::step::Step;

/// An async function that can be a node: `(Snapshot<S>)` or `(Snapshot<S>, Context<Cx>)` to
/// `Result<impl Into<Step<S>>, NodeError>`.
#[diagnostic::on_unimplemented(
    message = "this function is not a node of a graph over `{S}`",
    label = "not a node",
    note = "a node is `async fn(Snapshot<{S}>) -> Result<impl Into<Step<{S}>>, NodeError>`, optionally with `Context<{Cx}>` as the second parameter; its future must be `Send`"
)]
pub trait Handler<M, S: State, Cx>: Send + Sync + 'static {
    /// Makes the function a [`NodeFn`].
    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>>;
}

/// An async function that can be a task node: `(I, Snapshot<S>)` or `(I, Snapshot<S>, Context<Cx>)` to
/// `Result<impl Into<Step<S>>, NodeError>`.
#[diagnostic::on_unimplemented(
    message = "this function is not a task node with input `{I}` of a graph over `{S}`",
    label = "not a task node",
    note = "a task node is `async fn({I}, Snapshot<{S}>) -> Result<impl Into<Step<{S}>>, NodeError>`, optionally with `Context<{Cx}>` as the third parameter; its future must be `Send`"
)]
pub trait TaskHandler<M, I, S: State, Cx>: Send + Sync + 'static {
    /// Makes the function a [`NodeFn`].
    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>>;
}

/// A node as the driver calls it.
pub trait NodeFn<S: State, Cx>: Send + Sync + 'static {
    /// Whether [`NodeFn::call`] needs a context.
    fn wants_context(&self) -> bool;

    /// Starts the node. `input` is the encoded input of a task node.
    fn call(
        &self,
        input: Option<Arc<[u8]>>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>>;
}

impl<S, Cx> std::fmt::Debug for dyn NodeFn<S, Cx> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NodeFn")
    }
}

struct Plain<F>(F);
struct WithContext<F>(F);
struct TaskPlain<F, I>(F, PhantomData<fn(I)>);
struct TaskWithContext<F, I>(F, PhantomData<fn(I)>);

fn missing(what: &str) -> NodeError {
    NodeError::terminal(format!("called without {what}"))
}

fn input<I: DeserializeOwned>(bytes: Option<Arc<[u8]>>) -> Result<I, NodeError> {
    let bytes = bytes.ok_or_else(|| missing("an input"))?;
    codec::decode("input", &bytes).map_err(NodeError::terminal)
}

impl<S, Cx, F, Fut, R> NodeFn<S, Cx> for Plain<F>
where
    S: State,
    F: Fn(Snapshot<S>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + Send + 'static,
    R: Into<Step<S>>,
{
    fn wants_context(&self) -> bool {
        false
    }

    fn call(
        &self,
        _: Option<Arc<[u8]>>,
        state: Snapshot<S>,
        _: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        let future = (self.0)(state);
        Box::pin(async move { Ok(future.await?.into()) })
    }
}

impl<S, Cx, F, Fut, R> NodeFn<S, Cx> for WithContext<F>
where
    S: State,
    Cx: Send + Sync + 'static,
    F: Fn(Snapshot<S>, Context<Cx>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + Send + 'static,
    R: Into<Step<S>>,
{
    fn wants_context(&self) -> bool {
        true
    }

    fn call(
        &self,
        _: Option<Arc<[u8]>>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        let Some(context) = context else {
            return Box::pin(async { Err(missing("a context")) });
        };
        let future = (self.0)(state, context);
        Box::pin(async move { Ok(future.await?.into()) })
    }
}

impl<S, Cx, I, F, Fut, R> NodeFn<S, Cx> for TaskPlain<F, I>
where
    S: State,
    I: DeserializeOwned + 'static,
    F: Fn(I, Snapshot<S>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + Send + 'static,
    R: Into<Step<S>>,
{
    fn wants_context(&self) -> bool {
        false
    }

    fn call(
        &self,
        bytes: Option<Arc<[u8]>>,
        state: Snapshot<S>,
        _: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        let future = match input::<I>(bytes) {
            Ok(input) => (self.0)(input, state),
            Err(error) => return Box::pin(async { Err(error) }),
        };
        Box::pin(async move { Ok(future.await?.into()) })
    }
}

impl<S, Cx, I, F, Fut, R> NodeFn<S, Cx> for TaskWithContext<F, I>
where
    S: State,
    Cx: Send + Sync + 'static,
    I: DeserializeOwned + 'static,
    F: Fn(I, Snapshot<S>, Context<Cx>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + Send + 'static,
    R: Into<Step<S>>,
{
    fn wants_context(&self) -> bool {
        true
    }

    fn call(
        &self,
        bytes: Option<Arc<[u8]>>,
        state: Snapshot<S>,
        context: Option<Context<Cx>>,
    ) -> BoxFuture<'static, Result<Step<S>, NodeError>> {
        let Some(context) = context else {
            return Box::pin(async { Err(missing("a context")) });
        };
        let future = match input::<I>(bytes) {
            Ok(input) => (self.0)(input, state, context),
            Err(error) => return Box::pin(async { Err(error) }),
        };
        Box::pin(async move { Ok(future.await?.into()) })
    }
}

impl<S, Cx, F, Fut, R> Handler<(R,), S, Cx> for F
where
    S: State,
    F: Fn(Snapshot<S>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + Send + 'static,
    R: Into<Step<S>>,
{
    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>> {
        Arc::new(Plain(self))
    }
}

impl<S, Cx, F, Fut, R> Handler<(R, Cx), S, Cx> for F
where
    S: State,
    Cx: Send + Sync + 'static,
    F: Fn(Snapshot<S>, Context<Cx>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + Send + 'static,
    R: Into<Step<S>>,
{
    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>> {
        Arc::new(WithContext(self))
    }
}

impl<S, Cx, I, F, Fut, R> TaskHandler<(R,), I, S, Cx> for F
where
    S: State,
    I: DeserializeOwned + 'static,
    F: Fn(I, Snapshot<S>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + Send + 'static,
    R: Into<Step<S>>,
{
    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>> {
        Arc::new(TaskPlain(self, PhantomData))
    }
}

impl<S, Cx, I, F, Fut, R> TaskHandler<(R, Cx), I, S, Cx> for F
where
    S: State,
    Cx: Send + Sync + 'static,
    I: DeserializeOwned + 'static,
    F: Fn(I, Snapshot<S>, Context<Cx>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, NodeError>> + Send + 'static,
    R: Into<Step<S>>,
{
    fn into_node(self) -> Arc<dyn NodeFn<S, Cx>> {
        Arc::new(TaskWithContext(self, PhantomData))
    }
}
