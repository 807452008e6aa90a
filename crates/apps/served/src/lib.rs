//! WriteHERE, Obsius, PocketFlow and DeepSearch as graphs of a [`Server`](graphloom_server::Server).
//!
//! Each application has a face: a graph around its own, which clients of any protocol can drive.
//!
//! | graph | a message, or the plain field | is answered by |
//! | --- | --- | --- |
//! | `writehere` | a request for a text, `request` | the text, and `report.md` |
//! | `obsius` | a request about a vault, `request` | what was found or done; changes are reviewed first |
//! | `pocketflow` | a turn of a conversation, `message` | the next turn; in the end `proposal.md` |
//! | `deepsearch` | a question, `query` | a cited report, with `report.md`, `report.html` and `final_result.json` |
//!
//! - The state of each has `messages`, and `artifacts`: the documents that clients can download.
//! - What the application asks its user is an interrupt, with a schema of the answer.
//! - The graph of the application is a subgraph: its super-steps are durable, and its progress is told under its namespace.
//! - What a run may set otherwise is its context, with a schema.
//!
//! ```
//! use std::sync::Arc;
//!
//! use graphloom_agents::Models;
//! use graphloom_deepsearch::search::Engines;
//! use graphloom_deepsearch::{Config, Resources};
//! use graphloom_llm::Scripted;
//! use graphloom_served::deepsearch;
//! use graphloom_server::Server;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let model = Scripted::from_fn(|_| Ok("In the place of a model."));
//! let resources = Resources::new(Models::new(Arc::new(model)), Engines::default())?;
//! let server = deepsearch::add_to(Server::new(), resources, Config::default())?;
//! assert_eq!(server.names().collect::<Vec<_>>(), ["deepsearch"]);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod deepsearch;
pub mod obsius;
pub mod pocketflow;
pub mod writehere;

mod document;
mod request;
mod today;

pub use document::Delivery;
