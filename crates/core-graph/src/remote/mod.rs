//! Tasks that are executed in another process than the one that drives their run.
//!
//! The process that drives a run owns its thread: it plans, completes and commits, and nothing else does. What may happen
//! elsewhere is the call of a node. A task is data then, and so is what comes of it:
//!
//! | what | file |
//! | --- | --- |
//! | a task as data: which node, on which state, with which input, answers and durable steps | `task.rs` |
//! | what came of it as data: the step or the error, its questions | `reply.rs` |
//! | who brings the one to a worker and the other back | `executor.rs` |
//! | what a run was given as its context goes with its tasks | `context.rs` |
//! | what the executor may do for the task in the process that drives the run, and which execution of it counts | `host.rs` |
//! | a graph that performs tasks, whatever its state | `performer.rs` |
//! | what a worker needs of the process that drives the run while it executes the task | `link.rs` |
//!
//! The node that gives its tasks to an executor is in `executor/elsewhere.rs`, the execution of a task by a worker in
//! `executor/perform.rs`.

pub(crate) mod context;
pub(crate) mod executor;
pub(crate) mod host;
pub(crate) mod link;
pub(crate) mod performer;
pub(crate) mod reply;
pub(crate) mod task;

pub use crate::error_row::ErrorRow;
pub use context::WithContext;
pub use executor::{Executor, NotPortable};
pub use host::{Execution, Superseded, TaskHost};
pub use link::TaskLink;
pub use performer::{Performed, Performer};
pub use reply::TaskReply;
pub use task::{GraphVersion, NodePlace, TaskRequest, UnknownTask};
