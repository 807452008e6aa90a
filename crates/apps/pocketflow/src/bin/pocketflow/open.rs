//! What a conversation needs: models, sources, its place in the database.

use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_cli::{DataDir, ExitStatus, Failure, ModelSet, RunStore, build_models, check_thread_id, open_sources};
use graphloom_core_graph::RunError;
use graphloom_llm::{ChatRequest, ModelError, Scripted};
use graphloom_pocketflow::research::Documents;
use graphloom_pocketflow::session::Question;
use graphloom_pocketflow::{Conversations, PocketFlowError, Resources, prompts, session};
use graphloom_retrieval::{CombinedSearch, NoSearch, Search};

use crate::setup::Setup;

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
    let conversations = on(setup, &setup.session.store().await?, models.models.clone(), research)?;
    Ok(Opened { conversations, models })
}

/// What `--search` and `--corpus` name.
async fn sources(setup: &Setup, dirs: &DataDir) -> Result<Arc<dyn Search>, Failure> {
    let progress = &setup.session.progress;
    let config = &setup.config.literature;
    let network = || config.network(|name| std::env::var(name).ok());
    let sources = open_sources(&setup.common, network, dirs, progress).await?;
    if !sources.network.is_empty() {
        progress.note(format!("queries that you approve are sent to: {}", sources.network.join(", ")));
    }
    if sources.opened.literature.is_some() && config.contact.is_none() && config.address.is_none() {
        progress.note("the sources want to know whom to reach: `--set literature.contact=you@example.org`");
    }
    let documents = sources.corpus.map(|(corpus, _)| Arc::new(Documents::new(corpus)) as Arc<dyn Search>);
    Ok(CombinedSearch::of(documents.into_iter().chain(sources.opened.search())).unwrap_or_else(|| {
        progress.warn(
            "nothing is searched; add `--corpus DIR`, or ask the network with `--search openalex,arxiv,crossref` or \
             `--search wikipedia`",
        );
        Arc::new(NoSearch)
    }))
}

/// Opens a conversation that exists, to look at it: no model is made.
pub(crate) async fn look(setup: &Setup, id: &str) -> Result<Conversations, Failure> {
    let nobody = Scripted::from_fn(|_: &ChatRequest| {
        let message = "no model is called while a conversation is looked at".to_owned();
        Err::<String, _>(ModelError::Setup { message })
    });
    let conversations = on(setup, &setup.session.store().await?, Models::new(Arc::new(nobody)), Arc::new(NoSearch))?;
    let store = &conversations.threads().app().resources().store;
    if session::list(&**store).await?.iter().all(|known| known != id) {
        let thread = conversations.threads().thread(id).state().await?;
        // A first turn that was cut off has no session yet.
        if thread.checkpoint.is_none() {
            let place = setup.session.store_place()?;
            let message = format!("there is no conversation `{id}` in `{place}`; `pocketflow runs` lists them");
            return Err(Failure::new(ExitStatus::Usage, message));
        }
    }
    Ok(conversations)
}

fn on(setup: &Setup, store: &RunStore, models: Models, research: Arc<dyn Search>) -> Result<Conversations, Failure> {
    let mut resources = Resources::new(models, research, store.memory())?;
    if let Some(folder) = &setup.prompts {
        resources.prompts = prompts()?.override_from(folder)?;
        resources.profile.check(&resources.prompts)?;
    }
    resources.limits = setup.config.limits;
    resources.profile.settings.small = setup.config.small;
    Ok(Conversations::new(resources, store.checkpointer())?)
}

/// What the next message to a conversation is about, before anything else is opened.
pub(crate) async fn last_delivered(setup: &Setup, id: &str) -> Result<Option<Question>, Failure> {
    let store = setup.session.store().await?.memory();
    Ok(session::delivery::about(&*store, id).await?.question)
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
