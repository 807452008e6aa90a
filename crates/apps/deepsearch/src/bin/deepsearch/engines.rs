//! The engines of a run: the corpus, and what `--search` and the configuration name.

use std::sync::Arc;

use clap::ValueEnum;
use graphloom_cli::{CommonArgs, DataDir, Failure, SearchEngine, Session, open_corpus};
use graphloom_deepsearch::Config;
use graphloom_deepsearch::config::SearchMethod;
use graphloom_deepsearch::search::{OpenedWeb, RetrievalSearch, Search, WebAndLocal, open_web};

/// What this program can search.
const ABLE: [SearchEngine; 8] = [
    SearchEngine::Local,
    SearchEngine::Tavily,
    SearchEngine::Google,
    SearchEngine::Searxng,
    SearchEngine::Wikipedia,
    SearchEngine::Openalex,
    SearchEngine::Arxiv,
    SearchEngine::Crossref,
];

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
    let mut engines = WebAndLocal::default();
    if let Some((corpus, _)) = open_corpus(common, &chosen, dirs, &session.progress).await? {
        engines.local = Some(Arc::new(RetrievalSearch::new(Arc::new(corpus))));
    }
    let opened = web(common, config, &chosen)?;
    opened.withheld.iter().for_each(|withheld| session.progress.warn(withheld));
    engines.web = opened.search;
    if let Some(web) = &engines.web {
        session.progress.note(format!("queries are sent to: {}", web.engines().join(", ")));
    }
    if engines.web.is_none() && engines.local.is_none() {
        session
            .progress
            .warn("nothing is searched, so the report can rest on nothing; add `--corpus DIR` or `--search`");
    }
    Ok(Arc::new(engines))
}

/// The engines of the network: those of `--search`, else those of the configuration, else, without a corpus, those that
/// the environment has a key for.
fn web(common: &CommonArgs, config: &Config, chosen: &[SearchEngine]) -> Result<OpenedWeb, Failure> {
    let names: Vec<String> =
        chosen.iter().filter(|engine| **engine != SearchEngine::Local).map(|engine| engine.name().to_owned()).collect();
    let is_configured = !config.web_search_engine_config.search_engine_name.trim().is_empty();
    let by_configuration = is_configured && common.search.is_empty();
    if config.info_collector_search_method == SearchMethod::Local || (names.is_empty() && !by_configuration) {
        return Ok(OpenedWeb::default());
    }
    let names = if by_configuration { Vec::new() } else { names };
    open_web(config, &names, |name| std::env::var(name).ok()).map_err(|notice| Failure::usage(notice.to_string()))
}

/// Engines by their names; unknown ones are left out.
pub(crate) fn named(names: &[String]) -> Vec<SearchEngine> {
    names.iter().filter_map(|name| SearchEngine::from_str(name, true).ok()).collect()
}
