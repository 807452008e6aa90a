//! What a run searches: `--corpus` and `--search`.

use std::sync::Arc;

pub use graphloom_retrieval::NetworkOptions;
use graphloom_retrieval::{CombinedSearch, Network, RetrievalError, Search};

use crate::corpus::READER;
use crate::{ConsentArgs, DataDir, Documents, Failure, Progress, SearchEngine, SourceArgs, open_documents};

/// What a run searches.
#[derive(Default)]
#[non_exhaustive]
pub struct Sources {
    /// The documents of `--corpus`, with what became of each file.
    pub documents: Option<Documents>,
    /// The engines of the web and the sources of literature.
    pub opened: Network,
    /// The names of the engines that queries are sent to.
    pub network: Vec<&'static str>,
    /// What is searched besides, such as the resources of MCP servers.
    pub others: Option<Arc<dyn Search>>,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let engines = self.search().map(|search| search.engines());
        f.debug_struct("Sources").field("engines", &engines).finish_non_exhaustive()
    }
}

impl Sources {
    /// Everything as one; nothing when nothing is searched.
    pub fn search(&self) -> Option<Arc<dyn Search>> {
        let documents = self.documents.iter().map(Documents::search);
        CombinedSearch::of(documents.chain(self.others.clone()).chain(self.opened.search()))
    }

    /// The same with something else that is searched.
    #[must_use]
    pub fn and(mut self, others: Option<Arc<dyn Search>>) -> Self {
        self.others = others.or(self.others);
        self
    }

    /// Documents that could not be read, each with the reason.
    pub fn unread(&self) -> Vec<String> {
        let unread = self.documents.iter().flat_map(|documents| &documents.report.unread);
        unread.map(|file| format!("`{}` {}", file.path, file.reason)).collect()
    }
}

/// Opens what `--corpus` and `--search` name, the same for every program: see [`SourceArgs::engines`]. Keys that are not
/// sent, documents that are not read, and where queries go are told. `options` says how the network is asked, and is not
/// called when it is not.
///
/// # Errors
/// Options that do not fit together; a corpus that cannot be read; an engine that lacks a key or an address.
pub async fn open_sources(
    args: &SourceArgs,
    options: impl FnOnce() -> Result<NetworkOptions, RetrievalError>,
    dirs: &DataDir,
    progress: &Progress,
    consent: &ConsentArgs,
) -> Result<Sources, Failure> {
    open_engines(&args.engines()?, args, options, dirs, progress, consent).await
}

/// The same for engines that a program chose of what `--search` and its parameters name.
///
/// # Errors
/// As [`open_sources`].
pub async fn open_engines(
    engines: &[SearchEngine],
    args: &SourceArgs,
    options: impl FnOnce() -> Result<NetworkOptions, RetrievalError>,
    dirs: &DataDir,
    progress: &Progress,
    consent: &ConsentArgs,
) -> Result<Sources, Failure> {
    if args.full_text && !engines.iter().any(|engine| engine.is_literature()) {
        return Err(Failure::usage("`--full-text` needs a source of literature, such as `--search openalex`"));
    }
    let documents = open_documents(args, engines, dirs, progress, consent).await?;
    let network = engines.iter().filter(|engine| engine.is_network());
    let network: Vec<&'static str> = network.map(|engine| engine.name()).collect();
    if network.is_empty() {
        return Ok(Sources { documents, ..Sources::default() });
    }
    let options = options().map(|mut options| {
        options.full_texts |= args.full_text;
        options.reader = READER.get().cloned().flatten();
        options
    });
    let opened = options.and_then(|options| options.open(&network)).map_err(|error| match error {
        RetrievalError::NoContact { .. }
        | RetrievalError::NoKey { .. }
        | RetrievalError::KeyFile { .. }
        | RetrievalError::NoAddress { .. }
        | RetrievalError::SourceAddress { .. }
        | RetrievalError::KeyHost { .. }
        | RetrievalError::OpenKey { .. } => Failure::usage(error.to_string()),
        other => other.into(),
    })?;
    opened.withheld.iter().for_each(|withheld| progress.warn(withheld));
    Ok(Sources { documents, opened, network, others: None })
}

/// What a program says where nothing is searched; `so` is what follows from it, such as ` and the report cites nothing`.
pub fn nothing_searched(so: &str) -> String {
    format!(
        "nothing is searched{so}; add `--corpus DIR`, or ask the network with `--search openalex,arxiv,crossref` or \
         `--search wikipedia`"
    )
}
