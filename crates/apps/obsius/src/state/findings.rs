//! What searches found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way to look for notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SearchStrategy {
    /// The keywords in titles and headings, weighted by the index.
    #[default]
    Keyword,
    /// The words of the request in texts.
    Content,
    /// A tag made of the keywords.
    Tag,
    /// The notes that changed last.
    Recent,
    /// The neighbours of what was found.
    Links,
}

/// One search that was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct SearchRecord {
    /// How.
    pub strategy: SearchStrategy,
    /// What for.
    pub query: String,
    /// How many notes it found. None is a finding as well.
    pub hits: usize,
    /// How many of them were new.
    pub new: usize,
    /// Whether more notes fit than were taken.
    pub more: bool,
    /// The iteration.
    pub iteration: u32,
}

/// A note that a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Found {
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: String,
    /// The hash of its text when it was found.
    pub hash: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// A sentence of it.
    pub snippet: String,
    /// By which strategies it was found.
    pub by: Vec<SearchStrategy>,
    /// How well it fits; only for comparing.
    pub score: f64,
}

/// What searches found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Findings {
    /// The notes, the best first.
    pub notes: Vec<Found>,
    /// The searches.
    pub searches: Vec<SearchRecord>,
    /// What no note is about, by its title, its tags or a phrase; empty when one is.
    pub nothing_about: String,
    /// Notes that share words with that, the best first.
    pub near: Vec<Found>,
    /// Keywords that no found note has.
    pub gaps: Vec<String>,
    /// The most frequent folders of the notes, with their counts.
    pub folders: Vec<(String, usize)>,
    /// The most frequent tags of the notes, with their counts.
    pub themes: Vec<(String, usize)>,
}

impl Findings {
    /// Whether more notes fit a search than were taken.
    pub fn is_capped(&self) -> bool {
        self.searches.iter().any(|search| search.more)
    }

    /// Whether a strategy was run.
    pub fn ran(&self, strategy: SearchStrategy) -> bool {
        self.searches.iter().any(|search| search.strategy == strategy)
    }
}
