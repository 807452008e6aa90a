//! Tasks and threads of [`graphloom_core_graph`] graphs on the durable execution engine [Restate](https://restate.dev).
//!
//! The process that drives a run plans and commits, into an ordinary checkpointer. The engine brings the tasks of the run to
//! workers, and runs to processes that drive them.
//!
//! - **A worker that dies is replaced.** Each task is an invocation, which the engine brings to another worker when a connection
//!   breaks. The task is begun anew there, with the durable steps that are stored. Should the first worker come back, nothing that
//!   it says counts.
//! - **A driver that dies is replaced.** A thread may be an object of the engine: a run that is asked for is driven to its end, by
//!   whatever process is there, and its input counts once.
//! - **Versions are served beside each other.** Each version of a graph is a service of its own, and a task is for the workers that
//!   have its version.
//!
//! ```no_run
//! use graphloom_core_graph::{App, Node, NodeError, START, Snapshot, State, StateGraph};
//! use graphloom_restate::{Endpoint, Engine, EngineOptions};
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
//! let options = EngineOptions::new("restate://127.0.0.1:8080")?;
//! if is_worker {
//!     // In as many processes as there shall be.
//!     let stop = std::future::pending();
//!     Endpoint::new(&options).serve(App::from(&graph)).shared().run(stop).await?;
//! } else {
//!     let engine = Engine::connect(&options).await?;
//!     let count = graph.executed_by(engine)?.run_once(Count::update()).await?;
//!     # drop(count);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//! An attempt of a task is an invocation of the service of its graph, such as `graphloom.count.1.1/perform`. It carries where the
//! process that drives the run listens, and a key. The worker asks that process for the task, reports results of durable steps and
//! events to it, and hears from it that the run stops. What comes of the task is the answer of the invocation. So the state does not
//! pass through the engine, and only what comes of a task has to fit into its messages of 32 MiB.
//!
//! A task of a graph inside another one is for workers that have the outermost graph.
//!
//! # Threads
//! `Endpoint::threads("Counts", threads)` makes each thread of a store an object of the engine:
//!
//! ```text
//! curl http://127.0.0.1:8080/Counts/mine/run -H 'idempotency-key: 1' --json '{"input": {"n": 1}}'
//! {"status":"done","state":{"n":2}}
//! ```
//!
//! # Addresses
//! The engine has one address for a service and calls it, so that all workers of a graph are behind one: see [`Endpoint`]. Workers
//! call the process that drives a run, which has an address of its own: see [`EngineOptions::callbacks`]. Both are plain HTTP/2, for a
//! network that is trusted.
//!
//! # Licence of the engine
//! This crate links only Restate's SDK, under the MIT licence. The engine itself is under the Business Source License, which excludes
//! offering it to others as a service.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod endpoint;
mod engine;
mod error;
mod http;
mod names;
mod options;
mod tasks;
mod threads;
mod wire;
mod worker;

pub use endpoint::Endpoint;
pub use error::EngineError;
pub use options::EngineOptions;
pub use tasks::Engine;
pub use threads::{Drive, DriveError, Invocation, RunEnd, RunRequest, ThreadQuestion};
