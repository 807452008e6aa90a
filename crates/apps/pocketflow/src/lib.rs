//! PocketFlow: a research conversation with reviews that survives restarts.
//!
//! - [`Conversations::say`] takes a message and answers with two streams, thoughts and chat, that always end.
//! - What follows a message is looked up in a total table ([`decide`]); a reply is an approval only when it plainly is
//!   one ([`feedback`]); nothing is delivered without the approval of the queries and of the proposal.
//! - What a conversation keeps is one versioned record ([`session`]); the turn itself is a durable graph ([`graph()`]).
//!   [`graph_with`] takes other functions for its [`nodes`], and [`Conversations::of`] has conversations over it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use graphloom_agents::Models;
//! use graphloom_core_graph::checkpoint::MemoryCheckpointer;
//! use graphloom_core_graph::store::MemoryStore;
//! use graphloom_llm::Scripted;
//! use graphloom_retrieval::NoSearch;
//! use graphloom_pocketflow::session::Waiting;
//! use graphloom_pocketflow::{Conversations, Resources};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // In place of a model: a script that always proposes one query.
//! let model = Scripted::from_fn(|_| Ok(r#"{"queries": [{"text": "spring tides"}]}"#));
//! let resources =
//!     Resources::new(Models::new(Arc::new(model)), Arc::new(NoSearch), Arc::new(MemoryStore::new()))?;
//! let conversations = Conversations::new(resources, Arc::new(MemoryCheckpointer::new()));
//!
//! let (_thoughts, chat) = conversations.say("c1", "tides").collect().await;
//! assert!(chat[0].text().contains("1. spring tides"));
//! assert_eq!(conversations.session("c1").await?.waiting_for, Waiting::Queries);
//! # Ok(())
//! # }
//! ```
//!
//! # Coming from PocketFlow
//! [`flow`] has nodes of three phases, labelled edges, batches and flows as nodes, over the same graph engine.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod actions;
pub mod decide;
pub mod export;
pub mod feedback;
pub mod flow;
pub mod nodes;
pub mod profile;
pub mod research;
pub mod session;

#[cfg(doctest)]
#[doc = include_str!("../../../../docs/pocketflow.md")]
mod guide {}

mod cite;
mod config;
mod conversation;
mod edit;
mod error;
mod graph;
mod names;
mod prepare;
mod resources;
mod route;
mod run_events;
mod small;
mod state;
mod streams;
mod turn;
mod understand;

pub use config::Config;
pub use conversation::Conversations;
pub use error::PocketFlowError;
pub use graph::{graph, graph_with};
pub use names::{
    FOLLOW_UP, GENERATE_QUERIES, LISTEN, LITERATURE_REVIEW, NAME, OPEN, RESULT_NOTIFICATION, REVIEW_QUERIES,
    REVIEW_REPORT, ROUTER, SAVE, SYNTHESIZE_GAP, WRITE_PROPOSAL, node_of,
};
pub use prepare::{Missing, prepare};
pub use profile::prompts;
pub use resources::{Limits, Resources};
pub use run_events::{TurnEnd, thought};
pub use state::{Conversation, ConversationUpdate, Turn};
pub use streams::{ChatMessage, TurnEvent, TurnStreams};
