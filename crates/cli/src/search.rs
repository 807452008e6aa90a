//! Where an application searches: the one list of engines, and what `--search` means in every program.

use std::fmt;

use clap::ValueEnum;
use graphloom_retrieval::literature::SourceName;
use graphloom_retrieval::web::EngineName;

use crate::{CliError, SourceArgs};

/// Where an application searches.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchEngine {
    /// The folders given with `--corpus`
    Local,
    /// OpenAlex, a catalogue of scholarly works
    Openalex,
    /// arXiv, a server of preprints
    Arxiv,
    /// Crossref, the registry of DOIs
    Crossref,
    /// PubMed, the catalogue of medicine and biology
    Pubmed,
    /// Semantic Scholar, a catalogue of scholarly works
    #[value(name = "semanticscholar", alias = "semantic-scholar")]
    SemanticScholar,
    /// CORE, open copies of scholarly works in repositories
    Core,
    /// Europe PMC, medicine and biology with open full texts
    #[value(name = "europepmc", alias = "europe-pmc")]
    EuropePmc,
    /// Tavily, a search engine for models
    Tavily,
    /// Google, through Serper
    #[value(alias = "serper")]
    Google,
    /// Brave Search
    Brave,
    /// Exa, which searches by meaning
    Exa,
    /// An instance of SearXNG
    Searxng,
    /// Wikipedia
    Wikipedia,
    /// The resources of the MCP servers of `--mcp-config`
    Mcp,
    /// Nowhere
    None,
}

/// What an engine is for those who ask it.
enum Kind {
    Web(EngineName),
    Literature(SourceName),
    /// Not on the network.
    Here(&'static str),
}

impl SearchEngine {
    fn kind(self) -> Kind {
        match self {
            Self::Local => Kind::Here("local"),
            Self::Mcp => Kind::Here("mcp"),
            Self::None => Kind::Here("none"),
            Self::Openalex => Kind::Literature(SourceName::OpenAlex),
            Self::Arxiv => Kind::Literature(SourceName::Arxiv),
            Self::Crossref => Kind::Literature(SourceName::Crossref),
            Self::Pubmed => Kind::Literature(SourceName::Pubmed),
            Self::SemanticScholar => Kind::Literature(SourceName::SemanticScholar),
            Self::Core => Kind::Literature(SourceName::Core),
            Self::EuropePmc => Kind::Literature(SourceName::EuropePmc),
            Self::Tavily => Kind::Web(EngineName::Tavily),
            Self::Google => Kind::Web(EngineName::Google),
            Self::Brave => Kind::Web(EngineName::Brave),
            Self::Exa => Kind::Web(EngineName::Exa),
            Self::Searxng => Kind::Web(EngineName::Searxng),
            Self::Wikipedia => Kind::Web(EngineName::Wikipedia),
        }
    }

    /// The engine as it is written after `--search`.
    pub fn name(self) -> &'static str {
        match self.kind() {
            Kind::Web(engine) => engine.as_str(),
            Kind::Literature(source) => source.as_str(),
            Kind::Here(name) => name,
        }
    }

    /// Whether questions to it leave this machine, or may.
    pub fn is_network(self) -> bool {
        !matches!(self.kind(), Kind::Here(_))
    }

    /// Whether it finds works of research.
    pub fn is_literature(self) -> bool {
        matches!(self.kind(), Kind::Literature(_))
    }

    /// Engines by their names, as a stored run has them; unknown ones are left out.
    pub fn named(names: &[String]) -> Vec<Self> {
        names.iter().filter_map(|name| Self::from_str(name, true).ok()).collect()
    }

    /// The variable that sets it up: that of its key, or that of the address of an instance. None for an engine that needs
    /// neither.
    pub fn variable(self) -> Option<String> {
        match self.kind() {
            Kind::Web(EngineName::Wikipedia) => None,
            Kind::Web(EngineName::Searxng) => Some(EngineName::Searxng.address_variable()),
            Kind::Web(engine) => Some(engine.key_variable()),
            Kind::Literature(source) => source.key_variable().map(str::to_owned),
            Kind::Here(_) => None,
        }
    }

    /// Whether the environment has what is set for this engine alone: a key, a file with a key, or the address of an
    /// instance. An engine that needs none of them is never set up.
    pub fn is_set_up(self) -> bool {
        let is_set = |name: &str| std::env::var(name).is_ok_and(|value| !value.trim().is_empty());
        self.variable().is_some_and(|name| is_set(&name) || is_set(&format!("{name}_FILE")))
    }
}

impl fmt::Display for SearchEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl SourceArgs {
    /// The engines to search, each once. None without `--search` means:
    /// the corpus when there is one, else the engines that have a key, else nothing. An engine of the network that needs
    /// no key is used only when it is named, so that nobody's topic leaves the machine unasked.
    ///
    /// # Errors
    /// [`CliError::Usage`]: `local` without a corpus, `none` with others.
    pub fn engines(&self) -> Result<Vec<SearchEngine>, CliError> {
        self.engines_or(&[])
    }

    /// The same for a program whose parameters name engines of the network: without `--search`, those stand beside the
    /// corpus, and in place of the engines that have a key.
    ///
    /// # Errors
    /// As [`engines`](Self::engines).
    pub fn engines_or(&self, configured: &[SearchEngine]) -> Result<Vec<SearchEngine>, CliError> {
        if self.search.is_empty() {
            let local = (!self.corpus.is_empty()).then_some(SearchEngine::Local);
            let network: Vec<SearchEngine> = match configured {
                [] if local.is_some() => Vec::new(),
                [] => SearchEngine::value_variants().iter().copied().filter(|engine| engine.is_set_up()).collect(),
                named => named.to_vec(),
            };
            return Ok(local.into_iter().chain(network).collect());
        }
        let mut engines: Vec<SearchEngine> = Vec::new();
        for engine in &self.search {
            if !engines.contains(engine) {
                engines.push(*engine);
            }
        }
        if engines.contains(&SearchEngine::None) {
            return match engines.as_slice() {
                [_] => Ok(Vec::new()),
                _ => Err(CliError::usage("`--search none` stands alone; leave out `none`, or the others")),
            };
        }
        if engines.contains(&SearchEngine::Local) && self.corpus.is_empty() {
            return Err(CliError::usage("`--search local` needs `--corpus DIR`"));
        }
        Ok(engines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SearchEngine::{Arxiv, Crossref, Local, None as Nowhere};

    #[test]
    fn every_engine_of_the_crate_below_can_be_named() {
        let named: Vec<&str> = SearchEngine::value_variants().iter().map(|engine| engine.name()).collect();
        let web = EngineName::ALL.iter().map(|engine| engine.as_str());
        let missing: Vec<&str> = web
            .chain(SourceName::ALL.iter().map(|source| source.as_str()))
            .filter(|name| !named.contains(name))
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
        for engine in SearchEngine::value_variants() {
            assert_eq!(SearchEngine::from_str(engine.name(), false), Ok(*engine), "its name is what is written");
        }
    }

    #[test]
    fn engines_that_parameters_name_stand_beside_the_corpus() {
        let of = |search: &[SearchEngine], corpus: bool| {
            let corpus = if corpus { vec!["docs".into()] } else { Vec::new() };
            SourceArgs { search: search.to_vec(), corpus, ..SourceArgs::default() }.engines_or(&[Crossref]).unwrap()
        };
        assert_eq!(of(&[], true), [Local, Crossref]);
        assert_eq!(of(&[], false), [Crossref]);
        assert_eq!(of(&[Arxiv], true), [Arxiv], "what is written counts before");
        assert_eq!(of(&[Nowhere], true), []);
    }

    #[test]
    fn engines_by_what_was_said() {
        for (search, corpus, expected) in [
            (&[][..], true, Ok(&[Local][..])),
            (&[Nowhere], true, Ok(&[])),
            (&[Arxiv, Local, Arxiv], true, Ok(&[Arxiv, Local])),
            (&[Crossref], true, Ok(&[Crossref])),
            (&[Local], false, Err("needs `--corpus DIR`")),
            (&[Nowhere, Arxiv], false, Err("stands alone")),
        ] {
            let corpus = if corpus { vec!["docs".into()] } else { Vec::new() };
            let args = SourceArgs { search: search.to_vec(), corpus, ..SourceArgs::default() };
            match (args.engines(), expected) {
                (Ok(engines), Ok(expected)) => assert_eq!(engines, expected),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (got, wanted) => panic!("{search:?}: {got:?} instead of {wanted:?}"),
            }
        }
    }
}
