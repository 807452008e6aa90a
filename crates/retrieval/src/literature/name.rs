//! The sources of this crate, by name.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arxiv, Core, Crossref, EuropePmc, OpenAlex, Politeness, Pubmed, SemanticScholar};
use crate::RetrievalError;

/// For how long the answers of most sources are remembered.
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// A source of literature of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SourceName {
    /// OpenAlex, a catalogue of works of all fields.
    OpenAlex,
    /// arXiv, a server of preprints.
    Arxiv,
    /// Crossref, the registry of DOIs.
    Crossref,
    /// PubMed, the catalogue of medicine and biology.
    Pubmed,
    /// Semantic Scholar, a catalogue of works of all fields.
    SemanticScholar,
    /// CORE, a catalogue of open copies in repositories.
    Core,
    /// Europe PMC, medicine and biology with open full texts.
    EuropePmc,
}

impl SourceName {
    /// All sources, in the order in which they are asked and reported on.
    pub const ALL: [Self; 7] =
        [Self::OpenAlex, Self::Arxiv, Self::Crossref, Self::Pubmed, Self::SemanticScholar, Self::Core, Self::EuropePmc];

    /// The name in lower case, as it is written after `--search`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAlex => OpenAlex::NAME,
            Self::Arxiv => Arxiv::NAME,
            Self::Crossref => Crossref::NAME,
            Self::Pubmed => Pubmed::NAME,
            Self::SemanticScholar => SemanticScholar::NAME,
            Self::Core => Core::NAME,
            Self::EuropePmc => EuropePmc::NAME,
        }
    }

    /// The host that the source serves.
    #[must_use]
    pub const fn address(self) -> &'static str {
        match self {
            Self::OpenAlex => OpenAlex::ADDRESS,
            Self::Arxiv => Arxiv::ADDRESS,
            Self::Crossref => Crossref::ADDRESS,
            Self::Pubmed => Pubmed::ADDRESS,
            Self::SemanticScholar => SemanticScholar::ADDRESS,
            Self::Core => Core::ADDRESS,
            Self::EuropePmc => EuropePmc::ADDRESS,
        }
    }

    /// The variable that holds a key, where the source takes one. With `_FILE` at its end it names a file that holds it.
    #[must_use]
    pub const fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAlex => Some("OPENALEX_API_KEY"),
            Self::Pubmed => Some("NCBI_API_KEY"),
            Self::SemanticScholar => Some("SEMANTIC_SCHOLAR_API_KEY"),
            Self::Core => Some("CORE_API_KEY"),
            Self::Arxiv | Self::Crossref | Self::EuropePmc => None,
        }
    }

    /// The manners that the source asks for.
    #[must_use]
    pub fn politeness(self, has_contact: bool, has_key: bool) -> Politeness {
        let paced = |milliseconds, at_once| Politeness::paced(Duration::from_millis(milliseconds), at_once);
        match self {
            // It allows far more in a second, but counts what a day's questions cost.
            Self::OpenAlex => paced(100, 4).remembering(WEEK),
            // Its terms of use: one request in three seconds, one connection at a time; its results change once a day. A
            // request may be longer under way than the next, so a tenth of a second more keeps the distance at the server.
            Self::Arxiv => paced(3_100, 1),
            // Its limits for lists since December 2025.
            Self::Crossref if has_contact => paced(334, 3).remembering(WEEK),
            Self::Crossref => paced(1_000, 1).remembering(WEEK),
            // Three requests in a second, with a key ten.
            Self::Pubmed if has_key => paced(110, 3).remembering(WEEK),
            Self::Pubmed => paced(340, 2).remembering(WEEK),
            // One request in a second with a key; without one everybody shares a pool.
            Self::SemanticScholar => paced(1_100, 1).remembering(WEEK),
            // Five requests in ten seconds. It is often slow, so it is left alone early.
            Self::Core => {
                let mut politeness = paced(2_100, 1).remembering(WEEK).trying(2);
                politeness.longest_answer = Duration::from_secs(20);
                politeness
            }
            // No limit is published.
            Self::EuropePmc => paced(500, 1).remembering(WEEK),
        }
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SourceName {
    type Err = RetrievalError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|source| source.as_str().eq_ignore_ascii_case(name.trim()));
        found.ok_or_else(|| RetrievalError::NoSuchSource { name: name.to_owned() })
    }
}
