//! Where an application searches.

use std::fmt;

use clap::ValueEnum;

use crate::{CliError, SourceArgs};

/// The variable of the key that OpenAlex gives.
pub const OPENALEX_KEY: &str = "OPENALEX_API_KEY";

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
    /// Tavily, a search engine for models
    Tavily,
    /// Google, through Serper
    #[value(alias = "serper")]
    Google,
    /// An instance of SearXNG
    Searxng,
    /// Wikipedia
    Wikipedia,
    /// Nowhere
    None,
}

impl SearchEngine {
    /// The engine as it is written after `--search`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Openalex => "openalex",
            Self::Arxiv => "arxiv",
            Self::Crossref => "crossref",
            Self::Tavily => "tavily",
            Self::Google => "google",
            Self::Searxng => "searxng",
            Self::Wikipedia => "wikipedia",
            Self::None => "none",
        }
    }

    /// Whether questions to it leave this machine, or may.
    pub fn is_network(self) -> bool {
        !matches!(self, Self::Local | Self::None)
    }

    /// Engines by their names, as a stored run has them; unknown ones are left out.
    pub fn named(names: &[String]) -> Vec<Self> {
        names.iter().filter_map(|name| Self::from_str(name, true).ok()).collect()
    }

    /// Whether the environment has what is set for this engine alone: a key, a file with a key, or the address of an
    /// instance. An engine that needs none of them is never set up.
    pub fn is_set_up(self) -> bool {
        let variables: &[&str] = match self {
            Self::Openalex => &[OPENALEX_KEY],
            Self::Tavily => &["TAVILY_API_KEY", "TAVILY_API_KEY_FILE"],
            Self::Google => &["SERPER_API_KEY", "SERPER_API_KEY_FILE"],
            Self::Searxng => &["SEARXNG_URL"],
            _ => &[],
        };
        variables.iter().any(|name| std::env::var(name).is_ok_and(|value| !value.trim().is_empty()))
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
        if self.search.is_empty() {
            if !self.corpus.is_empty() {
                return Ok(vec![SearchEngine::Local]);
            }
            return Ok(SearchEngine::value_variants().iter().copied().filter(|engine| engine.is_set_up()).collect());
        }
        let mut engines = self.search.clone();
        let mut seen = Vec::new();
        engines.retain(|engine| {
            !seen.contains(engine) && {
                seen.push(*engine);
                true
            }
        });
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
