//! The order in which tasks take their turns, for simulations.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

/// Decides when tasks take their turns, and hears of their durable steps. A run without one starts tasks as they come.
pub(crate) trait TurnOrder: fmt::Debug + Send + Sync {
    /// Waits until it is a task's turn.
    fn turn(&self, task: Arc<str>, attempt: u32) -> BoxFuture<'_, ()>;

    /// The work of a durable step has ended.
    fn once_ran(&self, task: &str, key: &str);

    /// The result of a durable step was stored and acknowledged.
    fn once_stored(&self, task: &str, key: &str);
}
