//! What chance decides in a run, for simulations.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

/// Decides in the place of threads and clocks: when tasks take their turns, which of them a worker takes next, which commits
/// share a transaction. Hears what a run was promised, too. A run without one starts tasks as they come.
pub(crate) trait TurnOrder: fmt::Debug + Send + Sync {
    /// Returns a number below a limit, 0 for a limit of 0.
    fn draw(&self, limit: usize) -> usize;

    /// Waits until it is a task's turn, and notes that the task starts.
    fn turn(&self, task: Arc<str>, attempt: u32) -> BoxFuture<'_, ()>;

    /// Notes that a task starts.
    fn starts(&self, task: Arc<str>, attempt: u32);

    /// Lets others go first, or not.
    fn pause(&self) -> BoxFuture<'_, ()>;

    /// The commit of a checkpoint was acknowledged under [`Durability::Sync`](crate::Durability::Sync).
    fn acknowledged(&self, ns: &str, checkpoint: u64);

    /// The work of a durable step has ended.
    fn once_ran(&self, task: &str, key: &str);

    /// The result of a durable step was stored and acknowledged.
    fn once_stored(&self, task: &str, key: &str);
}
