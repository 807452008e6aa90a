//! The work on one section: planning and collecting in rounds, then writing.
//!
//! [`graph`] is the editor team's graph of a section; the dependency-driven team uses the same nodes in two graphs, see
//! [`crate::dependency`]. All three share [`SectionState`].

mod collect;
mod graph;
mod nodes;
mod plan;
mod state;

pub use crate::names::{
    INFO_COLLECTOR, PLAN_REASONING, SECTION_END_NODE, SECTION_START, SUB_REPORTER, SUB_SOURCE_TRACER,
};
pub use crate::state::{ParentSummary, SectionBrief, StepNote};
pub use graph::graph;
pub use state::{SectionState, SectionStateUpdate};

pub(crate) use collect::{collect, collected};
pub(crate) use nodes::{end, plan_reasoning, reasoning_end, start, sub_reporter, sub_source_tracer, untraced};
