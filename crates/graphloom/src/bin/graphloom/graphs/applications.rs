//! The four applications, with the models and sources of the command line. All runs share them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_cli::{
    DataDir, Failure, ModelSet, NetworkOptions, Session, Sources, build_models, nothing_searched, open_sources,
    search_tool, time_text,
};
use graphloom_core_graph::store::Store;
use graphloom_retrieval::{CombinedSearch, NoSearch, Search};
use graphloom_served::{deepsearch, obsius, pocketflow, writehere};
use graphloom_server::Server;
use graphloom_vault::{Vault, VaultOptions, transaction};

use super::args::{App, GraphArgs};

/// Adds those applications that are asked for.
pub(super) async fn add_to(
    mut server: Server,
    args: &GraphArgs,
    memory: &Arc<dyn Store>,
    session: &Session,
) -> Result<Server, Failure> {
    let dirs = session.dirs()?;
    let network = || NetworkOptions::from_environment(|name| std::env::var(name).ok());
    let sources = open_sources(&args.sources, network, &dirs, &session.progress, &args.models.consent).await?;
    if !sources.network.is_empty() {
        session.progress.note(format!("queries are sent to: {}", sources.network.join(", ")));
    }
    if sources.search().is_none() {
        session.progress.warn(nothing_searched(", so reports cite nothing"));
    }
    let made = build_models(&args.models, &dirs, &session.progress, Default::default()).await?;
    if args.has(App::Writehere) {
        let of = |resources: graphloom_writehere::Resources| of_writers(resources, &made, &sources);
        let report = of(graphloom_writehere::Resources::report(made.models.clone())?);
        let story = of(graphloom_writehere::Resources::story(made.models.clone())?);
        server = writehere::add_to(server, writehere::Writers { report, story })?;
    }
    if args.has(App::Obsius) {
        let vaults = vaults(args, &made.models, &sources, &dirs, session)?;
        server = obsius::add_to(server, vaults, graphloom_obsius::Config::default())?;
    }
    if args.has(App::Pocketflow) {
        let search = sources.search().unwrap_or_else(|| Arc::new(NoSearch));
        let resources = graphloom_pocketflow::Resources::new(made.models.clone(), search, Arc::clone(memory))?;
        server = pocketflow::add_to(server, resources)?;
    }
    if args.has(App::Deepsearch) {
        let local = sources.documents.iter().map(graphloom_cli::Documents::search);
        let local = CombinedSearch::of(local.chain(sources.others.clone()));
        let engines = graphloom_deepsearch::search::Engines::new(sources.opened.search(), local);
        let mut resources = graphloom_deepsearch::Resources::new(made.models.clone(), engines)?;
        resources.ledger = Arc::clone(&made.ledger);
        let mut config = graphloom_deepsearch::Config::default();
        // What is searched follows from `--corpus` and `--search`.
        config.info_collector_search_method = graphloom_deepsearch::config::SearchMethod::All;
        server = deepsearch::add_to(server, resources, config)?;
    }
    Ok(server)
}

fn of_writers(
    mut resources: graphloom_writehere::Resources,
    made: &ModelSet,
    sources: &Sources,
) -> graphloom_writehere::Resources {
    resources.setup.search = sources.search();
    resources.ledger = Arc::clone(&made.ledger);
    resources.time = time_text;
    resources
}

/// The vaults, by the names of their folders.
fn vaults(
    args: &GraphArgs,
    models: &Models,
    sources: &Sources,
    dirs: &DataDir,
    session: &Session,
) -> Result<BTreeMap<String, Arc<graphloom_obsius::Resources>>, Failure> {
    let mut vaults = BTreeMap::new();
    if args.vault.is_empty() {
        session.progress.note("`obsius` has no vault to work on; `--vault DIR` gives it one");
        return Ok(vaults);
    }
    dirs.create_indexes()?;
    for root in &args.vault {
        let vault = open(root, session)?;
        let name = vault.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
        session.progress.phase(format!("indexing the vault `{name}`"));
        let index =
            graphloom_obsius::index::VaultIndex::open(Arc::clone(&vault), &dirs.index(&[vault.root().to_owned()]))?;
        index.refresh()?;
        let mut resources = graphloom_obsius::Resources::new(models.clone(), vault, Arc::new(index))?;
        // A model that has read the notes asks no engine of the network, unless a person named one.
        let searched: Option<Arc<dyn Search>> = if args.sources.search.is_empty() {
            CombinedSearch::of(sources.documents.iter().map(graphloom_cli::Documents::search))
        } else {
            sources.search()
        };
        resources.sources.extend(searched.map(search_tool));
        if vaults.insert(name.clone(), Arc::new(resources)).is_some() {
            return Err(Failure::usage(format!("two vaults are called `{name}`; clients could not tell them apart")));
        }
    }
    Ok(vaults)
}

/// Opens a vault, after what a crash left of a transaction is finished or taken back.
fn open(root: &Path, session: &Session) -> Result<Arc<Vault>, Failure> {
    let vault = Arc::new(Vault::open(root, VaultOptions::default())?);
    for recovered in transaction::recover(&vault)? {
        session.progress.warn(format!(
            "writing the changes of run `{}` had been interrupted: {:?}",
            recovered.run, recovered.outcome
        ));
    }
    vault.refresh()?;
    Ok(vault)
}
