//! Finds passages of documents and hands them out as evidence that a text can cite.
//!
//! * A [`Corpus`] is folders of documents (text, Markdown, HTML, PDF, DOCX, EPUB, notebooks, mail) with an incremental full-text index on disk.
//! * A search answers with [`Evidence`]: a passage with an id that stays the same while the passage does.
//! * [`Search`] is what everything that can be searched does: the corpus, the literature, the web, several [`CombinedSearch`],
//!   or a source of one's own. It answers with results and one [`EngineReport`] for each engine.
//! * [`extract`] picks the sentences that fit a question.
//! * [`answer`] reads what a request asks for, and tells what of it a text answers.
//!
//! ```
//! use graphloom_retrieval::{Corpus, CorpusOptions, SearchOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! let docs = place.path().join("docs");
//! std::fs::create_dir(&docs)?;
//! std::fs::write(docs.join("log.md"), "# The log\n\nEvery change is written to the log first. Then it is synced.")?;
//!
//! let corpus = Corpus::open(&place.path().join("index"), &[docs], CorpusOptions::default())?;
//! let report = corpus.refresh()?;
//! assert_eq!((report.added, report.unread.len()), (1, 0));
//!
//! let hits = corpus.search("Where are changes written?", &SearchOptions::default())?;
//! assert_eq!(hits[0].snippet, "Every change is written to the log first.");
//! assert_eq!(hits[0].evidence.heading, ["The log"]);
//! assert_eq!(corpus.get(&hits[0].evidence.id)?.as_ref(), Some(&hits[0].evidence));
//! # Ok(())
//! # }
//! ```
//!
//! # What a corpus reads
//! Files that end in `.md`, `.markdown`, `.txt`, `.text`, `.html`, `.htm`, `.xhtml`, `.pdf` (with the feature `pdf`, which is
//! on unless turned off), `.docx`, `.epub`, `.ipynb`, `.eml` or `.mbox`, whose content is what the ending says. Hidden files
//! and folders, folders named `target` or `node_modules`, and the index itself are ignored; what a `.gitignore` names, and
//! other endings, are counted. What cannot be read is listed with its reason in the [`IndexReport`]. [`CorpusOptions`] has the
//! limits, can narrow the endings and name other folders to ignore. [`Corpus::search_with`] also finds texts that are not
//! written yet.
//!
//! # Passages and ids
//! A passage is a group of paragraphs under one heading. Its id, such as `storage-log#5f0c81d2`, is made of the path
//! below the corpus folder and the text of the passage, so it survives changes elsewhere in the file, another place of
//! the folder, and a rebuilt index.
//!
//! # The index directory
//! One process at a time refreshes an index; others wait, and searches go on. A refresh is one commit: after a crash
//! the index is as before it or as after it. The directory can be deleted at any time; the next refresh builds it anew.
//!
//! # Words and meaning
//! A [`HybridCorpus`] is a corpus with a model that makes vectors of texts: it also finds passages that say the same in other
//! words. The vectors lie in the directory of the index. A corpus is searched by its words, with or without them.
//!
//! # The literature
//! With the feature `literature`, which is on unless turned off, `literature::Literature` is a [`Search`] too: it asks
//! OpenAlex, arXiv, Crossref, PubMed, Semantic Scholar, CORE and Europe PMC, and its evidence is abstracts.
//!
//! # The web
//! With the feature `web`, `web::Web` asks Tavily, Google through Serper, Brave, Exa, SearXNG and Wikipedia, `web::Pages`
//! reads a page behind a guard against requests into private networks, and `full_text::FullTexts` the open full text of a
//! work. These two features are all that uses a network.
#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod answer;
mod combined;
mod corpus;
mod document;
mod error;
mod evidence;
mod evidence_id;
pub mod extract;
mod fault;
#[cfg(feature = "web")]
pub mod full_text;
#[cfg(feature = "literature")]
pub mod literature;
#[cfg(feature = "web")]
mod network;
mod report;
mod search;
mod terms;
#[cfg(feature = "web")]
pub mod web;

pub use combined::{CombinedSearch, NoSearch, interleave};
pub use corpus::{
    ChoiceReranker, Corpus, CorpusOptions, HybridCorpus, HybridOptions, IndexReport, LossyFile, OtherModel,
    PendingDocument, Reranker, SearchOptions, Unread, VectorReport,
};
pub use document::UnreadReason;
#[cfg(feature = "pdf")]
pub use document::serve_reader;
pub use error::RetrievalError;
pub use evidence::{Evidence, Locator, Source};
pub use fault::{Fault, Timestamp};
pub use graphloom_text::visible_text;
#[cfg(feature = "web")]
pub use network::{Network, NetworkOptions};
pub use report::{EngineOutcome, EngineReport};
pub use search::{Hit, Search, SearchAnswer};
