//! What a conversation needs: models, sources, its place in the database.

use std::sync::Arc;

use graphloom_cli::{
    ExitStatus, Failure, ModelSet, Session, build_models, check_thread_id, no_models, nothing_searched, open_sources,
};
use graphloom_core_graph::RunError;
use graphloom_pocketflow::research::Documents;
use graphloom_pocketflow::session::Question;
use graphloom_pocketflow::{Conversations, PocketFlowError, Resources, prompts, session as sessions};
use graphloom_retrieval::{CombinedSearch, NoSearch, Search};

use crate::setup::Setup;

/// Conversations and the models that they call.
pub(crate) struct Opened {
    pub(crate) conversations: Conversations,
    pub(crate) models: ModelSet,
}

/// Opens the conversations with models and sources.
pub(crate) async fn open(setup: &Setup) -> Result<Opened, Failure> {
    let session = &setup.session;
    let research = sources(setup).await?;
    let models = build_models(&setup.work.run.models, &session.dirs()?, &session.progress, Default::default()).await?;
    let store = session.store().await?;
    let mut resources = Resources::new(models.models.clone(), research, store.memory())?;
    if setup.work.prompts.prompts.is_some() {
        resources.prompts = setup.work.prompts.over(prompts()?)?;
        resources.profile.check(&resources.prompts)?;
    }
    resources.limits = setup.config.limits;
    resources.profile.settings.small = setup.config.small;
    let conversations = Conversations::new(resources, store.checkpointer());
    Ok(Opened { conversations, models })
}

/// The sources that `--search` and `--corpus` name.
async fn sources(setup: &Setup) -> Result<Arc<dyn Search>, Failure> {
    let progress = &setup.session.progress;
    let config = &setup.config.literature;
    let network = || config.network(|name| std::env::var(name).ok());
    let mcp = setup.work.mcp.search(&setup.work.sources, &setup.session).await?;
    let consent = &setup.work.run.models.consent;
    let sources = open_sources(&setup.work.sources, network, &setup.session.dirs()?, progress, consent).await?;
    if !sources.network.is_empty() {
        progress.note(format!("queries that you approve are sent to: {}", sources.network.join(", ")));
    }
    let is_reachable = config.contact.is_some() || std::env::var_os("GRAPHLOOM_CONTACT").is_some();
    if sources.opened.literature.is_some() && !is_reachable && config.address.is_none() {
        progress.note("the sources want to know whom to reach: `--set literature.contact=you@example.org`");
    }
    let documents = sources.documents.map(|documents| Arc::new(Documents::new(documents.search())) as Arc<dyn Search>);
    Ok(CombinedSearch::of(documents.into_iter().chain(mcp).chain(sources.opened.search())).unwrap_or_else(|| {
        progress.warn(nothing_searched(""));
        Arc::new(NoSearch)
    }))
}

/// Opens a conversation that exists for reading, without models.
pub(crate) async fn open_existing(session: &Session, id: &str) -> Result<Conversations, Failure> {
    let runs = session.store().await?;
    let resources = Resources::new(no_models(), Arc::new(NoSearch), runs.memory())?;
    let conversations = Conversations::new(resources, runs.checkpointer());
    let store = &conversations.threads().app().resources().store;
    if sessions::list(&**store).await?.iter().all(|known| known != id) {
        let thread = conversations.threads().thread(id).state().await?;
        // A first turn that was cut off has no session yet.
        if thread.checkpoint.is_none() {
            let place = session.store_place()?;
            let message = format!("there is no conversation `{id}` in `{place}`; `pocketflow runs` lists them");
            return Err(Failure::new(ExitStatus::Usage, message));
        }
    }
    Ok(conversations)
}

/// The question that was last delivered, which the next message is about. Opens nothing but the store.
pub(crate) async fn last_delivered(setup: &Setup, id: &str) -> Result<Option<Question>, Failure> {
    let store = setup.session.store().await?.memory();
    Ok(sessions::delivery::last(&*store, id).await?.question)
}

/// Checks an id that a person chose.
pub(crate) fn checked_id(id: &str) -> Result<&str, Failure> {
    check_thread_id(id)?;
    Ok(id)
}

/// Turns the error of a missing checkpoint into a usage error.
pub(crate) fn no_checkpoint(error: PocketFlowError) -> Failure {
    match error {
        PocketFlowError::Run(RunError::UnknownCheckpoint { thread, number }) => Failure::usage(format!(
            "the conversation `{thread}` has no checkpoint {number}; `pocketflow history {thread}` lists them"
        )),
        other => other.into(),
    }
}
