//! A web that stands still: search engines and pages on this machine, made of local documents.
//!
//! * [`FrozenWeb`] answers questions as Tavily and as Serper do, from a folder, and serves the pages it names.
//! * [`Breakage`] makes an engine fail in the ways in which real ones do.
//! * [`Wire`] keeps every byte that arrives at a host.
//! * It is for tests: nothing leaves this machine, and the same documents give the same answers.
//!
//! ```
//! use graphloom_frozen_web::FrozenWeb;
//! use graphloom_retrieval::web::{EngineName, Web};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! let docs = place.path().join("docs");
//! std::fs::create_dir(&docs)?;
//! std::fs::write(docs.join("log.md"), "# The log\n\nEvery change is written to the log first.")?;
//!
//! let frozen = FrozenWeb::of(&docs, &place.path().join("index")).await;
//! let web = Web::open(&[EngineName::Tavily], &frozen.web_options())?;
//! let answer = web.ask("Where are changes written?", 5).await;
//! assert_eq!(answer.results[0].title, "The log");
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod breakage;
mod documents;
mod engines;
mod wire;

use std::path::Path;
use std::sync::Arc;

use graphloom_retrieval::web::{EngineName, PageOptions, WebOptions};
use graphloom_retrieval::{Corpus, CorpusOptions};
use wiremock::matchers::{method, path, path_regex};
use wiremock::{Mock, MockServer, ResponseTemplate};

pub use wire::Wire;

pub use breakage::Breakage;

use documents::{Documents, ServePage};
use engines::{AnswerAsSerper, AnswerAsTavily};

/// The key that both engines take.
pub const KEY: &str = "frozen-web-key";

/// Search engines and pages over a corpus. It ends when dropped.
#[derive(Debug)]
pub struct FrozenWeb {
    server: MockServer,
}

impl FrozenWeb {
    /// Serves the documents of `folder` at an address of this machine. Their index is made in `index`.
    ///
    /// # Panics
    /// When the folder cannot be read or the index cannot be made.
    pub async fn of(folder: &Path, index: &Path) -> Self {
        let corpus = Corpus::open(index, &[folder.to_owned()], CorpusOptions::default()).expect("an index");
        corpus.refresh().expect("documents");
        let server = MockServer::start().await;
        let documents = Arc::new(Documents::new(corpus, server.uri()));
        Mock::given(method("POST"))
            .and(path("/tavily/search"))
            .respond_with(AnswerAsTavily(Arc::clone(&documents)))
            .mount(&server)
            .await;
        Mock::given(method("POST"))
            .and(path("/google/search"))
            .respond_with(AnswerAsSerper(Arc::clone(&documents)))
            .mount(&server)
            .await;
        Mock::given(method("GET")).and(path_regex("^/pages/")).respond_with(ServePage(documents)).mount(&server).await;
        Self { server }
    }

    /// The address, such as `http://127.0.0.1:8080`. Tavily is at `/tavily` below it, Serper at `/google`.
    #[must_use]
    pub fn address(&self) -> String {
        self.server.uri()
    }

    /// The host with its port, which the guard of pages must exempt.
    #[must_use]
    pub fn host(&self) -> String {
        self.server.address().to_string()
    }

    /// Options that ask the engines here, with the key.
    ///
    /// # Panics
    /// Never: the address of a server is a host.
    #[must_use]
    pub fn web_options(&self) -> WebOptions {
        let options = WebOptions::default().all_at(&self.address());
        [EngineName::Tavily, EngineName::Google].into_iter().fold(options, |options, name| {
            options.key(name, KEY).key_for(name, &self.host()).expect("its own address is a host")
        })
    }

    /// Options that fetch pages from here and from nowhere else on this machine.
    #[must_use]
    pub fn page_options(&self) -> PageOptions {
        PageOptions::default().exempt(&self.host())
    }

    /// The variables that lead a program's engines here.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        [EngineName::Tavily, EngineName::Google]
            .into_iter()
            .flat_map(|name| {
                let address = format!("{}/{name}", self.address());
                let host = self.host();
                let variable = name.key_variable();
                [(format!("{variable}_FOR"), host), (variable, KEY.to_owned()), (name.address_variable(), address)]
            })
            .collect()
    }

    /// The engine fails from now on.
    pub async fn break_engine(&self, engine: EngineName, breakage: Breakage) {
        let route = format!("/{engine}/search");
        Mock::given(path(route)).respond_with(breakage.answer()).with_priority(1).mount(&self.server).await;
    }

    /// Every page is this PDF from now on.
    pub async fn pages_as_pdf(&self, file: impl Into<Vec<u8>>) {
        let document = ResponseTemplate::new(200).set_body_raw(file, "application/pdf");
        let pages = Mock::given(method("GET")).and(path_regex("^/pages/")).respond_with(document);
        pages.with_priority(1).mount(&self.server).await;
    }

    /// Every question that was asked, as `engine: question`, in order.
    pub async fn questions(&self) -> Vec<String> {
        let requests = self.server.received_requests().await.unwrap_or_default();
        requests.iter().filter_map(engines::question).collect()
    }

    /// The paths of all pages that were fetched, in order.
    pub async fn fetched(&self) -> Vec<String> {
        let requests = self.server.received_requests().await.unwrap_or_default();
        let paths = requests.iter().map(|request| request.url.path().to_owned());
        paths.filter(|path| path.starts_with("/pages/")).collect()
    }
}
