//! Obsius: an assistant for a vault of notes that analyzes, searches, executes and reflects.
//!
//! - [`assess`](mod@assess) tells simple requests from complex ones, [`phase`] holds the phases and the table of their transitions,
//!   [`completion`] the completion check.
//! - [`analyze`] makes the plan: subtasks with success criteria, each a [`probe`] that looks into the notes; [`search`],
//!   [`execute`] and [`write`](mod@write) carry it out, and a [`review`] puts a person before the vault.
//! - [`graph()`] puts them together over a [`WorkflowState`]; [`graph_with`] takes other functions for its [`nodes`].
//!   Nothing is written to the vault before the changes are reviewed, and then all of them or none.
//!
//! ```
//! use graphloom_obsius::analyze::plan_by_rules;
//! use graphloom_obsius::assess::{Complexity, assess};
//! use graphloom_obsius::phase::{Decision, Phase, next_phase};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let request = "Organize all my machine learning notes and create a comprehensive index";
//! assert_eq!(assess(request).complexity, Complexity::Complex);
//! assert_eq!(next_phase(Phase::Assess, Decision::IsComplex)?, Phase::Initialize);
//!
//! let plan = plan_by_rules(request);
//! assert_eq!(plan.decomposed_tasks.len(), 8);
//! assert_eq!(plan.title.as_deref(), Some("Machine Learning Index"));
//!
//! let graph = graphloom_obsius::graph();
//! assert!(graph.diagram().mermaid().contains("reflect"));
//! # Ok(()) }
//! ```
//!
//! # State
//! [`WorkflowState`] has a named part for each concern: session, plan, memory, actions, metrics, phases. Tools work on an
//! overlay of the vault that is part of the state, so that a run can be stopped, shown and resumed at any super-step with all it would change.
//!
//! # Models
//! A model that calls tools plans, acts and judges by the prompts of the profile. A model that answers inside a grammar,
//! such as the embedded one, writes goals and names and chooses among few options; what is said, listed and linked comes
//! from notes that were found.

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod analyze;
pub mod assess;
pub mod completion;
pub mod config;
pub mod execute;
pub mod index;
pub mod nodes;
pub mod phase;
pub mod probe;
pub mod profile;
pub mod review;
pub mod search;
pub mod state;
pub mod subject;
pub mod tools;
pub mod write;

mod answers;
mod ask;
mod backups;
mod error;
mod graph;
mod limit_changes;
mod overlay_tools;
mod resources;
mod view;

pub use answers::answers;
pub use config::Config;
pub use error::ObsiusError;
pub use graph::{
    ANALYZE, APPLY, ASSESS, COMPLETE, ERROR, EXECUTE, INITIALIZE, REFLECT, REVIEW, SEARCH, SIMPLE, graph, graph_with,
};
pub use limit_changes::{continue_partial_work, why_limits_change_nothing};
pub use nodes::transaction_name;
pub use resources::{Resources, Setup};
pub use state::{SessionInfo, WorkflowState, WorkflowStateUpdate};
