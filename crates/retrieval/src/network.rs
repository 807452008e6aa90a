//! From names of engines to what the network is searched with.

use std::fmt;
use std::sync::Arc;

use crate::literature::{Arxiv, Crossref, Literature, LiteratureOptions, OpenAlex};
use crate::web::{EngineName, PageOptions, Pages, SearchRate, Web, WebOptions};
use crate::{CombinedSearch, RetrievalError, Search};

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
    /// Only works of this year or later.
    pub since: Option<u16>,
    /// Only works of this year or earlier.
    pub until: Option<u16>,
}

impl NetworkOptions {
    /// Keys and addresses of the environment, which `variable` reads; pages are read.
    ///
    /// # Errors
    /// A key file that cannot be read, and a host that is none.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, RetrievalError> {
        Ok(Self {
            web: WebOptions::from_environment(&variable)?,
            pages: Some(PageOptions::default()),
            literature: LiteratureOptions::default().key_from(&variable)?,
            ..Self::default()
        })
    }

    /// Opens the engines of these names, of the web (`tavily`, `google`, `searxng`, `wikipedia`) and of the literature
    /// (`openalex`, `arxiv`, `crossref`). Nothing is asked yet.
    ///
    /// # Errors
    /// [`RetrievalError::NoSuchEngine`], and what an engine lacks: a key, an address, a system with certificates.
    pub fn open(&self, names: &[&str]) -> Result<Network, RetrievalError> {
        let mut network = Network::default();
        let is_literature = |name: &&&str| [OpenAlex::NAME, Arxiv::NAME, Crossref::NAME].contains(*name);
        let sources: Vec<&str> = names.iter().filter(is_literature).copied().collect();
        let engines = names.iter().filter(|name| !is_literature(name));
        let engines = engines.map(|name| name.parse()).collect::<Result<Vec<EngineName>, _>>()?;
        if !engines.is_empty() {
            network.withheld.extend(self.web.withheld(&engines)?);
            let mut web = Web::open(&engines, &self.web)?.rate(SearchRate::new(self.web.per_second));
            if let Some(pages) = &self.pages {
                web = web.with_pages(Pages::new(pages.clone())?);
            }
            network.web = Some(web);
        }
        if !sources.is_empty() {
            let mut options = self.literature.clone();
            options.openalex.off = !sources.contains(&OpenAlex::NAME);
            options.arxiv.off = !sources.contains(&Arxiv::NAME);
            options.crossref.off = !sources.contains(&Crossref::NAME);
            network.withheld.extend(options.withheld()?);
            network.literature = Some(Literature::open(options)?.years(self.since, self.until));
        }
        Ok(network)
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
