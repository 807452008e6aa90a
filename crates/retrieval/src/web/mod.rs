//! Finds pages of the web through search engines, reads them, and tells how each engine fared.
//!
//! * [`Web`] asks several engines at once, keeps every page once, and reports on every engine.
//! * [`Tavily`], [`Serper`], [`Brave`], [`Exa`], [`Searxng`] and [`Wikipedia`] are engines; others implement [`Engine`].
//! * [`Pages`] fetches a page behind a guard that keeps requests out of private networks, and gives its text.
//!
//! ```
//! use graphloom_retrieval::web::{EngineName, Pages, PageOptions, Web, WebOptions};
//!
//! # async fn ask() -> Result<(), Box<dyn std::error::Error>> {
//! let options = WebOptions::default().key(EngineName::Tavily, "the key of this account");
//! let web = Web::open(&[EngineName::Tavily, EngineName::Wikipedia], &options)?;
//! let answer = web.ask("write-ahead logging", 5).await;
//! for report in &answer.reports {
//!     eprintln!("{report}"); // Wikipedia found 5 pages.
//! }
//! let pages = Pages::new(PageOptions::default())?;
//! let page = pages.fetch(&answer.results[0].url).await?;
//! assert!(!page.text.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # What an engine can answer
//! An [`EngineOutcome`]: pages, no page, a request for fewer questions, a refusal of the key, or a failure with its
//! [`Fault`](crate::literature::Fault). A failure is never a result: a page of HTML where JSON was due, an error with
//! the status 200 and a body without end are all told apart.
//!
//! # Bounds
//! At most [`MOST_RESULTS`] pages of an engine, addresses of at most [`LONGEST_ADDRESS`] bytes, texts of at most
//! [`LONGEST_TEXT`] characters. [`SearchRate`] bounds the searches in a second.
//!
//! # Keys
//! A key comes from [`WebOptions::from_environment`], that is from a variable or from the file that a variable names,
//! and belongs to a host: the engine's own, unless [`WebOptions::key_for`] names others. It is sent in a header and is in no result, report, error or log.
//!
//! # Text of others
//! What a page or a snippet says is data. Characters that are not shown are removed, but whoever gives the text to a
//! model must say that it is the text of others.

mod ask;
mod bounds;
mod engine;
mod engines;
mod options;
mod page;
mod rate;
mod reading;
mod shape;

#[cfg(doctest)]
#[doc = include_str!("../../../../docs/web.md")]
mod guide {}

pub use crate::report::{EngineOutcome, EngineReport};
pub use ask::{Web, WebAnswer};
pub use bounds::{LONGEST_TEXT, MOST_RESULTS};
pub use engine::{Engine, EngineAnswer, WebResult};
pub use engines::{Brave, Exa, Searxng, Serper, Tavily, Wikipedia};
pub use graphloom_text::{LONGEST_ADDRESS, canonical};
pub use options::{EngineName, EngineOptions, WebOptions};
#[cfg(feature = "pdf")]
pub use page::PdfFiles;
pub use page::{Page, PageError, PageOptions, Pages, PdfText, ReadPdf, ResolveHost, forbidden_address};
pub use rate::SearchRate;
