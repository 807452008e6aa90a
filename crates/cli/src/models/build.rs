//! The models of a run with their layers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_llm::cassette::{Cassette, Recorder, Replay};
use graphloom_llm::layers::{Budgeted, Concurrency, Ledger, Meter, Metered, Retry, RetryPolicy, Spent, Traced, Turns};
use graphloom_llm::providers::{ApiKey, Host, KeyUse};
use graphloom_llm::resolve::{ModelSource, ModelSpec, RemoteSpec, resolve};
use graphloom_llm::{ChatModel, ModelError, ModelId, Notes, Remote, RemoteConfig};

use super::keys::RunKeys;
use super::notice::notice;
use super::{Chosen, Reason, choose_models};
use crate::{DataDir, Failure, ModelArgs, Progress};

/// The role of the model that serves every role without one of its own.
const DEFAULT: &str = "default";

/// Calls of one server at a time, of all roles together.
const CALLS_AT_A_TIME: usize = 8;

/// The models of a run, and what counts and remembers their calls.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModelSet {
    /// The models by role.
    pub models: Models,
    /// Which were chosen, and why.
    pub chosen: Chosen,
    /// Calls and tokens per model.
    pub meter: Arc<Meter>,
    /// What the run has spent of its budget. Keep [`Ledger::spent`] with the run and give it back when the run goes on.
    pub ledger: Arc<Ledger>,
    /// Retries and degradations.
    pub notes: Notes,
    /// The recording of `--record`, or the one that the default model plays back.
    pub cassette: Option<Arc<Cassette>>,
}

impl ModelSet {
    /// The model of each role, `default` for all others: for a run's record, and to notice that a resumed run would
    /// switch to another model.
    pub fn ids(&self) -> BTreeMap<String, ModelId> {
        let roles = self.models.roles().map(str::to_owned).collect::<Vec<_>>();
        let ids = roles.into_iter().chain([DEFAULT.to_owned()]);
        ids.map(|role| (role.clone(), self.models.role(&role).id().clone())).collect()
    }
}

/// Chooses and makes the models of a run, with retries, recording, budget, counting and tracing around them. Says once on
/// stderr which they are, before anything is sent to them; a server that nobody named is told of with `-q` too. `spent` is what the run spent before, when it goes on.
///
/// The built-in model is fetched when it is not there.
///
/// # Errors
/// A wrong choice of models, a file that cannot be read, weights that cannot be fetched or read, a recording that cannot
/// be written, a limit in dollars without a known price.
pub async fn build_models(
    args: &ModelArgs,
    dirs: &DataDir,
    progress: &Progress,
    spent: Spent,
) -> Result<ModelSet, Failure> {
    build_models_with(args, dirs, progress, spent, &ServerOptions::default()).await
}

/// What a user says of models behind servers that their names do not say; by role, `default` for all others.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ServerOptions {
    /// Keys of their own, each for the server of its role. A key is used for requests and nowhere else.
    pub keys: BTreeMap<String, ApiKey>,
    /// Other secrets that the run knows, with their names: they are kept out of recordings.
    pub secrets: Vec<(String, ApiKey)>,
    /// Roles whose model reads images.
    pub images: BTreeSet<String>,
}

/// As [`build_models`], with options for the models of some roles that are behind servers.
///
/// # Errors
/// As [`build_models`].
pub async fn build_models_with(
    args: &ModelArgs,
    dirs: &DataDir,
    progress: &Progress,
    spent: Spent,
    options: &ServerOptions,
) -> Result<ModelSet, Failure> {
    let chosen = choose_models(args.model.as_ref()).await?;
    match chosen.reason {
        // Text goes to a server that nobody named: that is said in any case.
        Reason::LocalServer { .. } => progress.line(&chosen.to_string()),
        _ => progress.note(chosen.to_string()),
    }
    let keys = RunKeys::new(&chosen, options)?;
    keys.show_unsent(&chosen, progress)?;
    if chosen.specs.all().contains(&&ModelSpec::Embedded) {
        progress.note(notice(&chosen));
    }
    let cassette = match &args.record {
        None => None,
        Some(path) => {
            let cassette = Cassette::record_guarded(path, keys.guard(options))?;
            cassette.warnings().iter().for_each(|warning| progress.warn(warning));
            Some(Arc::new(cassette))
        }
    };
    let mut workshop = RoleModels {
        dirs,
        progress,
        notes: Notes::default(),
        meter: Meter::new(),
        ledger: Ledger::resume(args.budget.clone().unwrap_or_default(), spent),
        cassette,
        options,
        may_ask: args.consent.may_ask(progress),
        keys,
        turns: BTreeMap::new(),
        made: BTreeMap::new(),
        recordings: BTreeMap::new(),
    };
    let mut models = Models::new(workshop.layered(&chosen.specs.default, DEFAULT).await?);
    for role in workshop.recorded_roles(&chosen.specs.default) {
        if !chosen.specs.roles.contains_key(&role) {
            models = models.with_role(role.clone(), workshop.layered(&chosen.specs.default, &role).await?);
        }
    }
    for (role, spec) in &chosen.specs.roles {
        models = models.with_role(role.clone(), workshop.layered(spec, role).await?);
    }
    let played = match &chosen.specs.default {
        ModelSpec::Replay(path) => workshop.recordings.get(path).cloned(),
        _ => None,
    };
    let RoleModels { notes, meter, ledger, cassette, .. } = workshop;
    let cassette = cassette.or(played);
    Ok(ModelSet { models, chosen, meter, ledger, notes, cassette })
}

/// What models are made with.
struct RoleModels<'w> {
    dirs: &'w DataDir,
    progress: &'w Progress,
    notes: Notes,
    meter: Arc<Meter>,
    ledger: Arc<Ledger>,
    cassette: Option<Arc<Cassette>>,
    options: &'w ServerOptions,
    may_ask: bool,
    keys: RunKeys,
    /// The calls that a server gets at a time, from all roles together.
    turns: BTreeMap<Host, Turns>,
    /// Models without layers, so that two roles of one model share it.
    made: BTreeMap<String, Arc<dyn ChatModel>>,
    recordings: BTreeMap<PathBuf, Arc<Cassette>>,
}

impl RoleModels<'_> {
    /// The model of `spec` for `role`, with all layers.
    async fn layered(&mut self, spec: &ModelSpec, role: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
        let mut model = self.bare(spec, role).await?;
        if !matches!(spec, ModelSpec::Replay(_)) {
            model = Arc::new(Traced::new(model));
        }
        if let ModelSpec::Remote(remote) = spec {
            let mut policy = RetryPolicy::default();
            policy.notes = self.notes.clone();
            let turns = self.turns.entry(Host::of(remote.base_url())?).or_insert_with(|| Turns::new(CALLS_AT_A_TIME));
            model = Arc::new(Retry::new(Arc::new(Concurrency::sharing(model, turns)), policy));
        }
        if let Some(cassette) = &self.cassette {
            model = Arc::new(Recorder::new(model, Arc::clone(cassette), role)?);
        }
        model = Arc::new(Budgeted::new(model, Arc::clone(&self.ledger))?);
        Ok(Arc::new(Metered::new(model, Arc::clone(&self.meter))))
    }

    async fn bare(&mut self, spec: &ModelSpec, role: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
        if let ModelSpec::Replay(path) = spec {
            return Ok(Arc::new(Replay::new(self.recording(path)?, role)?));
        }
        if let ModelSpec::Remote(remote) = spec {
            return self.behind_server(role, remote);
        }
        if let Some(model) = self.made.get(&spec.to_string()) {
            return Ok(Arc::clone(model));
        }
        let (dirs, progress, may_ask) = (self.dirs, self.progress, self.may_ask);
        let model = resolve(spec, role, &self.notes, |source| in_process(source, dirs, progress, may_ask)).await?;
        self.made.insert(spec.to_string(), Arc::clone(&model));
        Ok(model)
    }

    /// A model behind a server, with the key that belongs to it. Roles share it where nothing tells them apart.
    fn behind_server(&mut self, role: &str, remote: &RemoteSpec) -> Result<Arc<dyn ChatModel>, ModelError> {
        let mut config = RemoteConfig::from(remote);
        config.images |= self.options.images.contains(role);
        config.notes = self.notes.clone();
        match self.keys.of(role, remote)? {
            KeyUse::Sent { key, source } => (config.key, config.key_variable) = (Some(key), source),
            KeyUse::Withheld { .. } | KeyUse::None => {}
        }
        let same = format!("{remote} {} {}", config.images, config.key.as_ref().map_or("", |_| &config.key_variable));
        if let Some(model) = self.made.get(&same) {
            return Ok(Arc::clone(model));
        }
        let model: Arc<dyn ChatModel> = Arc::new(Remote::new(config)?);
        self.made.insert(same, Arc::clone(&model));
        Ok(model)
    }

    /// An open recording; all roles count their calls in the same one.
    fn recording(&mut self, path: &Path) -> Result<Arc<Cassette>, ModelError> {
        if let Some(cassette) = self.recordings.get(path) {
            return Ok(Arc::clone(cassette));
        }
        let cassette = Arc::new(Cassette::replay(path)?);
        cassette.warnings().iter().for_each(|warning| self.progress.warn(warning));
        self.recordings.insert(path.to_owned(), Arc::clone(&cassette));
        Ok(cassette)
    }

    /// The roles that a recording has models for, so that `replay:FILE` alone plays all of them.
    fn recorded_roles(&self, spec: &ModelSpec) -> Vec<String> {
        let ModelSpec::Replay(path) = spec else { return Vec::new() };
        let lines = self.recordings.get(path).map(|cassette| cassette.models()).unwrap_or_default();
        lines.into_iter().map(|line| line.role).filter(|role| role != DEFAULT).collect()
    }
}

#[cfg(feature = "embedded")]
async fn in_process(
    source: ModelSource,
    dirs: &DataDir,
    progress: &Progress,
    may_ask: bool,
) -> Result<Arc<dyn ChatModel>, ModelError> {
    super::embedded::load(source, dirs, progress, may_ask).await
}

#[cfg(not(feature = "embedded"))]
async fn in_process(_: ModelSource, _: &DataDir, _: &Progress, _: bool) -> Result<Arc<dyn ChatModel>, ModelError> {
    let message = crate::CliError::NotBuilt { feature: "embedded", option: "--model" }.to_string();
    Err(ModelError::Setup { message })
}
