//! Where the turns of a conversation are kept.

use graphloom_core_graph::{Context, NodeError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::AgentError;

/// Keeps the results of steps, so that a conversation that is begun again does not ask the model again.
///
/// A graph's [`Context`] is one: its steps are [`Context::once`]. [`Direct`] keeps nothing.
pub trait Durable: Sync {
    /// The error of a step.
    type Error: Send;

    /// The stored result for `key`, or that of `work`, which is then stored.
    fn once<T, F>(&self, key: &str, work: F) -> impl Future<Output = Result<T, Self::Error>> + Send
    where
        T: Serialize + DeserializeOwned + Send,
        F: Future<Output = Result<T, AgentError>> + Send;

    /// Makes the error of a conversation that failed outside of a step.
    fn error(&self, error: AgentError) -> Self::Error;
}

/// Stores nothing: every step is run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Direct;

impl Durable for Direct {
    type Error = AgentError;

    async fn once<T, F>(&self, _key: &str, work: F) -> Result<T, AgentError>
    where
        T: Serialize + DeserializeOwned + Send,
        F: Future<Output = Result<T, AgentError>> + Send,
    {
        work.await
    }

    fn error(&self, error: AgentError) -> AgentError {
        error
    }
}

impl<Cx: Send + Sync + 'static> Durable for Context<Cx> {
    type Error = NodeError;

    async fn once<T, F>(&self, key: &str, work: F) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned + Send,
        F: Future<Output = Result<T, AgentError>> + Send,
    {
        Context::once(self, key, async { work.await.map_err(node_error) }).await
    }

    fn error(&self, error: AgentError) -> NodeError {
        node_error(error)
    }
}

/// Makes a [`NodeError`] that is terminal when no retry can mend it.
pub(crate) fn node_error(error: AgentError) -> NodeError {
    if error.is_retryable() { error.into() } else { NodeError::terminal(error) }
}
