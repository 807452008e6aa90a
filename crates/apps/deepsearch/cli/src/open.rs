//! What a run needs: models, engines, prompts, and its thread in the database.

use std::sync::Arc;
use std::time::Duration;

use graphloom_cli::frame::{AppRuns, Origin};
use graphloom_cli::{Failure, ModelSet, Session};
use graphloom_core_graph::{Thread, Threads};
use graphloom_deepsearch::graph::graph;
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::state::Request;
use graphloom_deepsearch::{Config, GraphKind, Resources, SearchContext};
use graphloom_llm::layers::Spent;

use crate::args::WorkArgs;
use crate::engines;
use crate::models::models;

pub(crate) type Runs = Threads<SearchContext, Resources>;
pub(crate) type Run = Thread<SearchContext, Resources>;

/// Everything that a run is driven with.
pub(crate) struct Opened {
    pub(crate) runs: Runs,
    pub(crate) models: ModelSet,
    pub(crate) engines: Vec<String>,
}

/// Opens what a run is driven with. `recheck` is for a finished run whose citations are checked again.
pub(crate) async fn open(
    work: &WorkArgs,
    session: &Session,
    config: &Config,
    spent: Spent,
    recheck: bool,
) -> Result<Opened, Failure> {
    let dirs = session.dirs()?;
    let models = models(&work.run.models, session, &dirs, config, spent).await?;
    // A recording that is played back has the answers of the engines too.
    let replay = models.cassette.as_ref().filter(|cassette| cassette.is_replay());
    let search = match replay {
        Some(_) => Engines::default(),
        None => engines::open(&work.sources, &work.mcp, session, &dirs, config, &work.run.models.consent).await?,
    };
    let names = search.names();
    let search = match &models.cassette {
        Some(cassette) => search.recorded(Arc::clone(cassette)).await?,
        None => search,
    };
    let mut resources = Resources::new(models.models.clone(), search)?;
    resources.ledger = Arc::clone(&models.ledger);
    resources.call_limit = Duration::from_secs(config.llm_timeout);
    resources.recheck = recheck;
    let store = session.store().await?.checkpointer();
    let runs = graph(config.execution_method.into()).with_context(resources).with_shared_checkpointer(store);
    Ok(Opened { runs, models, engines: names })
}

/// The stored runs of this program.
pub(crate) fn runs(session: &Session) -> AppRuns<'_, SearchContext> {
    AppRuns::new(session, [GraphKind::Parallel, GraphKind::Dependency].map(|kind| graph(kind).for_inspection()))
}

/// The options a run began with; empty for a run that stored none.
pub(crate) fn origin_of(request: &Request) -> Origin {
    serde_json::from_value(request.origin.clone()).unwrap_or_default()
}

/// Completes the options of a resumed run: the stored models and folders, unless the command line names others.
pub(crate) fn restore_options(work: &mut WorkArgs, request: &Request, session: &Session) -> Result<(), Failure> {
    let origin = origin_of(request);
    origin.complete_models(&mut work.run.models, session)?;
    origin.complete_sources(&mut work.sources);
    Ok(())
}
