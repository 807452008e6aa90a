//! The nodes of a section, one file each.

mod end;
mod plan_reasoning;
mod start;
mod sub_reporter;
mod sub_source_tracer;

pub(crate) use end::{end, reasoning_end};
pub(crate) use plan_reasoning::plan_reasoning;
pub(crate) use start::start;
pub(crate) use sub_reporter::sub_reporter;
pub(crate) use sub_source_tracer::{sub_source_tracer, untraced};
