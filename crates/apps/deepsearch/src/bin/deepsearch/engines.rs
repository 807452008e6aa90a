//! The engines of a run: the corpus, and what `--search` and the configuration name.

use std::sync::Arc;

use clap::ValueEnum;
use graphloom_cli::{CommonArgs, DataDir, Failure, SearchEngine, Session, open_corpus};
use graphloom_deepsearch::Config;
use graphloom_deepsearch::config::SearchMethod;
use graphloom_deepsearch::search::{Engines, RetrievalSearch, Search};

/// What this program can search.
const ABLE: [SearchEngine; 1] = [SearchEngine::Local];

/// Opens the engines, and says so when there are none.
pub(crate) async fn open(
    common: &CommonArgs,
    session: &Session,
    dirs: &DataDir,
    config: &Config,
) -> Result<Arc<dyn Search>, Failure> {
    let mut chosen = common.engines(&ABLE)?;
    match config.info_collector_search_method {
        SearchMethod::Web => chosen.retain(|engine| *engine != SearchEngine::Local),
        SearchMethod::Local => chosen.retain(|engine| *engine == SearchEngine::Local),
        SearchMethod::All => {}
    }
    let mut engines: Vec<Arc<dyn Search>> = Vec::new();
    if let Some((corpus, _)) = open_corpus(common, &chosen, dirs, &session.progress).await? {
        engines.push(Arc::new(RetrievalSearch::new(Arc::new(corpus))));
    }
    if engines.is_empty() {
        session
            .progress
            .warn("nothing is searched, so the report can rest on nothing; add `--corpus DIR` or `--search`");
    }
    Ok(Arc::new(Engines::new(engines)))
}

/// Engines by their names; unknown ones are left out.
pub(crate) fn named(names: &[String]) -> Vec<SearchEngine> {
    names.iter().filter_map(|name| SearchEngine::from_str(name, true).ok()).collect()
}
