//! The nodes of the main graph, one file each.

mod end;

pub(crate) use end::end;
