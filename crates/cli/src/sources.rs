//! What a run searches: `--corpus` and `--search`.

use std::sync::Arc;

pub use graphloom_retrieval::NetworkOptions;
use graphloom_retrieval::{CombinedSearch, Network, RetrievalError, Search};

use crate::{ConsentArgs, DataDir, Documents, Failure, Progress, SourceArgs, open_documents};

/// What a run searches.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Sources {
    /// The documents of `--corpus`, with what became of each file.
    pub documents: Option<Documents>,
    /// The engines of the web and the sources of literature.
    pub opened: Network,
    /// The names of the engines that queries are sent to.
    pub network: Vec<&'static str>,
}

impl Sources {
    /// Everything as one; nothing when nothing is searched.
    pub fn search(&self) -> Option<Arc<dyn Search>> {
        let documents = self.documents.iter().map(Documents::search);
        CombinedSearch::of(documents.chain(self.opened.search()))
    }

    /// Documents that could not be read, each with the reason.
    pub fn unread(&self) -> Vec<String> {
        let unread = self.documents.iter().flat_map(|documents| &documents.report.unread);
        unread.map(|file| format!("`{}` {}", file.path, file.reason)).collect()
    }
}

/// Opens what `--corpus` and `--search` name, the same for every program: see [`SourceArgs::engines`]. Keys that are not
/// sent, and documents that are not read, are told. `options` says how the network is asked, and is not called when it is
/// not.
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
    let engines = args.engines()?;
    let documents = open_documents(args, &engines, dirs, progress, consent).await?;
    let network = engines.iter().filter(|engine| engine.is_network());
    let network: Vec<&'static str> = network.map(|engine| engine.name()).collect();
    if network.is_empty() {
        return Ok(Sources { documents, ..Sources::default() });
    }
    let opened = options().and_then(|options| options.open(&network)).map_err(|error| match error {
        RetrievalError::NoContact { .. }
        | RetrievalError::NoKey { .. }
        | RetrievalError::NoAddress { .. }
        | RetrievalError::SourceAddress { .. }
        | RetrievalError::KeyHost { .. }
        | RetrievalError::OpenKey { .. } => Failure::usage(error.to_string()),
        other => other.into(),
    })?;
    opened.withheld.iter().for_each(|withheld| progress.warn(withheld));
    Ok(Sources { documents, opened, network })
}
