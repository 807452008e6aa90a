//! From what is searched to records of works.
//!
//! - [`Documents`] searches documents of one's own as works; the literature and the web are searchers of
//!   [`graphloom_retrieval`].
//! - [`find`] asks a searcher and gives [`Findings`]: [`Record`]s that can be cited, and an [`EngineReport`] for every engine.
//! - [`gathered`] makes one record of one work, whichever queries and engines found it; [`source_lines`] says in a line for each
//!   engine how it fared.

mod described;
mod documents;
mod find;
mod gather;
mod literature;
mod source_lines;

pub use documents::Documents;
pub(crate) use documents::LOCAL;
pub use find::find;
pub use gather::gathered;
pub(crate) use gather::is_same;
pub use graphloom_retrieval::literature::{Fault, Findings, Provenance, Record};
pub use graphloom_retrieval::{EngineOutcome, EngineReport};
pub use literature::{LiteratureConfig, SourceConfig};
pub use source_lines::source_lines;

/// What is read of a record: paragraphs of an open copy, its abstract or passages, or the title alone where no source gave
/// any.
pub(crate) fn text_of(record: &Record) -> &str {
    record.readable()
}
