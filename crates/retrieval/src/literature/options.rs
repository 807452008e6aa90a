//! Which sources are asked, where, and how.

use std::time::Duration;

use reqwest::Url;

use super::{ApiKey, Contact, HostKey, HostKeyUse, Politeness, SourceName};
use crate::RetrievalError;

/// One source: where it is, and with which manners it is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceOptions {
    /// Another address than the host that the source serves, such as a mirror.
    pub address: Option<String>,
    /// Other manners than the source asks for.
    pub politeness: Option<Politeness>,
    /// A key that the source gives, and the hosts that it is for.
    pub key: Option<HostKey>,
    /// Whether the source is left out.
    pub off: bool,
}

impl SourceOptions {
    fn off() -> Self {
        Self { off: true, ..Self::default() }
    }

    pub(crate) fn url(&self, name: &str, usual: &str) -> Result<Url, RetrievalError> {
        let given = self.address.as_deref().unwrap_or(usual);
        let refused = |reason: &str| RetrievalError::SourceAddress {
            name: name.to_owned(),
            given: given.to_owned(),
            reason: reason.to_owned(),
        };
        let url = Url::parse(given).map_err(|error| refused(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(refused("it is not of the web"));
        }
        Ok(url)
    }
}

/// What [`Literature::open`](super::Literature::open) needs to know.
///
/// ```
/// use graphloom_retrieval::literature::{LiteratureOptions, Politeness};
///
/// # fn main() -> Result<(), graphloom_retrieval::RetrievalError> {
/// let mut options = LiteratureOptions::default().contact("me@example.org")?.agent("reader/0.1");
/// options.crossref.off = true;
/// options.pubmed.off = false;
/// options.arxiv.address = Some("http://127.0.0.1:8080".into());
/// options.arxiv.politeness = Some(Politeness::none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiteratureOptions {
    /// Who runs the program. Without it Crossref answers more slowly.
    pub contact: Option<Contact>,
    /// The program, as the sources see it; `graphloom/VERSION` unless set.
    pub agent: String,
    /// OpenAlex. With a key a day's budget is larger.
    pub openalex: SourceOptions,
    /// arXiv.
    pub arxiv: SourceOptions,
    /// Crossref.
    pub crossref: SourceOptions,
    /// PubMed, off unless set. With a key it answers faster.
    pub pubmed: SourceOptions,
    /// Semantic Scholar, off unless set. Without a key it seldom answers.
    pub semantic_scholar: SourceOptions,
    /// CORE, off unless set.
    pub core: SourceOptions,
    /// Europe PMC, off unless set.
    pub europe_pmc: SourceOptions,
    /// The longest wait for one source and one question, with all tries and pauses; 120 s unless set.
    pub deadline: Duration,
}

impl Default for LiteratureOptions {
    fn default() -> Self {
        Self {
            contact: None,
            agent: concat!("graphloom/", env!("CARGO_PKG_VERSION")).to_owned(),
            openalex: SourceOptions::default(),
            arxiv: SourceOptions::default(),
            crossref: SourceOptions::default(),
            pubmed: SourceOptions::off(),
            semantic_scholar: SourceOptions::off(),
            core: SourceOptions::off(),
            europe_pmc: SourceOptions::off(),
            deadline: Duration::from_secs(120),
        }
    }
}

impl LiteratureOptions {
    /// The options of one source.
    #[must_use]
    pub fn source(&self, name: SourceName) -> &SourceOptions {
        match name {
            SourceName::OpenAlex => &self.openalex,
            SourceName::Arxiv => &self.arxiv,
            SourceName::Crossref => &self.crossref,
            SourceName::Pubmed => &self.pubmed,
            SourceName::SemanticScholar => &self.semantic_scholar,
            SourceName::Core => &self.core,
            SourceName::EuropePmc => &self.europe_pmc,
        }
    }

    /// The options of one source, to be changed.
    pub fn source_mut(&mut self, name: SourceName) -> &mut SourceOptions {
        match name {
            SourceName::OpenAlex => &mut self.openalex,
            SourceName::Arxiv => &mut self.arxiv,
            SourceName::Crossref => &mut self.crossref,
            SourceName::Pubmed => &mut self.pubmed,
            SourceName::SemanticScholar => &mut self.semantic_scholar,
            SourceName::Core => &mut self.core,
            SourceName::EuropePmc => &mut self.europe_pmc,
        }
    }

    /// Asks these sources and no others.
    #[must_use]
    pub fn only(mut self, names: &[SourceName]) -> Self {
        for name in SourceName::ALL {
            self.source_mut(name).off = !names.contains(&name);
        }
        self
    }

    /// Says who runs the program.
    ///
    /// # Errors
    /// [`RetrievalError::NoContact`] when `address` is no e-mail address.
    pub fn contact(mut self, address: &str) -> Result<Self, RetrievalError> {
        self.contact = Some(Contact::parse(address)?);
        Ok(self)
    }

    /// Names the program; characters that a header cannot hold are left out.
    #[must_use]
    pub fn agent(mut self, agent: &str) -> Self {
        self.agent = agent.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').collect();
        self
    }

    /// Uses a key for the host that a source has, and for no other. An empty one, and one for a source that takes none,
    /// change nothing.
    #[must_use]
    pub fn key(mut self, name: SourceName, key: &str) -> Self {
        if let Some(variable) = name.key_variable() {
            let place = &mut self.source_mut(name).key;
            *place = HostKey::new(key, variable).or(place.take());
        }
        self
    }

    /// Names the hosts that the key of a source is for, as [`HostKey::for_hosts`] reads them.
    ///
    /// # Errors
    /// [`RetrievalError::KeyHost`] for what is no host.
    pub fn key_for(mut self, name: SourceName, hosts: &str) -> Result<Self, RetrievalError> {
        let place = &mut self.source_mut(name).key;
        *place = place.take().map(|key| key.for_hosts(hosts)).transpose()?;
        Ok(self)
    }

    /// The keys of the environment, which `variable` reads: for each source [`SourceName::key_variable`], or the file that
    /// the variable with `_FILE` at its end names, for the hosts of the variable with `_FOR` at its end where that is set.
    ///
    /// # Errors
    /// [`RetrievalError::KeyFile`] when a key file cannot be read; [`RetrievalError::KeyHost`] for what is no host.
    pub fn keys_from(mut self, variable: impl Fn(&str) -> Option<String>) -> Result<Self, RetrievalError> {
        for name in SourceName::ALL {
            let Some(of) = name.key_variable() else { continue };
            if let Some(key) = HostKey::from_environment(of, None, &variable)? {
                self.source_mut(name).key = Some(key);
            }
        }
        Ok(self)
    }

    /// Which keys of the sources that are asked are not sent, and why: they are not for the address that the source is
    /// asked at.
    ///
    /// # Errors
    /// [`RetrievalError::SourceAddress`]; [`RetrievalError::OpenKey`].
    pub fn withheld(&self) -> Result<Vec<String>, RetrievalError> {
        let mut told = Vec::new();
        for name in SourceName::ALL {
            if let Some(HostKeyUse::Withheld(why)) = self.key_use(name)? {
                told.push(format!("the key of `{}` is not sent: {why}", name.key_variable().unwrap_or_default()));
            }
        }
        Ok(told)
    }

    /// The address of a source, and the key that is sent there.
    pub(super) fn place(&self, name: SourceName) -> Result<(Url, Option<ApiKey>), RetrievalError> {
        let address = self.source(name).url(name.as_str(), name.address())?;
        let key = match self.key_use(name)? {
            Some(HostKeyUse::Sent(key)) => Some(key),
            Some(HostKeyUse::Withheld(_)) | None => None,
        };
        Ok((address, key))
    }

    /// What becomes of the key of a source; none when there is no key, or the source is left out.
    fn key_use(&self, name: SourceName) -> Result<Option<HostKeyUse>, RetrievalError> {
        let source = self.source(name);
        let Some(key) = source.key.as_ref().filter(|_| !source.off) else { return Ok(None) };
        key.at(&source.url(name.as_str(), name.address())?, name.address()).map(Some)
    }

    /// All sources at one address of one's own, without pauses: for tests on this machine. Each is asked at its name and
    /// the path of its interface, as OpenAlex at `/openalex/works` and arXiv at `/arxiv/api/query`.
    #[must_use]
    pub fn all_at(mut self, address: &str) -> Self {
        let base = address.trim_end_matches('/');
        for name in SourceName::ALL {
            let source = self.source_mut(name);
            source.address = Some(format!("{base}/{name}"));
            source.politeness = Some(Politeness::none());
        }
        self
    }
}
