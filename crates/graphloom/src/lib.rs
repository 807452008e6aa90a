//! Typed, durable state graphs for LLM workflows.
//!
//! - [`graph`]: nodes are async functions over a typed state, and every super-step is a checkpoint. Kill the process
//!   anywhere; the thread goes on from its last commit ([`sqlite`] keeps it in one file).
//! - [`llm`], [`agents`], [`retrieval`], [`state_machine`]: chat models behind one trait, structured calls by prompt files,
//!   search with citable evidence, and task trees with declared status tables.
//! - [`embedded`]: a small model inside the process, so that everything runs without a key or a server.
//!
#![cfg_attr(all(feature = "llm", feature = "sqlite"), doc = "```")]
#![cfg_attr(not(all(feature = "llm", feature = "sqlite")), doc = "```ignore")]
//! use graphloom::graph::{Context, Log, Node, NodeError, Outcome, START, Snapshot, State, StateGraph};
//! use graphloom::llm::{ChatModel, ChatRequest, Scripted};
//! use graphloom::sqlite::SqliteCheckpointer;
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use std::sync::Arc;
//!
//! #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
//! #[state(crate = graphloom::graph)]
//! struct Talk {
//!     topic: String,
//!     #[state(append)]
//!     lines: Log<String>,
//! }
//!
//! /// What nodes use but no checkpoint holds.
//! struct Tools {
//!     model: Arc<dyn ChatModel>,
//! }
//!
//! const SPEAK: Node = Node::named("speak");
//!
//! async fn speak(talk: Snapshot<Talk>, cx: Context<Tools>) -> Result<TalkUpdate, NodeError> {
//!     let request = ChatRequest::user(format!("One line on {}.", talk.topic));
//!     // A durable step: once its result is stored, a resumed run does not ask the model again.
//!     let answer = cx.once("line", async { Ok(cx.resources().model.chat(request).await?) }).await?;
//!     Ok(Talk::update().lines([answer.text()]))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut graph = StateGraph::<Talk, Tools>::new("talk");
//! graph.add_node(SPEAK, speak);
//! graph.add_edge(START, SPEAK);
//!
//! let model = Arc::new(Scripted::from_fn(|_| Ok("The sea is wide.")));
//! # let place = tempfile::tempdir()?;
//! # let file = place.path().join("talks.db");
//! let threads = graph.compile()?.with_context(Tools { model }).with_checkpointer(SqliteCheckpointer::open(&file)?);
//! let Outcome::Done(talk) = threads.thread("sea").run(Talk::update().topic("the sea")).await? else {
//!     unreachable!("nothing is asked, and there is no budget");
//! };
//! assert_eq!(talk.lines.iter().collect::<Vec<_>>(), ["The sea is wide."]);
//! # Ok(())
//! # }
//! ```
//!
//! # The derive
//! `#[derive(State)]` names the graph crate from outside. Through this facade it is told where that is:
//! `#[state(crate = graphloom::graph)]`.
//!
//! # Features
//! The graph runtime is always there, as [`graph`]. Every other crate is behind a feature of the name of its module, and
//! each feature builds alone.
//!
//! | feature | module | unless switched off |
//! | --- | --- | --- |
//! | `llm` | [`llm`]: chat models behind one trait, structured answers, budgets, recordings | on |
//! | `embedded` | [`embedded`]: the model inside the process | on |
//! | `agents` | [`agents`]: prompt files, profiles, tools, review gates | on |
//! | `mcp` | [`mcp`]: tools, resources and prompts of MCP servers | on |
//! | `client` | `client`: a client of agent servers, and their graphs as nodes | |
//! | `retrieval` | [`retrieval`]: an index of folders, the literature, evidence | on |
//! | `web` | `retrieval::web`: search in the web, pages | |
//! | `citations` | `citations`: claims of a text checked against its sources | |
//! | `charts` | `charts`: checked data as SVG | |
//! | `text` | `text`: sentences, languages, units, addresses | |
//! | `http` | `http`: one builder of HTTP clients | |
//! | `vault` | `vault`: a folder of notes, pending changes, transactions | |
//! | `state-machine` | [`state_machine`]: status tables and task trees | on |
//! | `cli` | `cli`: the command line that all programs share | |
//! | `sqlite` | [`sqlite`]: threads and long-term memory in one file | on |
//! | `postgres` | `postgres`: the same in PostgreSQL | |
//! | `restate` | `restate`: tasks of runs on other processes and threads as objects, by the engine Restate | |
//! | `worker` | `worker`: tasks of runs on other processes, by a queue in PostgreSQL | |
//! | `encrypted` | `encrypted`: encryption around any store | |
//! | `conformance` | `graph::conformance`: the cases that every store passes | |
//! | `writehere`, `obsius`, `pocketflow`, `deepsearch` | modules of these names: the applications as libraries | |
//! | `server` | `server`: graphs behind one server that agent clients drive | |
//! | `studio` | `studio`: a page for browsers in which people work with such a server | |
//! | `otel` | `otel`: spans sent to a collector of OpenTelemetry, by the command as well | |
//! | `served` | `served`: the applications as graphs of such a server | |
//! | `command` | none: the command `graphloom` | on |
//! | `serve` | none: its command `serve` | on |
//!
//! A program that needs the runtime and a file for its threads, and nothing else, says so:
//!
//! ```toml
//! graphloom = { version = "0.1", default-features = false, features = ["sqlite"] }
//! ```
//!
//! # The command
//! `graphloom new` makes a crate with a graph, its tests and its CI, `graphloom doctor` tells which models and other parts
//! are there, `graphloom model` fetches and checks the built-in model, `graphloom mcp` lists what MCP servers have, `graphloom serve` puts
//! the applications behind a server, `graphloom runs` lists, shows and draws the runs of
//! all applications.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(feature = "agents")]
pub use graphloom_agents as agents;
#[cfg(feature = "charts")]
pub use graphloom_charts as charts;
#[cfg(feature = "encrypted")]
pub use graphloom_checkpoint_encrypted as encrypted;
#[cfg(feature = "postgres")]
pub use graphloom_checkpoint_postgres as postgres;
#[cfg(feature = "sqlite")]
pub use graphloom_checkpoint_sqlite as sqlite;
#[cfg(feature = "citations")]
pub use graphloom_citations as citations;
#[cfg(feature = "cli")]
pub use graphloom_cli as cli;
#[cfg(feature = "client")]
pub use graphloom_client as client;
pub use graphloom_core_graph as graph;
#[cfg(feature = "deepsearch")]
pub use graphloom_deepsearch as deepsearch;
#[cfg(feature = "http")]
pub use graphloom_http as http;
#[cfg(feature = "llm")]
pub use graphloom_llm as llm;
#[cfg(feature = "embedded")]
pub use graphloom_llm_embedded as embedded;
#[cfg(feature = "mcp")]
pub use graphloom_mcp as mcp;
#[cfg(feature = "obsius")]
pub use graphloom_obsius as obsius;
#[cfg(feature = "otel")]
pub use graphloom_otel as otel;
#[cfg(feature = "pocketflow")]
pub use graphloom_pocketflow as pocketflow;
#[cfg(feature = "restate")]
pub use graphloom_restate as restate;
#[cfg(feature = "retrieval")]
pub use graphloom_retrieval as retrieval;
#[cfg(feature = "served")]
pub use graphloom_served as served;
#[cfg(feature = "server")]
pub use graphloom_server as server;
#[cfg(feature = "state-machine")]
pub use graphloom_state_machine as state_machine;
#[cfg(feature = "studio")]
pub use graphloom_studio as studio;
#[cfg(feature = "text")]
pub use graphloom_text as text;
#[cfg(feature = "vault")]
pub use graphloom_vault as vault;
#[cfg(feature = "worker")]
pub use graphloom_worker as worker;
#[cfg(feature = "writehere")]
pub use graphloom_writehere as writehere;
