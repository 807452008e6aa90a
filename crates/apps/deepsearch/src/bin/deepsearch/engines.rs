//! The engines of a run: the corpus, and what `--search` and the configuration name.

use graphloom_cli::{ConsentArgs, DataDir, Failure, SearchEngine, Session, SourceArgs, open_documents};
use graphloom_deepsearch::Config;
use graphloom_deepsearch::config::SearchMethod;
use graphloom_deepsearch::search::{Engines, OpenedWeb, open_web};

/// Opens the engines, and says so when there are none.
pub(crate) async fn open(
    sources: &SourceArgs,
    session: &Session,
    dirs: &DataDir,
    config: &Config,
    consent: &ConsentArgs,
) -> Result<Engines, Failure> {
    let mut chosen = sources.engines()?;
    match config.info_collector_search_method {
        SearchMethod::Web => chosen.retain(|engine| *engine != SearchEngine::Local),
        SearchMethod::Local => chosen.retain(|engine| *engine == SearchEngine::Local),
        SearchMethod::All => {}
    }
    let documents = open_documents(sources, &chosen, dirs, &session.progress, consent).await?;
    let local = documents.map(|documents| documents.search());
    let opened = web(sources, config, &chosen)?;
    opened.withheld.iter().for_each(|withheld| session.progress.warn(withheld));
    if let Some(web) = &opened.search {
        session.progress.note(format!("queries are sent to: {}", web.engines().join(", ")));
    }
    if opened.search.is_none() && local.is_none() {
        session
            .progress
            .warn("nothing is searched, so the report can rest on nothing; add `--corpus DIR` or `--search`");
    }
    Ok(Engines::new(opened.search, local))
}

/// The engines of the network: those of `--search`, else those of the configuration, else, without a corpus, those that
/// the environment has a key for.
fn web(sources: &SourceArgs, config: &Config, chosen: &[SearchEngine]) -> Result<OpenedWeb, Failure> {
    let names: Vec<String> =
        chosen.iter().filter(|engine| **engine != SearchEngine::Local).map(|engine| engine.name().to_owned()).collect();
    let is_configured = !config.web_search_engine_config.search_engine_name.trim().is_empty();
    let by_configuration = is_configured && sources.search.is_empty();
    if config.info_collector_search_method == SearchMethod::Local || (names.is_empty() && !by_configuration) {
        return Ok(OpenedWeb::default());
    }
    let names = if by_configuration { Vec::new() } else { names };
    open_web(config, &names, |name| std::env::var(name).ok()).map_err(|notice| Failure::usage(notice.to_string()))
}
