//! What a worker needs of the process that drives a run.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::error::NodeError;
use crate::event::Payload;
use crate::store::Store;

/// The worker's end of the way between a task that is executed and the [`TaskHost`](super::TaskHost) in the process that drives
/// its run. Whoever brings tasks to workers implements it.
pub trait TaskLink: Send + Sync + 'static {
    /// Has the result of a durable step made durable, as [`TaskHost::record`](super::TaskHost::record): the step counts when
    /// this returns. It may be asked again until there is an answer; the same result for the same key is taken once.
    ///
    /// # Errors
    /// The store's, and [`Superseded`](super::Superseded).
    fn record<'l>(&'l self, key: &'l str, value: &'l [u8]) -> BoxFuture<'l, Result<(), NodeError>>;

    /// Tells a custom event of the task. It may be lost.
    fn emit<'l>(&'l self, name: &'l str, payload: Payload) -> BoxFuture<'l, ()>;

    /// Gives a sign of life.
    fn heartbeat(&self);

    /// Resolves when the run is asked to stop: cancelled or drained.
    fn stopping(&self) -> BoxFuture<'_, ()>;

    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// The long-term store, if there is one. It is the one that the process which drives the run has.
    fn store(&self) -> Option<&Arc<dyn Store>> {
        None
    }
}
