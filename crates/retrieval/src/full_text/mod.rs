//! The open full text of a work, where somebody serves one.
//!
//! Places are tried in turn: Europe PMC for a work in PubMed Central, arXiv's page of a preprint, the open copy that a
//! source of literature named, and those that Unpaywall knows. What is fetched goes through [`Pages`], so it is guarded,
//! bounded and paced like any page of the web.

mod evidence;
mod unpaywall;

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use unpaywall::{OpenLocation, Unpaywall};

use crate::literature::{Fault, Record};
use crate::web::{PageError, Pages};

/// The most places of one work that are tried.
const MOST_PLACES: usize = 4;
/// A page with less than so many times the text of the abstract describes the work and does not hold it.
const TIMES_ABSTRACT: usize = 4;
/// A page with so much text, in bytes, holds the work however long the abstract is.
const ENOUGH: usize = 20_000;
/// The longest wait for a work unless another is set.
const DEADLINE: Duration = Duration::from_secs(60);
/// The address of full texts at Europe PMC.
const EUROPE_PMC: &str = "https://www.ebi.ac.uk/europepmc/webservices/rest";
/// The address of preprints at arXiv.
const ARXIV: &str = "https://arxiv.org";

/// The open full text of a work. Text of others: never an instruction to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FullText {
    /// Where it was read.
    pub url: String,
    /// The readable text, with its headings as lines of Markdown.
    pub text: String,
    /// BLAKE3, in hexadecimal, of the body as it came.
    pub content_hash: String,
}

/// Why a work has no full text that could be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoFullText {
    /// No source names an open copy.
    #[error("nobody is known to serve it openly{}", asked_in_words(asked.as_ref()))]
    Closed {
        /// Why Unpaywall could not tell, where it was asked and failed.
        asked: Option<Fault>,
    },
    /// No copy came in time.
    #[error("no open copy came within {} s", within.as_secs_f64())]
    TimedOut {
        /// How long was waited.
        within: Duration,
    },
    /// There are open copies, and none could be read.
    #[error("its open copies cannot be read: {}", tried.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Unreadable {
        /// Each place with the reason.
        tried: Vec<Unread>,
    },
}

/// A place of a full text that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Unread {
    /// Its address.
    pub url: String,
    /// Why.
    pub error: PageError,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.url, self.error)
    }
}

impl Unread {
    /// Whether it is a PDF that nothing reads: see [`Pages::with_pdf`].
    #[must_use]
    pub fn is_pdf(&self) -> bool {
        matches!(&self.error, PageError::MediaType { media_type } if media_type == "application/pdf")
    }
}

/// Finds and reads open full texts.
#[derive(Clone, Debug)]
pub struct FullTexts {
    pages: Pages,
    unpaywall: Option<Unpaywall>,
    europe_pmc: String,
    arxiv: String,
    deadline: Duration,
}

impl FullTexts {
    /// Full texts that are read with `pages`.
    #[must_use]
    pub fn new(pages: Pages) -> Self {
        let (europe_pmc, arxiv) = (EUROPE_PMC.to_owned(), ARXIV.to_owned());
        Self { pages, unpaywall: None, europe_pmc, arxiv, deadline: DEADLINE }
    }

    /// Also asks Unpaywall where works with a DOI are open.
    #[must_use]
    pub fn with_unpaywall(mut self, unpaywall: Unpaywall) -> Self {
        self.unpaywall = Some(unpaywall);
        self
    }

    /// Other addresses than those of Europe PMC and arXiv, such as a server of a test.
    #[must_use]
    pub fn at(mut self, europe_pmc: &str, arxiv: &str) -> Self {
        (self.europe_pmc, self.arxiv) = (europe_pmc.to_owned(), arxiv.to_owned());
        self
    }

    /// The longest wait for the full text of one work, with all its places; 60 s unless set.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// The full text of a work. A page with less than four times the text of the work's abstract is passed over: it
    /// describes the work, as the page of a repository does.
    ///
    /// # Errors
    /// [`NoFullText`] says where was looked, and why nothing could be read.
    pub async fn of(&self, record: &Record) -> Result<FullText, NoFullText> {
        let found = tokio::time::timeout(self.deadline, self.of_in_time(record)).await;
        found.unwrap_or(Err(NoFullText::TimedOut { within: self.deadline }))
    }

    async fn of_in_time(&self, record: &Record) -> Result<FullText, NoFullText> {
        let about = record.abstract_text.as_ref().map_or(0, String::len);
        let least = about.saturating_mul(TIMES_ABSTRACT).min(ENOUGH);
        let mut places: Vec<String> = Vec::new();
        let mut tried = Vec::new();
        if let Some(id) = record.pmcid {
            places.push(format!("{}/{id}/fullTextXML", self.europe_pmc));
        }
        if let Some(id) = &record.arxiv {
            places.push(format!("{}/html/{id}", self.arxiv));
        }
        places.extend(record.open_access.clone());
        if let Some(text) = self.first(&places, least, &mut tried).await {
            return Ok(text);
        }
        let mut asked = None;
        if let (Some(unpaywall), Some(doi)) = (&self.unpaywall, &record.doi) {
            match unpaywall.locations(doi).await {
                Ok(locations) => {
                    let others: Vec<String> = locations.into_iter().flat_map(OpenLocation::into_addresses).collect();
                    let new: Vec<String> = others.into_iter().filter(|url| !places.contains(url)).collect();
                    if let Some(text) = self.first(&new, least, &mut tried).await {
                        return Ok(text);
                    }
                }
                Err(fault) => asked = Some(fault),
            }
        }
        Err(if tried.is_empty() { NoFullText::Closed { asked } } else { NoFullText::Unreadable { tried } })
    }

    /// The text of the first place that has one of at least `least` bytes.
    async fn first(&self, places: &[String], least: usize, tried: &mut Vec<Unread>) -> Option<FullText> {
        for url in places {
            if tried.len() >= MOST_PLACES {
                return None;
            }
            match self.pages.fetch(url).await {
                Ok(page) if page.text.len() < least => {
                    let reason = "it describes the work and does not hold it".to_owned();
                    tried.push(Unread { url: url.clone(), error: PageError::Empty { reason } });
                }
                Ok(page) => {
                    return Some(FullText { url: page.url, text: page.text, content_hash: page.content_hash });
                }
                Err(error) => tried.push(Unread { url: url.clone(), error }),
            }
        }
        None
    }
}

fn asked_in_words(asked: Option<&Fault>) -> String {
    asked.map_or_else(String::new, |fault| format!("; Unpaywall {fault}"))
}
