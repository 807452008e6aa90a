//! Tasks of [`graphloom_core_graph`] graphs, spread over many processes by a queue in PostgreSQL.
//!
//! The process that drives a run plans and commits; the functions of its nodes are called by workers: as many processes as there
//! shall be, on one machine or on several. A super-step with a thousand tasks is spread over all of them.
//!
//! - **A worker that dies is replaced.** One that is silent for two heartbeats is taken for dead, and another one executes its
//!   tasks anew, with the durable steps that are stored. Should it come back, nothing that it says counts.
//! - **A worker takes what it knows.** A task names its graph and version, and waits for a worker that has them: while programs
//!   are updated one after the other, old and new versions are served beside each other.
//! - **A limit holds over all processes.** What a provider allows is one limit ([`QueueOptions::limit`]), and what is urgent comes
//!   first ([`TaskQueue::priority`]).
//! - **Nothing is lost with the queue.** Runs are kept by their checkpointer; the queue holds what is being executed. The process that
//!   goes on with a run queues its tasks again.
//!
//! ```no_run
//! use graphloom_core_graph::{Node, NodeError, START, Snapshot, State, StateGraph, App};
//! use graphloom_worker::{QueueOptions, TaskQueue, Worker};
//! # use schemars::JsonSchema;
//! # use serde::{Deserialize, Serialize};
//!
//! #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
//! struct Count {
//!     #[state(add)]
//!     n: u64,
//! }
//!
//! const ONE: Node = Node::named("one");
//!
//! async fn add(_: Snapshot<Count>) -> Result<CountUpdate, NodeError> {
//!     Ok(Count::update().n(1))
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let is_worker = true;
//! let mut graph = StateGraph::<Count>::new("count");
//! graph.add_node(ONE, add);
//! graph.add_edge(START, ONE);
//! let graph = graph.compile()?;
//!
//! let (url, options) = ("postgres://ada@db.example/trips", QueueOptions::schema("trips"));
//! if is_worker {
//!     // In as many processes as there shall be.
//!     let stop = std::future::pending();
//!     Worker::connect(url, &options).await?.serve(App::from(&graph)).run(stop).await?;
//! } else {
//!     let queue = TaskQueue::connect(url, &options).await?;
//!     let count = graph.executed_by(queue)?.run_once(Count::update()).await?;
//!     # drop(count);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//! A task is a row, and a job of [graphile_worker](https://docs.rs/graphile_worker) that names it. What a worker and the process that
//! drives the run say to each other while the task is executed are rows, too, told by `NOTIFY` and found without. Time is the
//! database's, so that clocks of machines do not matter.
//!
//! # Tables
//! They lie in two schemas beside that of the checkpointer: its name with `_work` and `_jobs` at the end.
//!
//! # Features
//! `tls` connects over TLS, with the roots of trust of the system.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod batches;
mod database;
mod error;
mod jobs;
mod member;
mod options;
mod queue;
mod status;
mod worker;

pub use error::QueueError;
pub use options::QueueOptions;
pub use queue::TaskQueue;
pub use status::{MemberStatus, QueueStatus, TaskStatus};
pub use worker::Worker;
