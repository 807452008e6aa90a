//! The nodes of the main graph, one file each.

mod end;
mod source_tracer;

pub(crate) use end::end;
pub(crate) use source_tracer::source_tracer;
