//! What a run needs: models, corpus, prompts, and its thread in the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_cli::{
    CommonArgs, DataDir, ExitStatus, Failure, ModelSet, SearchEngine, Session, build_models, open_sources, time_text,
};
use graphloom_core_graph::{Thread, ThreadState, Threads};
use graphloom_llm::layers::Spent;
use graphloom_llm::{ChatRequest, ModelError, Scripted};
use graphloom_retrieval::NetworkOptions;
use graphloom_writehere::breakpoint::Breakpoints;
use graphloom_writehere::profile::{self, Settings};
use graphloom_writehere::stage::Setup;
use graphloom_writehere::{Mode, Request, Resources, Writing, graph};

use crate::args::DebugArgs;
use crate::params::profile_of;

pub(crate) type Runs = Threads<Writing, Resources>;
pub(crate) type Run = Thread<Writing, Resources>;

/// A run that can be written on.
pub(crate) struct Opened {
    pub(crate) runs: Runs,
    pub(crate) models: ModelSet,
    /// Documents of the corpus that could not be read, with the reason.
    pub(crate) unread: Vec<String>,
}

/// Makes what a run needs. `common` has the models and folders, also those that the run began with.
pub(crate) async fn open(
    common: &CommonArgs,
    session: &Session,
    mode: Mode,
    settings: Option<Settings>,
    debug: DebugArgs,
    spent: Spent,
) -> Result<Opened, Failure> {
    let dirs = DataDir::new(common.base.data_dir.as_deref())?;
    let network = || NetworkOptions::from_environment(|name| std::env::var(name).ok());
    let sources = open_sources(common, network, &dirs, &session.progress).await?;
    let store = session.store().await?;
    let models = build_models(common, &dirs, &session.progress, spent).await?;
    let mut profile = profile_of(mode)?;
    if let Some(settings) = settings {
        profile.settings = settings;
    }
    let mut prompts = profile::prompts()?;
    if let Some(folder) = debug.prompts {
        prompts = prompts.override_from(&folder)?;
    }
    profile.check(&prompts)?;
    profile::task_types(&profile)?;
    let mut setup = Setup::new(Arc::new(prompts), Arc::new(profile), models.models.clone());
    let unread = sources.unread();
    setup.search = sources.search();
    if setup.search.is_none() && mode == Mode::Report {
        session
            .progress
            .warn("nothing is searched and the report cites nothing; add `--corpus DIR`, or `--search wikipedia`");
    }
    if !sources.network.is_empty() {
        session.progress.note(format!("queries are sent to: {}", sources.network.join(", ")));
    }
    let mut resources = Resources::of(setup);
    resources.ledger = Arc::clone(&models.ledger);
    resources.breaks = Breakpoints::new(debug.breaks);
    resources.cassette.clone_from(&models.cassette);
    resources.time = time_text;
    let runs = graph()?.with_context(resources).with_shared_checkpointer(store.checkpointer());
    Ok(Opened { runs, models, unread })
}

/// The runs of the database for looking only: no model is made.
async fn look(session: &Session) -> Result<Runs, Failure> {
    let store = session.store().await?;
    let nobody = Scripted::from_fn(|_: &ChatRequest| {
        let message = "no model is called while a run is looked at".to_owned();
        Err::<String, _>(ModelError::Setup { message })
    });
    let mut resources = Resources::report(Models::new(Arc::new(nobody)))?;
    resources.time = time_text;
    Ok(graph()?.with_context(resources).with_shared_checkpointer(store.checkpointer()))
}

/// A run that exists, and its state.
pub(crate) async fn find(session: &Session, id: &str) -> Result<(Run, ThreadState<Writing>), Failure> {
    let run = look(session).await?.thread(id);
    let state = run.state().await?;
    if state.checkpoint.is_none() {
        let message = format!("there is no run `{id}` in `{}`; `writehere runs` lists them", session.store_place()?);
        return Err(Failure::new(ExitStatus::Usage, message));
    }
    Ok((run, state))
}

/// The options of a run that goes on: its own models and folders, unless others are given.
pub(crate) fn as_before(common: &CommonArgs, request: &Request, session: &Session) -> Result<CommonArgs, Failure> {
    let mut common = session.files.for_old_run(common);
    match &common.model {
        Some(given) if given.to_string() != request.model => {
            session.progress.warn(format!("the run began with `{}` and goes on with `{given}`", request.model));
        }
        Some(_) => {}
        None => common.model = Some(request.model.parse()?),
    }
    if common.corpus.is_empty() {
        // Sources are named by their folder as it was given, so it stays in these words where that leads to it.
        let here = std::env::current_dir().is_ok_and(|here| here == Path::new(&request.directory));
        let folder =
            |given: &String| if here { PathBuf::from(given) } else { Path::new(&request.directory).join(given) };
        common.corpus = request.corpus.iter().map(folder).collect();
    }
    if common.search.is_empty() {
        common.search = SearchEngine::named(&request.search);
    }
    Ok(common)
}
