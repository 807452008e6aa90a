//! Finds works of research in OpenAlex, arXiv, Crossref, PubMed, Semantic Scholar, CORE and Europe PMC, and tells how each
//! of them fared.
//!
//! * [`Literature`] asks several sources at once, merges what is the same work, and reports on every source.
//! * A [`Gateway`] keeps the manners that a host asks for; all users in a process share its pace.
//! * [`export`] writes references as BibTeX or CSL-JSON, and a [`Recording`] makes answers repeatable.
//!
//! ```
//! use graphloom_retrieval::literature::{Literature, LiteratureOptions, Query, export};
//!
//! # async fn ask() -> Result<(), graphloom_retrieval::RetrievalError> {
//! let options = LiteratureOptions::default().contact("me@example.org")?;
//! let literature = Literature::open(options)?;
//! let findings = literature.ask(&Query::parse("\"state graphs\" language models")?.since(2023)).await;
//! for report in &findings.reports {
//!     eprintln!("{report}"); // OpenAlex gave 20 of 418 records.
//! }
//! let references = export::bibtex(&findings.records);
//! # Ok(())
//! # }
//! ```
//!
//! # What is asked
//! A [`Query`] is words, phrases, alternatives and years. Code compiles it for each source; nothing in it can become
//! syntax. Crossref and Semantic Scholar, which have no operators, rank by the words; the others are asked for all of them.
//!
//! # What can go wrong
//! Sources fail in many ways, and some lie: a web page instead of data, an error with the status 200, a count without
//! records. Each way is a [`Fault`] with a line for the person. A source that fails never hides what others found.
//!
//! # What is kept where
//! Answers are remembered in memory for a day or a week. Nothing is written to disk except a recording that was asked
//! for. Contact and key are in neither records, reports nor recordings. Abstracts are text of others and must be given
//! to a model as such.

mod arxiv;
mod ask;
mod author;
mod compile;
mod contact;
mod core;
mod crossref;
mod europe_pmc;
pub mod export;
mod identity;
pub(crate) mod json;
mod keys;
mod medical_id;
mod merge;
mod name;
mod openalex;
mod options;
mod pubmed;
mod query;
mod record;
mod record_id;
mod recording;
mod semantic_scholar;
mod source;
pub(crate) mod text;
mod xml;

#[cfg(doctest)]
#[doc = include_str!("../../../../docs/literature.md")]
mod guide {}

pub use reqwest::Url;

pub use crate::fault::{Fault, Timestamp};
pub use arxiv::Arxiv;
pub use ask::{Findings, Literature};
pub use author::Author;
pub use contact::{ApiKey, Contact};
pub use core::Core;
pub use crossref::Crossref;
pub use europe_pmc::EuropePmc;
pub use graphloom_http::gateway::{Asked, Gateway, HostFault, Politeness, Reply, Request, Transport};
pub use identity::{ArxivId, Doi};
pub use keys::{HostKey, HostKeyUse};
pub use medical_id::{Pmcid, Pmid};
pub use merge::merge;
pub use name::SourceName;
pub use openalex::OpenAlex;
pub use options::{LiteratureOptions, SourceOptions};
pub use pubmed::Pubmed;
pub use query::{MOST_RECORDS, Query, Years};
pub use record::{CopyText, Provenance, Record, RecordKind};
pub use recording::{Recorded, Recording};
pub use semantic_scholar::SemanticScholar;
pub use source::{Found, Source};

/// The records of an answer. What cannot be used is counted, and a count that does not fit is told.
fn collect<T>(items: &[T], total: Option<u64>, record: impl Fn(&T, u32) -> Option<Record>) -> Result<Found, Fault> {
    if let Some(total) = total.filter(|total| *total > 0 && items.is_empty()) {
        return Err(Fault::Malformed { reason: format!("it says that it has {total} records and gives none") });
    }
    let mut found = Found::default();
    let mut rank = 1;
    for item in items {
        if let Some(record) = record(item, rank) {
            found.records.push(record.identified());
            rank += 1;
        }
    }
    let unused = items.len() - found.records.len();
    if unused > 0 && found.records.is_empty() {
        return Err(Fault::Malformed { reason: format!("none of its {unused} records has a title") });
    }
    if unused > 0 {
        found.notes.push(format!("{unused} of its records had no title and were left out"));
    }
    let given = items.len() as u64;
    if total.is_some_and(|total| total < given) {
        found.notes.push("it gave more records than it says it has".to_owned());
    }
    found.total = total.map(|total| total.max(given));
    Ok(found)
}

/// An error body: with an error's status it is a refusal, with another one a lie.
pub(crate) fn refusal(status: u16, reason: &str) -> Fault {
    let reason = if reason.is_empty() { "no reason given".to_owned() } else { reason.to_owned() };
    if (200..300).contains(&status) { Fault::Lied { status, reason } } else { Fault::Refused { status, reason } }
}

fn nothing_to_ask() -> Fault {
    Fault::NoWords
}

/// The address of a route with its parameters.
fn endpoint(address: &Url, route: &str, parameters: &compile::Parameters) -> Url {
    let mut url = address.clone();
    let base = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("{base}/{route}"));
    url.query_pairs_mut().clear().extend_pairs(parameters);
    url
}

/// A host may repeat the key that it was sent.
pub(crate) fn without_key(fault: Fault, key: Option<&ApiKey>) -> Fault {
    let Some(key) = key else { return fault };
    let hidden = |reason: String| reason.replace(key.reveal(), "…");
    match fault {
        Fault::Refused { status, reason } => Fault::Refused { status, reason: hidden(reason) },
        Fault::Lied { status, reason } => Fault::Lied { status, reason: hidden(reason) },
        other => other,
    }
}
