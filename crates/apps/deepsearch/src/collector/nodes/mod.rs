//! The nodes of the collector, one file each, for graphs of one's own over a [`CollectorState`](super::CollectorState).

mod end;
mod info_retrieval;
mod query_generation;
mod start;
mod summary;
mod supervisor;

pub use end::end;
pub use info_retrieval::info_retrieval;
pub use query_generation::query_generation;
pub use start::start;
pub use summary::summary;
pub use supervisor::supervisor;
