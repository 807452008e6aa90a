//! How the sources of literature are asked.

use std::time::Duration;

use graphloom_retrieval::literature::SourceName;
use graphloom_retrieval::{NetworkOptions, RetrievalError};
use serde::{Deserialize, Serialize};

/// How the sources of the network are asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LiteratureConfig {
    /// The e-mail address at which the sources reach who runs the program. Without it Crossref answers more slowly.
    pub contact: Option<String>,
    /// Only works of this year or later.
    pub since: Option<u16>,
    /// Only works of this year or earlier.
    pub until: Option<u16>,
    /// The longest wait in seconds for one source and one query, with all tries and pauses.
    pub deadline_seconds: u64,
    /// One address of one's own for all of them, asked without pauses, such as `http://127.0.0.1:8080`: a mirror or a
    /// server of a test. See [`all_at`](graphloom_retrieval::literature::LiteratureOptions::all_at).
    pub address: Option<String>,
    /// OpenAlex.
    pub openalex: SourceConfig,
    /// arXiv.
    pub arxiv: SourceConfig,
    /// Crossref.
    pub crossref: SourceConfig,
    /// PubMed.
    pub pubmed: SourceConfig,
    /// Semantic Scholar.
    pub semanticscholar: SourceConfig,
    /// CORE.
    pub core: SourceConfig,
    /// Europe PMC.
    pub europepmc: SourceConfig,
}

/// One source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SourceConfig {
    /// Another address than the source's own, asked as politely.
    pub address: Option<String>,
}

impl Default for LiteratureConfig {
    fn default() -> Self {
        Self {
            contact: None,
            since: None,
            until: None,
            deadline_seconds: 120,
            address: None,
            openalex: SourceConfig::default(),
            arxiv: SourceConfig::default(),
            crossref: SourceConfig::default(),
            pubmed: SourceConfig::default(),
            semanticscholar: SourceConfig::default(),
            core: SourceConfig::default(),
            europepmc: SourceConfig::default(),
        }
    }
}

impl LiteratureConfig {
    /// How the network is asked with these parameters; `variable` reads the environment for keys, and for the hosts that
    /// they are for.
    ///
    /// # Errors
    /// A contact that is no e-mail address, and a key file that cannot be read.
    pub fn network(&self, variable: impl Fn(&str) -> Option<String>) -> Result<NetworkOptions, RetrievalError> {
        let mut network = NetworkOptions::from_environment(variable)?;
        let agent = concat!("pocketflow/", env!("CARGO_PKG_VERSION"));
        let mut options = network.literature.agent(agent);
        if let Some(contact) = &self.contact {
            options = options.contact(contact)?;
            network.web.contact.clone_from(&options.contact);
        }
        options.deadline = Duration::from_secs(self.deadline_seconds);
        if let Some(address) = &self.address {
            options = options.all_at(address);
        }
        for name in SourceName::ALL {
            let config = match name {
                SourceName::OpenAlex => &self.openalex,
                SourceName::Arxiv => &self.arxiv,
                SourceName::Crossref => &self.crossref,
                SourceName::Pubmed => &self.pubmed,
                SourceName::SemanticScholar => &self.semanticscholar,
                SourceName::Core => &self.core,
                SourceName::EuropePmc => &self.europepmc,
                _ => continue,
            };
            if config.address.is_some() {
                options.source_mut(name).address.clone_from(&config.address);
            }
        }
        network.literature = options;
        (network.since, network.until) = (self.since, self.until);
        Ok(network)
    }
}
