//! OpenAlex, arXiv and Crossref.

use std::time::Duration;

use async_trait::async_trait;
use graphloom_retrieval::RetrievalError;
use graphloom_retrieval::literature::{Literature, LiteratureOptions, Query, SourceOptions};
use serde::{Deserialize, Serialize};

use super::{Fault, Findings, Research, SourceReport, SourceStatus};

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
    /// One address of one's own for all three, asked without pauses, such as `http://127.0.0.1:8080`: a mirror or a
    /// server of a test. See [`LiteratureOptions::all_at`].
    pub address: Option<String>,
    /// OpenAlex.
    pub openalex: SourceConfig,
    /// arXiv.
    pub arxiv: SourceConfig,
    /// Crossref.
    pub crossref: SourceConfig,
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
        }
    }
}

/// OpenAlex, arXiv and Crossref, or some of them. The words of a query are compiled into each source's syntax by code.
#[derive(Clone, Debug)]
pub struct LiteratureResearch {
    literature: Literature,
    since: Option<u16>,
    until: Option<u16>,
    withheld: Option<String>,
}

impl LiteratureResearch {
    /// The sources of these names (`openalex`, `arxiv`, `crossref`); `variable` reads the environment for the key that
    /// OpenAlex gives, and for the hosts that it is for. Nothing is asked yet.
    ///
    /// # Errors
    /// A contact that is no e-mail address, an address that is not of the web or to which a key would go in the open, and a
    /// system without certificates.
    pub fn open(
        config: &LiteratureConfig,
        sources: &[&str],
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, RetrievalError> {
        let mut options = LiteratureOptions::default().agent(concat!("pocketflow/", env!("CARGO_PKG_VERSION")));
        if let Some(contact) = &config.contact {
            options = options.contact(contact)?;
        }
        options = options.key_from(variable)?;
        options.deadline = Duration::from_secs(config.deadline_seconds);
        if let Some(address) = &config.address {
            options = options.all_at(address);
        }
        let set = |place: &mut SourceOptions, config: &SourceConfig, name: &str| {
            place.off = !sources.contains(&name);
            if config.address.is_some() {
                place.address.clone_from(&config.address);
            }
        };
        set(&mut options.openalex, &config.openalex, "openalex");
        set(&mut options.arxiv, &config.arxiv, "arxiv");
        set(&mut options.crossref, &config.crossref, "crossref");
        let withheld = options.withheld()?;
        Ok(Self { literature: Literature::open(options)?, since: config.since, until: config.until, withheld })
    }

    /// Sources of one's own, such as recorded ones.
    pub fn of(literature: Literature) -> Self {
        Self { literature, since: None, until: None, withheld: None }
    }

    /// Why a key is not sent, when there is one that is for another host.
    pub fn withheld(&self) -> Option<&str> {
        self.withheld.as_deref()
    }
}

#[async_trait]
impl Research for LiteratureResearch {
    async fn search(&self, query: &str, limit: usize) -> Findings {
        let Ok(mut question) = Query::parse(query) else {
            let mut findings = Findings::default();
            let report = |name: &&str| SourceReport::new(*name, query, SourceStatus::Failed { fault: Fault::NoWords });
            findings.reports = self.literature.sources().iter().map(report).collect();
            return findings;
        };
        if let Some(year) = self.since {
            question = question.since(year);
        }
        if let Some(year) = self.until {
            question = question.until(year);
        }
        self.literature.ask(&question.limit(u32::try_from(limit).unwrap_or(u32::MAX))).await
    }
}
