//! DeepSearch: research reports whose citations were checked, as durable graphs.
//!
//! - Two main graphs: sections at the same time, or sections that build on one another.
//! - Every model call and every search is a durable step: a run that was killed goes on without paying twice.
//! - A model that fails, a dead engine and a refused citation are notes of the run; a report that exists is delivered.

#![forbid(unsafe_code)]

pub mod ask;
pub mod charts;
pub mod collector;
pub mod config;
pub mod dependency;
pub mod export;
pub mod feedback;
pub mod outline;
pub mod report;
pub mod search;
pub mod section;
pub mod state;
pub mod status;
pub mod steps;
pub mod stream;
pub mod team;
pub mod trace;
pub mod writing;

mod error;
mod evidence;
pub mod graph;
mod locale;
mod nodes;
mod prompts;
mod resources;

pub use config::Config;
pub use error::DeepSearchError;
pub use evidence::{Evidence, EvidenceId, Scores, canonical};
pub use graph::Kind;
pub use nodes::{FEEDBACK, OUTLINE_FEEDBACK};
pub use prompts::prompts;
pub use resources::{Resources, Slot, Stage};
pub use state::{SearchContext, SearchContextUpdate};
pub use status::{Notice, Severity, StatusCode};
