//! What a run needs: models, engines, prompts, and its thread in the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use graphloom_agents::Models;
use graphloom_cli::{
    CommonArgs, DataDir, ExitStatus, Failure, ModelSet, SearchEngine, Session, runs as stored, time_text,
};
use graphloom_core_graph::{Clock, SystemClock, Thread, ThreadState, Threads};
use graphloom_deepsearch::graph::graph;
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::state::Request;
use graphloom_deepsearch::{Config, Kind, Resources, SearchContext};
use graphloom_llm::layers::Spent;
use graphloom_llm::{ChatRequest, ModelError, Scripted};
use serde_json::{Value, json};

use crate::engines;
use crate::models::models;

pub(crate) type Runs = Threads<SearchContext, Resources>;
pub(crate) type Run = Thread<SearchContext, Resources>;

/// A run that can be worked on.
pub(crate) struct Opened {
    pub(crate) runs: Runs,
    pub(crate) models: ModelSet,
    pub(crate) engines: Vec<String>,
}

/// Makes what a run needs; `recheck` for one that is finished and checked again.
pub(crate) async fn open(
    common: &CommonArgs,
    session: &Session,
    config: &Config,
    spent: Spent,
    recheck: bool,
) -> Result<Opened, Failure> {
    let dirs = DataDir::new(common.base.data_dir.as_deref())?;
    let models = models(common, session, &dirs, config, spent).await?;
    // A recording that is played back has the answers of the engines too.
    let replay = models.cassette.as_ref().filter(|cassette| cassette.is_replay());
    let search = match replay {
        Some(_) => Engines::default(),
        None => engines::open(common, session, &dirs, config).await?,
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
    let runs = graph(config.execution_method.into())?.with_context(resources).with_shared_checkpointer(store);
    Ok(Opened { runs, models, engines: names })
}

/// The runs of the database for looking only: no model is made.
async fn look(session: &Session, kind: Kind) -> Result<Runs, Failure> {
    let store = session.store().await?.checkpointer();
    let nobody = Scripted::from_fn(|_: &ChatRequest| {
        let message = "no model is called while a run is looked at".to_owned();
        Err::<String, _>(ModelError::Setup { message })
    });
    let resources = Resources::new(Models::new(Arc::new(nobody)), Engines::default())?;
    Ok(graph(kind)?.with_context(resources).with_shared_checkpointer(store))
}

/// A run that exists, and its state.
pub(crate) async fn find(session: &Session, id: &str) -> Result<(Run, ThreadState<SearchContext>), Failure> {
    let summary = stored::summary(&session.store().await?, id).await?;
    let kind = [Kind::Parallel, Kind::Dependency].into_iter().find(|kind| kind.name() == summary.graph);
    let Some(kind) = kind else {
        let message =
            format!("`{id}` is a run of `{}`, not of DeepSearch; `deepsearch runs` lists them", summary.graph);
        return Err(Failure::new(ExitStatus::Usage, message));
    };
    let run = look(session, kind).await?.thread(id);
    let state = run.state().await?;
    Ok((run, state))
}

/// What the program wants to find again when a run goes on.
pub(crate) fn origin(common: &CommonArgs, models: &ModelSet, out: &Path) -> Value {
    let folders: Vec<String> = common.corpus.iter().map(|folder| folder.display().to_string()).collect();
    let search: Vec<&str> = common.search.iter().map(|engine| engine.name()).collect();
    json!({
        "model": models.chosen.specs.to_string(), "corpus": folders, "search": search,
        "directory": absolute(Path::new(".")), "out": absolute(out),
    })
}

/// The options of a run that goes on: its own models and folders, unless others are given.
pub(crate) fn as_before(common: &CommonArgs, request: &Request, session: &Session) -> Result<CommonArgs, Failure> {
    let mut common = session.files.for_old_run(common);
    let model = request.origin["model"].as_str().unwrap_or_default();
    match &common.model {
        Some(given) if given.to_string() != model => {
            session.progress.warn(format!("the run began with `{model}` and goes on with `{given}`"));
        }
        Some(_) => {}
        None if model.is_empty() => {}
        None => common.model = Some(model.parse()?),
    }
    let texts = |key: &str| -> Vec<String> {
        let list = request.origin[key].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    if common.corpus.is_empty() {
        // Sources are named by their folder as it was given, so it stays in these words where that leads to it.
        let directory = PathBuf::from(request.origin["directory"].as_str().unwrap_or_default());
        let here = std::env::current_dir().is_ok_and(|here| here == directory);
        let folder = |given: String| if here { PathBuf::from(given) } else { directory.join(given) };
        common.corpus = texts("corpus").into_iter().map(folder).collect();
    }
    if common.search.is_empty() {
        common.search = SearchEngine::named(&texts("search"));
    }
    Ok(common)
}

/// The date that prompts state: today, or the recorded one.
pub(crate) async fn today(models: &ModelSet) -> Result<String, Failure> {
    let today = time_text(SystemClock.now())[..10].to_owned();
    let Some(cassette) = &models.cassette else { return Ok(today) };
    let work = || async { Ok::<_, ModelError>(Value::String(today)) };
    let today = cassette.exchange("today", &json!({}), work, |message| ModelError::Setup { message }).await?;
    Ok(today.as_str().unwrap_or_default().to_owned())
}

pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
