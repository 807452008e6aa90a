//! The models of a run: those of `--model`, else the slots of `llm_config`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use graphloom_agents::Models;
use graphloom_cli::{DataDir, Failure, ModelArgs, ModelSet, ServerOptions, Session, build_models_with};
use graphloom_deepsearch::config::LlmConfig;
use graphloom_deepsearch::status::StatusCode;
use graphloom_deepsearch::{Config, Slot};
use graphloom_llm::layers::{Ledger, Spent};
use graphloom_llm::providers::ApiKey;
use graphloom_llm::resolve::{ModelSpec, ModelSpecs};
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Params,
};

/// The slot that all others fall back to: the default model.
const GENERAL: &str = "general";

/// Makes the models.
pub(crate) async fn models(
    given: &ModelArgs,
    session: &Session,
    dirs: &DataDir,
    config: &Config,
    spent: Spent,
) -> Result<ModelSet, Failure> {
    let mut given = given.clone();
    let configured = if given.model.is_none() || has_keys(config) { specs(config)? } else { None };
    let mut options = ServerOptions::default();
    // A run that goes on names its models itself, and they are those of the slots again.
    if given.model.is_none() || given.model == configured {
        given.model = configured;
        for (slot, model) in named_slots(config) {
            let role = if slot == GENERAL { "default" } else { slot };
            options.keys.extend(ApiKey::new(model.api_key.reveal()).map(|key| (role.to_owned(), key)));
        }
    }
    let secrets = config.secrets().into_iter();
    options.secrets = secrets.filter_map(|(name, secret)| Some((name, ApiKey::new(secret)?))).collect();
    options.images = vision_roles(given.model.as_ref());
    let mut set = build_models_with(&given, dirs, &session.progress, spent, &options).await?;
    set.models = with_parameters(&set.models, config);
    Ok(set)
}

/// The roles whose models read images. Servers do not say; a model that is named for looking at charts is one that does.
fn vision_roles(specs: Option<&ModelSpecs>) -> BTreeSet<String> {
    let vision = Slot::VlmChartGenerating.name();
    let named = specs.is_some_and(|specs| specs.roles.contains_key(vision));
    named.then(|| vision.to_owned()).into_iter().collect()
}

fn has_keys(config: &Config) -> bool {
    named_slots(config).any(|(_, model)| !model.api_key.is_empty())
}

/// The slots that have a model.
fn named_slots(config: &Config) -> impl Iterator<Item = (&'static str, &LlmConfig)> {
    config.llm_config.slots().into_iter().filter(|(_, model)| !model.model_name.trim().is_empty())
}

/// The slots as `--model` would name them; none when there are none. A slot without an address is 211200, slots without
/// `general` are 211203.
fn specs(config: &Config) -> Result<Option<ModelSpecs>, Failure> {
    let spec = |model: &LlmConfig| ModelSpec::compatible(model.model_name.trim(), model.base_url.trim());
    let mut specs = ModelSpecs::default();
    let mut general = false;
    let mut others = false;
    for (slot, model) in named_slots(config) {
        if model.base_url.trim().is_empty() {
            let code = StatusCode::ModelNone;
            return Err(Failure::usage(format!(
                "[{code}]`llm_config.{slot}` names the model `{}` and no `base_url`, so there is no model to call",
                model.model_name.trim()
            )));
        }
        if slot == GENERAL {
            specs.default = spec(model);
            general = true;
        } else {
            specs.roles.insert(slot.to_owned(), spec(model));
            others = true;
        }
    }
    if others && !general {
        let code = StatusCode::ModelGeneralMissing;
        return Err(Failure::usage(format!(
            "[{code}]`llm_config` has no model for `general`, which all slots fall back to"
        )));
    }
    Ok(general.then_some(specs))
}

/// The models with the sampling parameters of their slots.
fn with_parameters(models: &Models, config: &Config) -> Models {
    let params: BTreeMap<&str, Params> = config
        .llm_config
        .slots()
        .into_iter()
        .filter_map(|(slot, model)| {
            // Names of other servers' parameters are none of ours.
            let params: Params = serde_json::from_value(model.hyper_parameters.clone()).ok()?;
            (params != Params::default()).then_some((slot, params))
        })
        .collect();
    if params.is_empty() {
        return models.clone();
    }
    let wrapped = |role: &str, slot: &str| -> Arc<dyn ChatModel> {
        let inner = Arc::clone(models.role(role));
        match params.get(slot) {
            Some(params) => Arc::new(Parameterised { inner, params: params.clone() }),
            None => inner,
        }
    };
    let mut all = Models::new(wrapped("default", GENERAL));
    for role in models.roles() {
        all = all.with_role(role, wrapped(role, role));
    }
    all
}

/// A model with parameters for calls that state none.
struct Parameterised {
    inner: Arc<dyn ChatModel>,
    params: Params,
}

impl Parameterised {
    fn fill(&self, mut request: ChatRequest) -> ChatRequest {
        let (own, asked) = (&self.params, &mut request.params);
        asked.temperature = asked.temperature.or(own.temperature);
        asked.top_p = asked.top_p.or(own.top_p);
        asked.max_tokens = asked.max_tokens.or(own.max_tokens);
        asked.seed = asked.seed.or(own.seed);
        request
    }
}

#[async_trait]
impl ChatModel for Parameterised {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn ledger(&self) -> Option<&Arc<Ledger>> {
        self.inner.ledger()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.inner.chat(self.fill(request)).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        self.inner.stream(self.fill(request)).await
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.inner.choose(self.fill(request), options).await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config(slots: &serde_json::Value) -> Config {
        serde_json::from_value(json!({ "llm_config": slots })).unwrap()
    }

    #[test]
    fn slots_are_models_and_general_is_needed() {
        assert_eq!(specs(&Config::default()).unwrap(), None);
        let slots = json!({
            "general": { "model_name": "m", "base_url": "https://h/v1", "api_key": "k" },
            "info_collecting": { "model_name": "n", "base_url": "https://i/v1" },
        });
        let found = specs(&config(&slots)).unwrap().unwrap().to_string();
        assert_eq!(found, "compatible:m@https://h/v1,info_collecting=compatible:n@https://i/v1");
        for (slots, code) in [
            (json!({ "info_collecting": { "model_name": "n", "base_url": "https://i/v1" } }), "[211203]"),
            (json!({ "general": { "model_name": "m" } }), "[211200]`llm_config.general`"),
        ] {
            let error = specs(&config(&slots)).unwrap_err().to_string();
            assert!(error.starts_with(code), "{error}");
        }
    }

    #[test]
    fn only_a_model_that_is_named_for_it_reads_images() {
        for (specs, sees) in [
            (None, false),
            (Some("compatible:m@http://h/v1"), false),
            (Some("embedded,writing_checking=compatible:m@http://h/v1"), false),
            (Some("embedded,vlm_chart_generating=compatible:m@http://h/v1"), true),
        ] {
            let specs = specs.map(|text| text.parse::<ModelSpecs>().unwrap());
            assert_eq!(vision_roles(specs.as_ref()).contains("vlm_chart_generating"), sees, "{specs:?}");
        }
    }

    #[tokio::test]
    async fn parameters_of_a_slot_fill_what_a_call_leaves_open() {
        let model = Arc::new(graphloom_llm::Scripted::from_fn(|_: &ChatRequest| Ok("x")));
        let models = Models::new(Arc::clone(&model) as Arc<dyn ChatModel>);
        let slots = json!({ "general": { "hyper_parameters": { "temperature": 0.25, "top_k": 3 } } });
        let models = with_parameters(&models, &config(&slots));
        models.role("anything").chat(ChatRequest::user("a")).await.unwrap();
        assert_eq!(model.calls()[0].params.temperature, Some(0.25));
        let mut asked = ChatRequest::user("b");
        asked.params.temperature = Some(0.5);
        models.role("anything").chat(asked).await.unwrap();
        assert_eq!(model.calls()[1].params.temperature, Some(0.5));
    }
}
