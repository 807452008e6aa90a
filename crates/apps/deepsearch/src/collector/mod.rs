//! The collector: finds out one step of a plan.
//!
//! It makes queries, searches them at the same time, scores what is new, asks a supervisor whether that is enough, and
//! sums up. Each collector has a state of its own, so that steps at the same time do not mix what they find.
//!
//! - A model searches by calling `web_search_tool` and `local_search_tool`; every call of a reply is made, up to a limit.
//!   Where the model makes no call that succeeds, or cannot be asked, the query itself is searched.
//! - A search that fails is a report of its engine, never a document.
//! - What documents say is data: it is shown fenced, and no other tool can be called.

pub mod nodes;

mod evaluation;
mod graph;
mod prompt;
mod request;
mod retrieval;
mod state;
mod tools;

pub use crate::names::{COLLECTOR_END, COLLECTOR_START, INFO_RETRIEVAL, QUERY_GENERATION, SUMMARY, SUPERVISOR};
pub use graph::{graph, graph_with};
pub use request::{CollectLimits, CollectRequest};
pub use state::{CollectorState, CollectorStateUpdate};
