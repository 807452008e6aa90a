//! The models of a run with their layers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use graphloom_agents::Models;
use graphloom_llm::cassette::Cassette;
use graphloom_llm::layers::{CONTENT_VARIABLE, Ledger, Meter, Spent};
use graphloom_llm::prices::PriceTable;
use graphloom_llm::providers::{ApiKey, LearntAbilities};
use graphloom_llm::resolve::ModelSpec;
use graphloom_llm::{ModelId, Notes};

use super::keys::RunKeys;
use super::notice::notice;
use super::response_cache::response_cache;
use super::role_models::RoleModels;
use super::{Chosen, Reason, choose_models};
use crate::{DataDir, Failure, ModelArgs, Progress};

/// The role of the model that serves every role without one of its own.
pub(super) const DEFAULT: &str = "default";

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
    if chosen.specs.all().iter().all(|spec| spec.remote().is_none()) {
        if !args.rate.is_empty() {
            progress.note("`--rate` limits nothing here: no model of this run is behind a server");
        }
        if args.hedge.is_some() {
            progress.note("`--hedge` asks nobody twice here: no model of this run is behind a server");
        }
    }
    let cassette = match &args.record {
        None => None,
        Some(path) => {
            let cassette = Cassette::record_guarded(path, keys.guard(options))?;
            cassette.warnings().iter().for_each(|warning| progress.warn(warning));
            Some(Arc::new(cassette))
        }
    };
    let mut prices = PriceTable::built_in();
    if let Some(file) = &args.prices {
        prices = prices.under(PriceTable::read(file)?);
    }
    let mut workshop = RoleModels {
        dirs,
        progress,
        notes: Notes::default(),
        meter: Meter::new(),
        ledger: Ledger::resume(args.budget.clone().unwrap_or_default(), spent),
        prices,
        limits: &args.rate,
        hedge: args.hedge,
        content: std::env::var(CONTENT_VARIABLE).is_ok_and(|value| value.eq_ignore_ascii_case("true")),
        learnt: LearntAbilities::open(&dirs.abilities()),
        cache: response_cache(args, &chosen, dirs, progress)?,
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
