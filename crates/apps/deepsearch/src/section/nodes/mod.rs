//! The nodes of a section, one file each, for graphs of one's own over a [`SectionState`](super::SectionState).

mod end;
mod plan_reasoning;
mod start;
mod sub_reporter;
mod sub_source_tracer;

pub use end::{end, reasoning_end};
pub use plan_reasoning::plan_reasoning;
pub use start::start;
pub use sub_reporter::sub_reporter;
pub use sub_source_tracer::{sub_source_tracer, untraced};
