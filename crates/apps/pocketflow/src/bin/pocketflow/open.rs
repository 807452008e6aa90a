//! What a conversation needs: models, sources, its place in the database.

use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_cli::{
    DataDir, ExitStatus, Failure, ModelSet, SearchEngine, build_models, check_thread_id, open_checkpointer, open_corpus,
};
use graphloom_core_graph::RunError;
use graphloom_llm::{ChatRequest, ModelError, Scripted};
use graphloom_pocketflow::research::{LiteratureResearch, LocalResearch, NoResearch, Research, Together};
use graphloom_pocketflow::session::Question;
use graphloom_pocketflow::{Conversations, PocketFlowError, Resources, prompts, session};
use graphloom_retrieval::RetrievalError;

use crate::setup::Setup;

/// The engines that a conversation can search.
const ENGINES: [SearchEngine; 4] =
    [SearchEngine::Local, SearchEngine::Openalex, SearchEngine::Arxiv, SearchEngine::Crossref];

/// Conversations that can go on, and the models that they pay for.
pub(crate) struct Opened {
    pub(crate) conversations: Conversations,
    pub(crate) models: ModelSet,
}

/// Opens conversations to go on with.
pub(crate) async fn open(setup: &Setup) -> Result<Opened, Failure> {
    let dirs = DataDir::new(setup.common.base.data_dir.as_deref())?;
    let research = sources(setup, &dirs).await?;
    let models = build_models(&setup.common, &dirs, &setup.session.progress, Default::default()).await?;
    let conversations = on(setup, open_checkpointer(&dirs)?, models.models.clone(), research)?;
    Ok(Opened { conversations, models })
}

/// The sources that `--search` and `--corpus` name.
async fn sources(setup: &Setup, dirs: &DataDir) -> Result<Arc<dyn Research>, Failure> {
    let progress = &setup.session.progress;
    let engines = setup.common.engines(&ENGINES)?;
    let mut sources: Vec<Arc<dyn Research>> = Vec::new();
    if let Some((corpus, _)) = open_corpus(&setup.common, &engines, dirs, progress).await? {
        sources.push(Arc::new(LocalResearch::new(corpus)));
    }
    let network = engines.iter().filter(|engine| **engine != SearchEngine::Local);
    let network: Vec<&str> = network.map(|engine| engine.name()).collect();
    if !network.is_empty() {
        let config = &setup.config.literature;
        let variable = |name: &str| std::env::var(name).ok();
        let literature = LiteratureResearch::open(config, &network, variable).map_err(|error| match error {
            RetrievalError::NoContact { .. }
            | RetrievalError::SourceAddress { .. }
            | RetrievalError::KeyHost { .. }
            | RetrievalError::OpenKey { .. } => Failure::usage(error.to_string()),
            other => other.into(),
        })?;
        if let Some(withheld) = literature.withheld() {
            progress.warn(withheld);
        }
        progress.note(format!("queries that you approve are sent to: {}", network.join(", ")));
        if config.contact.is_none() && config.address.is_none() {
            progress.note("the sources want to know whom to reach: `--set literature.contact=you@example.org`");
        }
        sources.push(Arc::new(literature));
    }
    Ok(match sources.len() {
        0 => {
            progress.warn(
                "no literature is searched; add `--corpus DIR`, or ask the network with \
                 `--search openalex,arxiv,crossref`",
            );
            Arc::new(NoResearch)
        }
        1 => sources.swap_remove(0),
        _ => Arc::new(Together::new(sources)),
    })
}

/// Opens a conversation that exists, to look at it: no model is made.
pub(crate) async fn look(setup: &Setup, id: &str) -> Result<Conversations, Failure> {
    let nobody = Scripted::from_fn(|_: &ChatRequest| {
        let message = "no model is called while a conversation is looked at".to_owned();
        Err::<String, _>(ModelError::Setup { message })
    });
    let dirs = DataDir::new(setup.common.base.data_dir.as_deref())?;
    let conversations = on(setup, open_checkpointer(&dirs)?, Models::new(Arc::new(nobody)), Arc::new(NoResearch))?;
    let store = &conversations.threads().app().resources().store;
    if session::list(&**store).await?.iter().all(|known| known != id) {
        let thread = conversations.threads().thread(id).state().await?;
        // A first turn that was cut off has no session yet.
        if thread.checkpoint.is_none() {
            let message =
                format!("there is no conversation `{id}` in this data directory; `pocketflow runs` lists them");
            return Err(Failure::new(ExitStatus::Usage, message));
        }
    }
    Ok(conversations)
}

fn on(
    setup: &Setup,
    checkpointer: SqliteCheckpointer,
    models: Models,
    research: Arc<dyn Research>,
) -> Result<Conversations, Failure> {
    let store = Arc::new(checkpointer.store());
    let mut resources = Resources::new(models, research, store)?;
    if let Some(folder) = &setup.prompts {
        resources.prompts = prompts()?.override_from(folder)?;
        resources.profile.check(&resources.prompts)?;
    }
    resources.limits = setup.config.limits;
    resources.profile.settings.small = setup.config.small;
    Ok(Conversations::new(resources, Arc::new(checkpointer))?)
}

/// What the next message to a conversation is about, before anything else is opened.
pub(crate) async fn last_delivered(setup: &Setup, id: &str) -> Result<Option<Question>, Failure> {
    let dirs = DataDir::new(setup.common.base.data_dir.as_deref())?;
    let store = open_checkpointer(&dirs)?.store();
    Ok(session::delivery::about(&store, id).await?.question)
}

/// An id that a person chose.
pub(crate) fn checked(id: &str) -> Result<&str, Failure> {
    check_thread_id(id)?;
    Ok(id)
}

/// A checkpoint that is not there is a mistake of the command line.
pub(crate) fn no_checkpoint(error: PocketFlowError) -> Failure {
    match error {
        PocketFlowError::Run(RunError::UnknownCheckpoint { thread, number }) => Failure::usage(format!(
            "the conversation `{thread}` has no checkpoint {number}; `pocketflow history {thread}` lists them"
        )),
        other => other.into(),
    }
}
