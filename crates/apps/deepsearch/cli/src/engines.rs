//! The engines of a run: the corpus, and what `--search` and the configuration name.

use graphloom_cli::{
    ConsentArgs, DataDir, Failure, McpArgs, SearchEngine, Session, SourceArgs, nothing_searched, open_engines,
};
use graphloom_deepsearch::Config;
use graphloom_deepsearch::config::SearchMethod;
use graphloom_deepsearch::search::{Engines, configured_engines, network_options, open_web};
use graphloom_retrieval::CombinedSearch;

/// Opens the engines, and says so when there are none.
pub(crate) async fn open(
    sources: &SourceArgs,
    mcp: &McpArgs,
    session: &Session,
    dirs: &DataDir,
    config: &Config,
    consent: &ConsentArgs,
) -> Result<Engines, Failure> {
    let wrong = |notice: graphloom_deepsearch::status::Notice| Failure::usage(notice.to_string());
    let variable = |name: &str| std::env::var(name).ok();
    let configured = configured_engines(config);
    if sources.search.is_empty() && !configured.is_empty() && config.info_collector_search_method != SearchMethod::Local
    {
        // What the configuration names wrongly has a code of its own.
        open_web(config, &configured, variable).map_err(wrong)?;
    }
    let mut chosen = sources.engines_or(&SearchEngine::named(&configured))?;
    match config.info_collector_search_method {
        SearchMethod::Web => chosen.retain(|engine| engine.is_network()),
        SearchMethod::Local => chosen.retain(|engine| !engine.is_network()),
        SearchMethod::All => {}
    }
    let network = chosen.iter().filter(|engine| engine.is_network());
    let names: Vec<String> = network.map(|engine| engine.name().to_owned()).collect();
    let options = if names.is_empty() { None } else { Some(network_options(config, &names, variable).map_err(wrong)?) };
    let opened =
        open_engines(&chosen, sources, || Ok(options.unwrap_or_default()), dirs, &session.progress, consent).await?;
    let documents = opened.documents.map(|documents| documents.search());
    let resources = mcp.search(sources, session).await?;
    let resources = resources.filter(|_| chosen.contains(&SearchEngine::Mcp));
    let local = CombinedSearch::of(documents.into_iter().chain(resources));
    let web = opened.opened.search();
    if !opened.network.is_empty() {
        session.progress.note(format!("queries are sent to: {}", opened.network.join(", ")));
    }
    if web.is_none() && local.is_none() {
        session.progress.warn(nothing_searched(", so the report can rest on nothing"));
    }
    Ok(Engines::new(web, local))
}
