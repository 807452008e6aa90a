//! State graphs behind one server that every agent client can drive.
//!
//! - **One core, thin protocols.** A run manager and one durable event log a thread; the LangGraph wire, its event streams, MCP,
//!   OpenAI, AG-UI and A2A are views of the two.
//! - **Durable.** What is accepted is run, whatever happens to the process: queued runs begin after a restart, runs under way go
//!   on, and a client that comes back with the id of the last event it saw gets what follows, each event once.
//! - **Safe by default.** Others than this machine get in with a key only; `Host` and `Origin` are checked; everything a client
//!   can make large has a limit.
//!
//! ```no_run
//! use graphloom_core_graph::{Node, NodeError, START, Snapshot, State, StateGraph};
//! use graphloom_server::Server;
//! use graphloom_server::messages::{Message, Messages, add_messages};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
//! struct Chat {
//!     #[state(reduce_with = add_messages)]
//!     messages: Messages,
//! }
//!
//! const ANSWER: Node = Node::named("answer");
//!
//! async fn answer(chat: Snapshot<Chat>) -> Result<ChatUpdate, NodeError> {
//!     let asked = chat.messages.last().map(Message::text).unwrap_or_default();
//!     Ok(Chat::update().messages(Message::ai(format!("You said: {asked}")).into()))
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut graph = StateGraph::<Chat>::new("chat");
//!     graph.add_node(ANSWER, answer);
//!     graph.add_edge(START, ANSWER);
//!     let address: std::net::SocketAddr = "127.0.0.1:2024".parse()?;
//!     Server::new().graph("chat", graph.compile()?, ()).serve(address).await?;
//!     Ok(())
//! }
//! ```
//!
//! # Graphs
//!
//! Any [`Compiled`](graphloom_core_graph::Compiled) graph is served as it is, typed or described. Its fields are what clients
//! give and get: for a field with a reducer an input holds what the reducer folds. A field that nobody has written is not
//! shown, and what a client gives that is no field is left out. A graph with [`messages`] is somebody to talk to.
//! [`Server::graph`] serves one whose resources all runs share, [`Server::configured_graph`] one whose resources are made of
//! the context of each run.
//!
//! # Questions
//!
//! What a node asks with [`Context::ask`](graphloom_core_graph::Context::ask) is an interrupt of the LangGraph wire, an
//! elicitation of MCP, the turn of the model on OpenAI's wire, and so on; the next request of the same thread answers it.
//!
//! # Stores
//!
//! Checkpoints go to a [`Checkpointer`](graphloom_core_graph::checkpoint::Checkpointer); records and event logs to a long-term
//! [`Store`](graphloom_core_graph::store::Store), which is also what nodes and clients keep things in. Both are in memory
//! unless stated.
//!
//! # Pages
//!
//! [`Server::page`] gives browsers a page at an address of the same server: a client as any other, open to everybody, whose requests
//! carry the key.
//!
//! # Several processes
//!
//! [`Server::cluster`] makes one server of any number of processes that share the stores.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod a2a;
mod ag_ui;
pub mod artifacts;
mod builder;
mod cancel_on_drop;
mod changes;
mod chat;
mod cluster;
mod demo;
mod detached;
mod drawing;
mod events;
mod graph;
mod graph_threads;
mod host;
mod http;
mod langgraph;
mod layout;
mod log;
#[cfg(feature = "mcp")]
mod mcp;
pub mod messages;
mod openai;
mod page;
mod picture;
mod program;
mod records;
mod refusal;
mod running;
mod runs;
mod start_error;
mod trace;
mod usage;
mod webhooks;

pub use builder::Server;
pub use cluster::{Cluster, ServerStatus};
pub use graph::ProgramRun;
pub use graph_threads::{GraphThreads, RunBeginning, ServedThread, ThreadError};
pub use http::{AllowedOrigin, AllowedOrigins, Cors, Keys, Limits, Scope, Security, SecurityError, ServeError};
pub use page::Page;
pub use program::ProgramThread;
pub use running::Running;
pub use start_error::StartError;
pub use webhooks::WebhookTargets;
