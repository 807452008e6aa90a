//! From names of engines to what the network is searched with.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::full_text::{FullTexts, Unpaywall};
use crate::literature::{Literature, LiteratureOptions, SourceName};
use crate::web::{EngineName, PageOptions, Pages, SearchRate, Web, WebOptions};
use crate::{CombinedSearch, RetrievalError, Search};

/// The variable of the contact.
const CONTACT: &str = "GRAPHLOOM_CONTACT";

/// How the engines of the network are asked, whichever of them are used.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NetworkOptions {
    /// The engines of the web.
    pub web: WebOptions,
    /// How the pages that they name are read; not at all when there is nothing.
    pub pages: Option<PageOptions>,
    /// The sources of literature; which of them are off is decided by [`open`](Self::open).
    pub literature: LiteratureOptions,
    /// Whether open full texts of works are read, as `pages` says.
    pub full_texts: bool,
    /// The program that reads pages and full texts that are PDF, in a process of its own, as
    /// [`CorpusOptions::reader`](crate::CorpusOptions::reader); without it they are refused.
    pub reader: Option<PathBuf>,
    /// Only works of this year or later.
    pub since: Option<u16>,
    /// Only works of this year or earlier.
    pub until: Option<u16>,
}

impl NetworkOptions {
    /// Keys and addresses of the environment, which `variable` reads; pages are read. `GRAPHLOOM_CONTACT` is the e-mail
    /// address at which hosts reach who runs the program.
    ///
    /// # Errors
    /// A key file that cannot be read, a host that is none, and a contact that is no e-mail address.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, RetrievalError> {
        let mut web = WebOptions::from_environment(&variable)?;
        let mut literature = LiteratureOptions::default().keys_from(&variable)?;
        if let Some(contact) = variable(CONTACT).filter(|contact| !contact.trim().is_empty()) {
            literature = literature.contact(&contact)?;
            web.contact.clone_from(&literature.contact);
        }
        Ok(Self { web, pages: Some(PageOptions::default()), literature, ..Self::default() })
    }

    /// Opens the engines of these names, of the web ([`EngineName`]) and of the literature ([`SourceName`]). Nothing is
    /// asked yet.
    ///
    /// # Errors
    /// [`RetrievalError::NoSuchEngine`], and what an engine lacks: a key, an address, a system with certificates.
    pub fn open(&self, names: &[&str]) -> Result<Network, RetrievalError> {
        let mut network = Network::default();
        let (mut engines, mut sources) = (Vec::new(), Vec::new());
        for name in names {
            match name.parse::<SourceName>() {
                Ok(source) => sources.push(source),
                Err(_) => engines.push(name.parse::<EngineName>()?),
            }
        }
        if !engines.is_empty() {
            network.withheld.extend(self.web.withheld(&engines)?);
            let mut web = Web::open(&engines, &self.web)?.rate(SearchRate::new(self.web.per_second));
            if let Some(pages) = &self.pages {
                web = web.with_pages(self.reading(pages.clone())?);
            }
            network.web = Some(web);
        }
        if !sources.is_empty() {
            let options = self.literature.clone().only(&sources);
            network.withheld.extend(options.withheld()?);
            let contact = options.contact.clone();
            let agent = options.agent.clone();
            let mut literature = Literature::open(options)?.years(self.since, self.until);
            if self.full_texts {
                let mut texts = FullTexts::new(self.reading(self.pages.clone().unwrap_or_default())?);
                if let Some(contact) = contact {
                    texts = match Unpaywall::open(Unpaywall::ADDRESS, &agent, contact) {
                        Ok(unpaywall) => texts.with_unpaywall(unpaywall),
                        // What is on this machine is searched all the same.
                        Err(RetrievalError::Offline { .. }) => texts,
                        Err(error) => return Err(error),
                    };
                }
                literature = literature.with_full_texts(texts);
            }
            network.literature = Some(literature);
        }
        Ok(network)
    }

    /// Pages, PDF among them where a program reads it apart.
    fn reading(&self, options: PageOptions) -> Result<Pages, RetrievalError> {
        let pages = Pages::new(options)?;
        #[cfg(feature = "pdf")]
        if let Some(program) = &self.reader {
            return Ok(pages.with_pdf(Arc::new(crate::web::PdfFiles::new(Some(program.clone())))));
        }
        Ok(pages)
    }
}

/// The opened engines of the network.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Network {
    /// The engines of the web; none when none was named.
    pub web: Option<Web>,
    /// The sources of literature; none when none was named.
    pub literature: Option<Literature>,
    /// Which keys are not sent, and why.
    pub withheld: Vec<String>,
}

impl Network {
    /// Web and literature as one; nothing when nothing was named.
    #[must_use]
    pub fn search(&self) -> Option<Arc<dyn Search>> {
        let web = self.web.clone().map(|web| Arc::new(web) as Arc<dyn Search>);
        let literature = self.literature.clone().map(|literature| Arc::new(literature) as Arc<dyn Search>);
        CombinedSearch::of(web.into_iter().chain(literature))
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("web", &self.web)
            .field("literature", &self.literature)
            .field("withheld", &self.withheld)
            .finish()
    }
}
