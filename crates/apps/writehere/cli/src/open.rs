//! What a run needs: models, corpus, prompts, and its thread in the database.

use std::sync::Arc;

use graphloom_cli::frame::{AppRuns, Origin};
use graphloom_cli::{Failure, ModelSet, Session, build_models, nothing_searched, open_sources, time_text};
use graphloom_core_graph::Threads;
use graphloom_llm::layers::Spent;
use graphloom_retrieval::NetworkOptions;
use graphloom_writehere::breakpoint::Breakpoints;
use graphloom_writehere::profile::{self, Settings};
use graphloom_writehere::stage::Setup;
use graphloom_writehere::{Mode, Request, Resources, Writing, graph};

use crate::args::WorkArgs;
use crate::params::profile_of;

pub(crate) type Runs = Threads<Writing, Resources>;

/// A run that can be written on.
pub(crate) struct Opened {
    pub(crate) runs: Runs,
    pub(crate) models: ModelSet,
    /// Documents of the corpus that could not be read, with the reason.
    pub(crate) unread: Vec<String>,
}

/// Makes what a run needs. `work` has the models and folders, also those that the run began with.
pub(crate) async fn open(
    work: &WorkArgs,
    session: &Session,
    mode: Mode,
    settings: Option<Settings>,
    spent: Spent,
) -> Result<Opened, Failure> {
    let dirs = session.dirs()?;
    let consent = &work.run.models.consent;
    let network = || NetworkOptions::from_environment(|name| std::env::var(name).ok());
    let mcp = work.mcp.search(&work.sources, session).await?;
    let sources = open_sources(&work.sources, network, &dirs, &session.progress, consent).await?.and(mcp);
    let store = session.store().await?;
    let models = build_models(&work.run.models, &dirs, &session.progress, spent).await?;
    let mut profile = profile_of(mode)?;
    if let Some(settings) = settings {
        profile.settings = settings;
    }
    let prompts = work.prompts.over(profile::prompts()?)?;
    profile.check(&prompts)?;
    profile::task_types(&profile)?;
    let mut setup = Setup::new(Arc::new(prompts), Arc::new(profile), models.models.clone());
    let unread = sources.unread();
    setup.search = sources.search();
    if setup.search.is_none() && mode == Mode::Report {
        session.progress.warn(nothing_searched(" and the report cites nothing"));
    }
    if !sources.network.is_empty() {
        session.progress.note(format!("queries are sent to: {}", sources.network.join(", ")));
    }
    let mut resources = Resources::of(setup);
    resources.ledger = Arc::clone(&models.ledger);
    resources.breaks = Breakpoints::new(work.breaks.clone());
    resources.cassette.clone_from(&models.cassette);
    resources.time = time_text;
    let runs = graph().with_context(resources).with_shared_checkpointer(store.checkpointer());
    Ok(Opened { runs, models, unread })
}

/// The runs of this program, for looking.
pub(crate) fn runs(session: &Session) -> AppRuns<'_, Writing> {
    AppRuns::new(session, [graph().for_inspection()])
}

/// What a run began with.
pub(crate) fn origin_of(request: &Request) -> Origin {
    let Request { model, corpus, search, full_text, embeddings, directory, out, .. } = request.clone();
    Origin { model, corpus, search, full_text, embeddings, directory, out }
}
