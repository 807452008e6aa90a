//! Which sources are asked, where, and how.

use std::time::Duration;

use reqwest::Url;

use super::{Arxiv, Contact, Crossref, HostKey, HostKeyUse, OpenAlex, Politeness};
use crate::RetrievalError;

/// The variable of the key that OpenAlex gives.
const OPENALEX_KEY: &str = "OPENALEX_API_KEY";

/// One source: where it is, and with which manners it is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceOptions {
    /// Another address than the host that the source serves, such as a mirror.
    pub address: Option<String>,
    /// Other manners than the source asks for.
    pub politeness: Option<Politeness>,
    /// Whether the source is left out.
    pub off: bool,
}

impl SourceOptions {
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
    /// The key that OpenAlex gives, and the hosts that it is for; without it a day's budget is small.
    pub openalex_key: Option<HostKey>,
    /// OpenAlex.
    pub openalex: SourceOptions,
    /// arXiv.
    pub arxiv: SourceOptions,
    /// Crossref.
    pub crossref: SourceOptions,
    /// The longest wait for one source and one question, with all tries and pauses; 120 s unless set.
    pub deadline: Duration,
}

impl Default for LiteratureOptions {
    fn default() -> Self {
        Self {
            contact: None,
            agent: concat!("graphloom/", env!("CARGO_PKG_VERSION")).to_owned(),
            openalex_key: None,
            openalex: SourceOptions::default(),
            arxiv: SourceOptions::default(),
            crossref: SourceOptions::default(),
            deadline: Duration::from_secs(120),
        }
    }
}

impl LiteratureOptions {
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

    /// Uses a key for the host that OpenAlex has, and for no other. An empty one changes nothing.
    #[must_use]
    pub fn openalex_key(mut self, key: &str) -> Self {
        self.openalex_key = HostKey::new(key, OPENALEX_KEY).or(self.openalex_key);
        self
    }

    /// Names the hosts that the key is for, as [`HostKey::for_hosts`] reads them.
    ///
    /// # Errors
    /// [`RetrievalError::KeyHost`] for what is no host.
    pub fn openalex_key_for(mut self, hosts: &str) -> Result<Self, RetrievalError> {
        self.openalex_key = self.openalex_key.map(|key| key.for_hosts(hosts)).transpose()?;
        Ok(self)
    }

    /// The key of the variable `OPENALEX_API_KEY`, for the hosts of `OPENALEX_API_KEY_FOR` where that is set.
    ///
    /// # Errors
    /// [`RetrievalError::KeyHost`] for what is no host.
    pub fn key_from(self, variable: impl Fn(&str) -> Option<String>) -> Result<Self, RetrievalError> {
        let hosts = variable(&format!("{OPENALEX_KEY}_FOR")).unwrap_or_default();
        self.openalex_key(&variable(OPENALEX_KEY).unwrap_or_default()).openalex_key_for(&hosts)
    }

    /// Why a key is not sent, when there is one that is not for the address of OpenAlex.
    ///
    /// # Errors
    /// [`RetrievalError::SourceAddress`]; [`RetrievalError::OpenKey`].
    pub fn withheld(&self) -> Result<Option<String>, RetrievalError> {
        Ok(match self.key_use()? {
            Some(HostKeyUse::Withheld(why)) => Some(format!("the key of `{OPENALEX_KEY}` is not sent: {why}")),
            Some(HostKeyUse::Sent(_)) | None => None,
        })
    }

    /// What becomes of the key at the address of OpenAlex; none when there is no key, or OpenAlex is left out.
    pub(super) fn key_use(&self) -> Result<Option<HostKeyUse>, RetrievalError> {
        let Some(key) = self.openalex_key.as_ref().filter(|_| !self.openalex.off) else { return Ok(None) };
        let address = self.openalex.url(OpenAlex::NAME, OpenAlex::ADDRESS)?;
        key.at(&address, OpenAlex::ADDRESS).map(Some)
    }

    /// All sources at one address of one's own, without pauses: for tests on this machine. OpenAlex is asked at
    /// `/openalex/works`, Crossref at `/crossref/works`, arXiv at `/arxiv/api/query`.
    #[must_use]
    pub fn all_at(mut self, address: &str) -> Self {
        let base = address.trim_end_matches('/');
        let sources = [
            (&mut self.openalex, OpenAlex::NAME),
            (&mut self.arxiv, Arxiv::NAME),
            (&mut self.crossref, Crossref::NAME),
        ];
        for (source, name) in sources {
            source.address = Some(format!("{base}/{name}"));
            source.politeness = Some(Politeness::none());
        }
        self
    }
}
