//! What every search engine of the web can do.

use async_trait::async_trait;
use graphloom_text::canonical;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds::{MOST_RESULTS, visible};
use crate::literature::Fault;
use crate::literature::text::shortened;
use crate::{Evidence, Source};

/// One page that an engine found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct WebResult {
    /// The engine that found it.
    pub engine: String,
    /// Its place in the engine's answer, counted from 1.
    pub rank: u32,
    /// The address, in its [canonical](super::canonical) form.
    pub url: String,
    /// The title; the address where the engine gives none.
    pub title: String,
    /// What the engine gives of the text: an excerpt, or the whole page when it says so.
    pub text: String,
    /// When the page was published, as the engine writes it.
    pub published: Option<String>,
}

impl WebResult {
    /// A result of `engine`. `None` when the address is none of the web or there is neither title nor text.
    #[must_use]
    pub fn new(engine: &str, rank: u32, url: &str, title: &str, text: &str) -> Option<Self> {
        let url = canonical(url)?;
        let (title, text) = (shortened(title, 300), visible(text));
        if title.is_empty() && text.is_empty() {
            return None;
        }
        let title = if title.is_empty() { url.clone() } else { title };
        Some(Self { engine: engine.to_owned(), rank, url, title, text, published: None })
    }

    /// Says when the page was published.
    #[must_use]
    pub fn published(mut self, date: Option<String>) -> Self {
        self.published = date.map(|date| shortened(&date, 40)).filter(|date| !date.is_empty());
        self
    }

    /// The result as a record that a text can cite. The id is made of address and text.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        let path = self.url.split_once("://").map_or(self.url.as_str(), |(_, rest)| rest);
        let id = crate::evidence_id::evidence_id(path, &self.text, 0);
        Evidence::new(id, Source::Web { url: self.url.clone() }, self.title.clone(), self.text.clone())
    }
}

/// What an engine answered to one question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EngineAnswer {
    /// The pages, best first.
    pub results: Vec<WebResult>,
    /// What a person may want to know: results that could not be used, tries that failed.
    pub notes: Vec<String>,
}

impl EngineAnswer {
    /// An answer of `given` results, of which those that are none are counted in a note.
    #[must_use]
    pub fn of(given: impl IntoIterator<Item = Option<WebResult>>, limit: usize) -> Self {
        let (mut results, mut unused) = (Vec::new(), 0_usize);
        for result in given {
            match result {
                Some(result) => results.push(result),
                None => unused += 1,
            }
        }
        results.truncate(limit.min(MOST_RESULTS));
        let mut notes = Vec::new();
        if unused > 0 {
            notes.push(format!("{unused} of its results had no address of the web or no text and were left out"));
        }
        Self { results, notes }
    }

    /// The answer with what was noticed on the way before it.
    pub(super) fn after(mut self, mut notes: Vec<String>) -> Self {
        notes.append(&mut self.notes);
        self.notes = notes;
        self
    }
}

/// A search engine of the web.
///
/// ```
/// use async_trait::async_trait;
/// use graphloom_retrieval::literature::Fault;
/// use graphloom_retrieval::web::{Engine, EngineAnswer, WebResult};
///
/// /// The bookmarks of a group.
/// struct Bookmarks(Vec<(String, String)>);
///
/// #[async_trait]
/// impl Engine for Bookmarks {
///     fn name(&self) -> &str {
///         "bookmarks"
///     }
///
///     async fn search(&self, query: &str, limit: usize) -> Result<EngineAnswer, Fault> {
///         let found = self.0.iter().filter(|(_, title)| title.contains(query));
///         let results = found.zip(1..).map(|((url, title), rank)| WebResult::new("bookmarks", rank, url, title, title));
///         Ok(EngineAnswer::of(results, limit))
///     }
/// }
/// ```
#[async_trait]
pub trait Engine: Send + Sync + 'static {
    /// The short name of the engine, in lower case: `tavily`.
    fn name(&self) -> &str;

    /// At most `limit` pages, best first. A question without a fitting page gives an empty list, not a fault.
    ///
    /// # Errors
    /// The reason why there is no answer that can be used.
    async fn search(&self, query: &str, limit: usize) -> Result<EngineAnswer, Fault>;
}
