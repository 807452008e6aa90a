//! The model of each role, with all its layers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use graphloom_llm::cassette::{Cassette, Recorder, Replay};
use graphloom_llm::layers::{
    Budgeted, CachePolicy, Cached, Concurrency, Fallback, FallbackModel, HedgeAfter, Hedged, HostRateLimit, Ledger,
    Meter, Metered, Priced, RateLimited, Rates, ResponseStore, Retry, RetryPolicy, Traced, Turns, limit_of,
};
use graphloom_llm::prices::{Price, PriceTable};
use graphloom_llm::providers::{Host, KeyUse, LearntAbilities};
use graphloom_llm::resolve::{ChainSpec, ModelSource, ModelSpec, RemoteSpec, resolve};
use graphloom_llm::{ChatModel, ModelError, Notes, Remote, RemoteConfig};

use super::ServerOptions;
use super::build::DEFAULT;
use super::keys::{RunKeys, key_roles};
use super::response_cache::identity;
use crate::{DataDir, Progress};

/// Calls of one server at a time, of all roles together.
const CALLS_AT_A_TIME: usize = 8;

/// What models are made with.
pub(super) struct RoleModels<'w> {
    pub(super) dirs: &'w DataDir,
    pub(super) progress: &'w Progress,
    pub(super) notes: Notes,
    pub(super) meter: Arc<Meter>,
    pub(super) ledger: Arc<Ledger>,
    /// The prices of `--prices`.
    pub(super) own_prices: PriceTable,
    pub(super) built_in_prices: PriceTable,
    pub(super) limits: &'w [HostRateLimit],
    pub(super) hedge: Option<HedgeAfter>,
    /// Whether prompts and answers are written into spans.
    pub(super) content: bool,
    pub(super) learnt: LearntAbilities,
    pub(super) cache: Option<(Arc<dyn ResponseStore>, CachePolicy)>,
    pub(super) cassette: Option<Arc<Cassette>>,
    pub(super) options: &'w ServerOptions,
    pub(super) may_ask: bool,
    pub(super) keys: RunKeys,
    /// The calls that a server gets at a time, from all roles together.
    pub(super) turns: BTreeMap<Host, Turns>,
    /// Models without layers, so that two roles of one model share it.
    pub(super) made: BTreeMap<String, Arc<dyn ChatModel>>,
    pub(super) recordings: BTreeMap<PathBuf, Arc<Cassette>>,
}

impl RoleModels<'_> {
    /// The model of `spec` for `role`, with all layers.
    pub(super) async fn layered(&mut self, spec: &ModelSpec, role: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
        let model = match spec {
            ModelSpec::FirstOf(chain) => self.first_of(chain, spec, role).await?,
            _ => {
                let (model, price) = self.one(spec, role).await?;
                // What costs nothing is not said with every answer.
                let stated = price.clone().filter(|_| !model.capabilities().local);
                let model = Arc::new(Priced::new(model, stated));
                let model = Budgeted::priced(self.recorded(model, role)?, Arc::clone(&self.ledger), price)?;
                Arc::new(Metered::new(Arc::new(model), Arc::clone(&self.meter))) as Arc<dyn ChatModel>
            }
        };
        let Some((store, policy)) = &self.cache else { return Ok(model) };
        let cached = Cached::new(model, Arc::clone(store), policy.clone(), identity(spec));
        Ok(Arc::new(cached.counted_in(Arc::clone(&self.ledger))))
    }

    /// Several models in the place of one. Each is counted for itself, and the budget keeps to what the dearest of them may
    /// cost.
    async fn first_of(
        &mut self,
        chain: &ChainSpec,
        spec: &ModelSpec,
        role: &str,
    ) -> Result<Arc<dyn ChatModel>, ModelError> {
        let key_roles = key_roles(role, spec)?;
        let (mut models, mut most, mut is_known) = (Vec::new(), None, true);
        for ((on, member), key_role) in chain.models().zip(key_roles) {
            let (model, price) = self.one(member, key_role).await?;
            is_known &= price.is_some();
            most = Price::dearer(most, price.clone());
            let model = Arc::new(Priced::new(model, price.clone()));
            let model = Arc::new(Metered::new(model, Arc::clone(&self.meter)));
            models.push(FallbackModel { on, price, ..FallbackModel::new(model) });
        }
        let chain = Arc::new(Fallback::new(models, chain.order(), self.notes.clone())?);
        let price = if is_known { most } else { None };
        Ok(Arc::new(Budgeted::priced(self.recorded(chain, role)?, Arc::clone(&self.ledger), price)?))
    }

    /// One model with the layers of its own calls, and what it costs where that is known.
    async fn one(&mut self, spec: &ModelSpec, role: &str) -> Result<(Arc<dyn ChatModel>, Option<Price>), ModelError> {
        let mut model = self.bare(spec, role).await?;
        let price = self.price(spec, &model);
        if !matches!(spec, ModelSpec::Replay(_)) {
            let mut traced = Traced::new(model).with_content(self.content);
            if let ModelSpec::Remote(remote) = spec {
                let host = Host::of(remote.base_url())?;
                traced = traced.at(host.name(), host.port());
            }
            model = Arc::new(traced);
        }
        if let ModelSpec::Remote(remote) = spec {
            let mut policy = RetryPolicy::default();
            policy.notes = self.notes.clone();
            let host = Host::of(remote.base_url())?;
            let rates = self.rates(&host);
            if let Some(after) = self.hedge {
                let hedged = Hedged::new(model, after).within(&rates);
                model = Arc::new(hedged.counted_in(Arc::clone(&self.ledger), price.clone()));
            }
            model = Arc::new(RateLimited::new(model, &rates));
            let turns = self.turns.entry(host).or_insert_with(|| Turns::new(CALLS_AT_A_TIME));
            model = Arc::new(Concurrency::sharing(model, turns));
            model = Arc::new(Retry::new(model, policy));
        }
        Ok((model, price))
    }

    /// The model under the recording of the run, where there is one.
    fn recorded(&self, model: Arc<dyn ChatModel>, role: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
        match &self.cassette {
            Some(cassette) => Ok(Arc::new(Recorder::new(model, Arc::clone(cassette), role)?)),
            None => Ok(model),
        }
    }

    /// The use of a host by this process.
    fn rates(&self, host: &Host) -> Rates {
        let host = host.to_string();
        Rates::of_process(&host, limit_of(self.limits, &host))
    }

    /// What a model costs, where that is known: as the budget says, else by the tables.
    fn price(&self, spec: &ModelSpec, model: &Arc<dyn ChatModel>) -> Option<Price> {
        if model.capabilities().local {
            return Some(Price::default());
        }
        // What a provider charges says nothing of another server that has its models.
        let elsewhere = spec.remote().is_some_and(|remote| remote.provider().base_url() != Some(remote.base_url()));
        let built_in = || self.built_in_prices.price(model.id()).filter(|_| !elsewhere);
        let stated = self.ledger.budget().price.as_ref();
        stated.or_else(|| self.own_prices.price(model.id())).or_else(built_in).cloned()
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
        config.learnt = Some(self.learnt.clone());
        config.rates = Some(self.rates(&Host::of(remote.base_url())?));
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
    pub(super) fn recorded_roles(&self, spec: &ModelSpec) -> Vec<String> {
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
