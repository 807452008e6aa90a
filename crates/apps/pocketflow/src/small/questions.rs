//! Small questions as durable steps.

use graphloom_agents::guided::{likeliest, object_schema, repeated};
use graphloom_agents::{Agent, AgentError, AgentSpec, Ask, Models, Parsed, logged_step};
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::cassette::key_of;
use graphloom_llm::parse::read_value;
use graphloom_llm::{Choice, ResponseFormat};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::sentence::clip;
use crate::profile::SmallRules;
use crate::resources::{Resources, WHOLE};

/// Asks a small model for the parts of one thing.
pub(crate) struct SmallQuestions<'c> {
    cx: &'c Context<Resources>,
    models: Models,
    action: &'static str,
    /// Goes into every seed, so that an action that is tried again is answered otherwise.
    round: u64,
}

/// The outcome of a question, as it is kept: a reply that could not be used is not asked for again.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply<T> {
    Usable(T),
    Unusable(String),
}

impl<'c> SmallQuestions<'c> {
    /// Questions for the parts of `action`.
    pub(crate) fn new(cx: &'c Context<Resources>, action: &'static str, round: usize) -> Self {
        let models = cx.resources().models.told(cx);
        Self { cx, models, action, round: u64::try_from(round).unwrap_or(u64::MAX) }
    }

    /// How the model is led.
    pub(crate) fn rules(&self) -> SmallRules {
        self.cx.resources().profile.settings.small
    }

    /// The model's name.
    pub(crate) fn model(&self) -> Result<String, NodeError> {
        Ok(self.agent(WHOLE)?.model().id().to_string())
    }

    /// Asks for a value of a schema that `check` accepts. A reply that it refuses is not shown to the model, which would
    /// only say it again: the same is asked with another seed. `Err` inside says why no reply could be used.
    pub(crate) async fn value<T>(
        &self,
        kind: &str,
        key: &str,
        args: &(impl Serialize + Sync),
        properties: &Value,
        check: impl Fn(&T) -> Result<(), String> + Send + Sync,
    ) -> Result<Result<T, String>, NodeError>
    where
        T: Serialize + DeserializeOwned + Send,
    {
        let key = format!("{}/{key}", self.action);
        let resources = self.cx.resources();
        let mut spec: AgentSpec = self.agent(kind)?.spec().clone();
        let tries = std::mem::replace(&mut spec.tries, 1).max(1);
        let agent = Agent::new(format!("{}/{kind}", self.action), &spec, &resources.prompts, &self.models);
        let schema = object_schema(properties);
        let prompt = resources.prompts.render(&spec.template, args).map_err(failed)?.messages;
        let mut last = String::new();
        for number in 1..=tries {
            let key = format!("{key}/{number}");
            let mut ask = Ask::default();
            ask.seed = Some(self.seed(&key));
            ask.format = ResponseFormat::JsonSchema { name: kind.to_owned(), schema: schema.clone() };
            let work = async {
                let asked = agent.ask(args, ask, |reply| {
                    let parsed = read_value(reply.text, Some(&schema));
                    let parsed = parsed.map_err(|_| "it does not have the form that was asked for".to_owned())?;
                    if let Some(words) = repeated(reply.text, &prompt) {
                        return Err(format!("`{words}` is of the example that the model was shown"));
                    }
                    let value: T = serde_json::from_value(parsed.value).map_err(|error| error.to_string())?;
                    check(&value).map(|()| Parsed::new(value))
                });
                match asked.await {
                    Ok(answer) => Ok(Reply::Usable(answer.value)),
                    Err(AgentError::Unusable { problem, .. }) => Ok(Reply::Unusable(problem)),
                    Err(error) => Err(failed(error)),
                }
            };
            match logged_step(self.cx, &key, work).await? {
                Reply::Usable(value) => return Ok(Ok(value)),
                Reply::Unusable(problem) => last = problem,
            }
        }
        Ok(Err(last))
    }

    /// Which of some sentences says most about a topic: the one that the model most likely says yes to. The place of the best.
    pub(crate) async fn best(&self, key: &str, topic: &str, sentences: &[String]) -> Result<usize, NodeError> {
        let options = ["yes", "no"].map(str::to_owned);
        let (options, topic) = (&options, clip(topic));
        likeliest(sentences.len(), |at| {
            let args = json!({ "topic": topic, "sentence": sentences[at] });
            let key = format!("{key}/{at}");
            async move { self.choose("judge", &key, &args, options).await }
        })
        .await
    }

    /// Lets the model choose one of `options`. Its index, and the log-likelihood of each.
    pub(crate) async fn choose(
        &self,
        kind: &str,
        key: &str,
        args: &(impl Serialize + Sync),
        options: &[String],
    ) -> Result<Choice, NodeError> {
        let key = format!("{}/{key}", self.action);
        let agent = self.agent(kind)?;
        let work = async {
            match agent.choose(args, options).await {
                Ok(answer) => Ok(answer.value),
                Err(AgentError::Model { source, .. }) => Err(NodeError::from(*source)),
                Err(error) => Err(failed(error)),
            }
        };
        logged_step(self.cx, &key, work).await
    }

    fn agent(&self, kind: &str) -> Result<Agent<'_>, NodeError> {
        let resources = self.cx.resources();
        let spec = resources.profile.agent(self.action, kind).map_err(failed)?;
        Ok(Agent::new(format!("{}/{kind}", self.action), spec, &resources.prompts, &self.models))
    }

    fn seed(&self, key: &str) -> u64 {
        let hash = key_of(&json!([key, self.round]));
        hash.get(..12).and_then(|hash| u64::from_str_radix(hash, 16).ok()).unwrap_or(self.round)
    }
}

/// What a retry cannot mend is terminal.
fn failed(error: AgentError) -> NodeError {
    if error.is_retryable() { error.into() } else { NodeError::terminal(error) }
}
