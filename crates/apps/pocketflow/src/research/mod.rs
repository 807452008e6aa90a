//! Where the literature comes from: one trait between the conversation and its sources.
//!
//! - [`LocalResearch`] searches documents of one's own, [`LiteratureResearch`] asks OpenAlex, arXiv and Crossref,
//!   [`Together`] does both at once, [`NoResearch`] says that there is nothing to search.
//! - A search answers with [`Findings`]: [`Record`]s that can be cited, and a [`SourceReport`] for every source.
//! - [`gathered`] makes one record of one work, whichever queries and sources found it; [`told`] says in a line for each
//!   source how it fared.

mod described;
mod gather;
mod literature;
mod local;
mod together;
mod told;

use async_trait::async_trait;

pub use gather::gathered;
pub(crate) use gather::is_same;
pub use graphloom_retrieval::literature::{Fault, Findings, Provenance, Record, SourceReport, SourceStatus};
pub use literature::{LiteratureConfig, LiteratureResearch, SourceConfig};
pub(crate) use local::LOCAL;
pub use local::LocalResearch;
pub use together::Together;
pub use told::told;

/// Sources of literature. A source that fails is a report, not an error: the others still count.
#[async_trait]
pub trait Research: Send + Sync + 'static {
    /// Searches every source for a query in plain words; at most `limit` records of each source, best first.
    async fn search(&self, query: &str, limit: usize) -> Findings;
}

/// No source at all: every search says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoResearch;

#[async_trait]
impl Research for NoResearch {
    async fn search(&self, query: &str, _limit: usize) -> Findings {
        let reason = "no source is set up; give a folder of documents with `--corpus DIR`, or ask the network with \
                      `--search openalex,arxiv,crossref`"
            .to_owned();
        failed("literature", query, Fault::Unusable { reason })
    }
}

/// What is read of a record: its abstract or passages, or the title alone where no source gave either.
pub(crate) fn text_of(record: &Record) -> &str {
    record.abstract_text.as_deref().unwrap_or(&record.title)
}

/// The findings of one source that gave none, and why.
fn failed(source: &str, query: &str, fault: Fault) -> Findings {
    answered(Vec::new(), SourceReport::new(source, query, SourceStatus::Failed { fault }))
}

/// The findings of one source.
fn answered(records: Vec<Record>, report: SourceReport) -> Findings {
    let mut findings = Findings::default();
    findings.records = records;
    findings.reports = vec![report];
    findings
}
