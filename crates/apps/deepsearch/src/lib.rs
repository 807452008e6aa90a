//! DeepSearch: research reports whose citations were checked, as durable graphs.
//!
//! - Two main graphs: sections at the same time, or sections that build on one another.
//! - Every model call and every search is a durable step: a run that was killed goes on without paying twice.
//! - A model that fails, a dead engine and a refused citation are notes of the run; a report that exists is delivered.
//!
//! ```
//! use std::sync::Arc;
//!
//! use graphloom_agents::Models;
//! use graphloom_core_graph::Outcome;
//! use graphloom_core_graph::checkpoint::MemoryCheckpointer;
//! use graphloom_deepsearch::graph::{graph, policy};
//! use graphloom_deepsearch::search::Engines;
//! use graphloom_deepsearch::state::Request;
//! use graphloom_deepsearch::{Config, FEEDBACK, GraphKind, Resources, SearchContext};
//! use graphloom_llm::Scripted;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A script in the place of a model: it names the language of the request, then asks back.
//! let model = Scripted::from_fn(|request| {
//!     Ok(match request.tools.is_empty() {
//!         false => r#"{"query_title": "Storks", "language": "en"}"#,
//!         true => "1. Which storks?\n2. Which years?\n3. For whom?",
//!     })
//! });
//! let config = Config::default();
//! let resources = Resources::new(Models::new(Arc::new(model)), Engines::default())?;
//! let runs = graph(GraphKind::Parallel).with_context(resources).with_checkpointer(MemoryCheckpointer::new());
//! let thread = runs.thread("storks").policy(policy(&config));
//! let request = Request::new("How common are storks?", config);
//! let Outcome::Waiting(questions) = thread.run(SearchContext::update().request(request)).await? else {
//!     return Err("the run asks its user first".into());
//! };
//! let question = questions.iter().next().ok_or("there is a question")?;
//! assert_eq!(question.key, FEEDBACK);
//! assert!(question.payload["questions"].as_str().is_some_and(|asked| asked.starts_with("1. Which storks?")));
//! // `thread.resume(Answers::new().and(FEEDBACK, …)?)` goes on to the outline.
//! # Ok(())
//! # }
//! ```
//!
//! # Graphs
//!
//! [`graph::graph`] is the main graph, with the node names of the original; [`team`], [`section`], [`collector`],
//! [`dependency`] and [`feedback`] are the graphs inside it, each usable as a subgraph of another one. Each takes other
//! functions for its nodes, other graphs for its subgraphs and other limits, as [`graph::graph_with`] does. What nodes work
//! with besides the state is in [`Resources`]: models by [`Slot`], prompts, engines ([`search`]), the budget.
//!
//! ```
//! use graphloom_core_graph::{CompileErrors, Compiled, GraphOptions, NodeError, Snapshot};
//! use graphloom_deepsearch::graph::{EDITOR_TEAM, graph_with};
//! use graphloom_deepsearch::section::{self, SUB_SOURCE_TRACER, SectionState, SectionStateUpdate};
//! use graphloom_deepsearch::{GraphKind, Resources, SearchContext, team};
//!
//! /// Leaves the citations of a section as its writer made them.
//! async fn untraced(_: Snapshot<SectionState>) -> Result<SectionStateUpdate, NodeError> {
//!     Ok(SectionState::update())
//! }
//!
//! fn quick() -> Result<Compiled<SearchContext, Resources>, CompileErrors> {
//!     let section = section::graph_with(GraphOptions::new().replace(SUB_SOURCE_TRACER, untraced))?;
//!     let team = team::parallel_with(GraphOptions::new().replace_graph(team::SECTION, section))?;
//!     graph_with(GraphKind::Parallel, GraphOptions::new().replace_graph(EDITOR_TEAM, team))
//! }
//! # quick().unwrap();
//! ```
//!
//! # What a run leaves
//!
//! [`state::FinalResult`] has the report with its citations ([`trace`]), conclusions and charts ([`charts`]);
//! [`export`] makes files of it for readers. While it goes on, nodes emit the messages of [`stream`].
//!
//! # Failures
//!
//! What goes wrong inside a run is a [`Notice`] with a [`StatusCode`], in the state; only a fatal one ends the run. A
//! [`DeepSearchError`] is about what is outside of it.
//!
//! # The original
//!
//! Graphs, names, keys and codes are those of openJiuwen's DeepSearch, <https://github.com/openJiuwen-ai/deepsearch>.
//! Comments that say *the original* mean that program.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod ask;
pub mod charts;
pub mod collector;
pub mod config;
pub mod dependency;
pub mod export;
pub mod feedback;
pub mod graph;
pub mod nodes;
pub mod outline;
pub mod report;
pub mod rewrite;
pub mod search;
pub mod section;
pub mod state;
pub mod status;
pub mod steps;
pub mod stream;
pub mod team;
pub mod trace;
pub mod writing;

mod answers;
mod error;
mod evidence;
mod locale;
mod markup;
mod names;
mod prompts;
mod resources;

pub use answers::answers;
pub use config::Config;
pub use error::DeepSearchError;
pub use evidence::{Document, EvidenceId, Scores, canonical};
pub use names::GraphKind;
pub use nodes::{FEEDBACK, OUTLINE_FEEDBACK};
pub use prompts::prompts;
pub use resources::{Resources, Slot, Stage};
pub use state::{SearchContext, SearchContextUpdate};
pub use status::{Notice, Severity, StatusCode};
