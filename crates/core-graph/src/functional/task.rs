//! Durable steps that run beside each other.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as PollContext, Poll, ready};

use futures::FutureExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::JoinHandle;
use tracing::Instrument;

use crate::context::Context;
use crate::error::NodeError;

/// A task that was begun with [`Context::spawn`]: await it for its result. Dropping it stops it.
#[must_use = "a task stops when it is dropped; await it"]
pub struct TaskFuture<T>(JoinHandle<Result<T, NodeError>>);

impl<Cx: Send + Sync + 'static> Context<Cx> {
    /// Begins a [durable step](Self::once) that runs by itself, beside what follows: several use several cores. When
    /// its result is durable it is never run again, also when the node is stopped before it awaits the task.
    ///
    /// Its questions are those of the node. A task of an attempt that ends is stopped, unless it was awaited to its end.
    pub fn spawn<T>(
        &self,
        key: impl Into<String>,
        work: impl Future<Output = Result<T, NodeError>> + Send + 'static,
    ) -> TaskFuture<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let (context, key) = (self.clone(), key.into());
        let step = async move { context.once(&key, work).await };
        TaskFuture(tokio::spawn(step.in_current_span()))
    }
}

impl<T> Future for TaskFuture<T> {
    type Output = Result<T, NodeError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut PollContext<'_>) -> Poll<Self::Output> {
        let joined = ready!(self.0.poll_unpin(context));
        Poll::Ready(joined.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(payload) => Err(NodeError::panic(payload.as_ref())),
            // Only the runtime's end stops a task that is awaited.
            Err(error) => Err(NodeError::from(error)),
        }))
    }
}

impl<T> Drop for TaskFuture<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<T> fmt::Debug for TaskFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskFuture").field("ended", &self.0.is_finished()).finish()
    }
}
