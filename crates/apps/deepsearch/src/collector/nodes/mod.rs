//! The nodes of the collector, one file each.

mod end;
mod info_retrieval;
mod query_generation;
mod start;
mod summary;
mod supervisor;

pub(super) use end::end;
pub(super) use info_retrieval::info_retrieval;
pub(super) use query_generation::query_generation;
pub(super) use start::start;
pub(super) use summary::summary;
pub(super) use supervisor::supervisor;
