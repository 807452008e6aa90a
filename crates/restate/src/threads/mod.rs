//! Threads as objects of the engine: one object a thread, and one run of it at a time.
//!
//! 1. The store is the truth: it has the thread, and knows how far a run is. The engine sees to it that somebody drives the run.
//! 2. Before a run begins, the engine keeps where the thread's journal ended. A process that takes the run up after another one died
//!    finds by that whether the input was taken already, and goes on or begins.
//! 3. What a handler asks of the engine is always the same, whatever the store says, so that a run that is taken up by another program
//!    goes on, too.
//!
//! | what | file |
//! | --- | --- |
//! | what is asked of a thread, and how a run ended | `request.rs` |
//! | the handlers | `driving.rs` |
//! | threads of a graph in a store | `graph.rs` |

mod driving;
mod graph;
mod request;

use futures::future::BoxFuture;

pub(crate) use driving::Driving;
pub use request::{Invocation, RunEnd, RunRequest, ThreadQuestion};

/// Who drives runs of threads for [`Endpoint::threads`](crate::Endpoint::threads). [`Threads`](graphloom_core_graph::Threads) of a
/// graph are driven so; an application may have its own way.
pub trait Drive: Send + Sync + 'static {
    /// How far the history of a thread has come: a number that grows with whatever happens to it, 0 for a new one.
    ///
    /// # Errors
    /// As [`Drive::run`].
    fn mark<'d>(&'d self, thread: &'d str) -> BoxFuture<'d, Result<u64, DriveError>>;

    /// Drives a run to its end. The request may have been taken up already, by this process or another: then the run is gone on with,
    /// and where it had ended, its end is told. The invocation tells whether it was, by its id or its mark.
    ///
    /// A future that is dropped leaves the thread for others to go on with.
    ///
    /// # Errors
    /// [`DriveError`] says whether the engine shall try again.
    fn run<'d>(
        &'d self,
        thread: &'d str,
        invocation: Invocation,
        request: RunRequest,
    ) -> BoxFuture<'d, Result<RunEnd, DriveError>>;

    /// How a thread stands, whoever drives it.
    ///
    /// # Errors
    /// As [`Drive::run`].
    fn state<'d>(&'d self, thread: &'d str) -> BoxFuture<'d, Result<RunEnd, DriveError>>;

    /// Cancels the run of a thread that this process drives.
    fn cancel(&self, thread: &str);

    /// Has all runs that this process drives stop where they stand.
    fn shut_down(&self);
}

/// Why a run was not driven to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// The request does not fit: it will not later.
    #[error("{0}")]
    Refused(String),
    /// The run failed for good.
    #[error("{0}")]
    Failed(String),
    /// Another time or another process may do better: the store is not there, or the thread is still another process's.
    #[error("{0}")]
    Later(String),
}
