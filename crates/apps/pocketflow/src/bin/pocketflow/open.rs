//! What a conversation needs: models, sources, its place in the database.

use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_cli::{
    CommonArgs, DataDir, ExitStatus, Failure, ModelSet, Session, build_models, check_thread_id, open_checkpointer,
    open_corpus,
};
use graphloom_llm::{ChatRequest, ModelError, Scripted};
use graphloom_pocketflow::research::{LocalResearch, NoResearch, Research};
use graphloom_pocketflow::{Conversations, Resources, session};

/// Conversations that can go on, and the models that they pay for.
pub(crate) struct Opened {
    pub(crate) conversations: Conversations,
    pub(crate) models: ModelSet,
}

/// Opens conversations to go on with.
pub(crate) async fn open(common: &CommonArgs, session: &Session) -> Result<Opened, Failure> {
    let dirs = DataDir::new(common.base.data_dir.as_deref())?;
    let research: Arc<dyn Research> = match open_corpus(common, &dirs, &session.progress).await? {
        Some((corpus, _)) => Arc::new(LocalResearch::new(corpus)),
        None => {
            session.progress.warn("no corpus is given, so no literature is searched; add `--corpus DIR`");
            Arc::new(NoResearch)
        }
    };
    let models = build_models(common, &dirs, &session.progress, Default::default()).await?;
    let conversations = on(open_checkpointer(&dirs)?, models.models.clone(), research)?;
    Ok(Opened { conversations, models })
}

/// Opens a conversation that exists, to look at it: no model is made.
pub(crate) async fn look(common: &CommonArgs, id: &str) -> Result<Conversations, Failure> {
    let nobody = Scripted::from_fn(|_: &ChatRequest| {
        let message = "no model is called while a conversation is looked at".to_owned();
        Err::<String, _>(ModelError::Setup { message })
    });
    let dirs = DataDir::new(common.base.data_dir.as_deref())?;
    let conversations = on(open_checkpointer(&dirs)?, Models::new(Arc::new(nobody)), Arc::new(NoResearch))?;
    let store = &conversations.threads().app().resources().store;
    if session::list(&**store).await?.iter().all(|known| known != id) {
        let message = format!("there is no conversation `{id}` in this data directory; `pocketflow runs` lists them");
        return Err(Failure::new(ExitStatus::Usage, message));
    }
    Ok(conversations)
}

fn on(checkpointer: SqliteCheckpointer, models: Models, research: Arc<dyn Research>) -> Result<Conversations, Failure> {
    let store = Arc::new(checkpointer.store());
    Ok(Conversations::new(Resources::new(models, research, store)?, Arc::new(checkpointer))?)
}

/// An id that a person chose.
pub(crate) fn checked(id: &str) -> Result<&str, Failure> {
    check_thread_id(id)?;
    Ok(id)
}
