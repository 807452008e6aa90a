//! The work on one section: planning and collecting in rounds, then writing.
//!
//! [`graph`] is the editor team's graph of a section; the dependency-driven team uses the same nodes in two graphs, see
//! [`crate::dependency`]. All three share [`SectionState`].

pub mod nodes;

mod collect;
mod graph;
mod plan;
mod state;

pub use crate::names::{
    INFO_COLLECTOR, PLAN_REASONING, SECTION_END_NODE, SECTION_START, SUB_REPORTER, SUB_SOURCE_TRACER,
};
pub use crate::state::{ParentSummary, SectionBrief, StepNote};
pub use graph::{graph, graph_with};
pub use state::{SectionState, SectionStateUpdate};

pub(crate) use collect::{collect, collected};
pub(crate) use graph::add_writing;
