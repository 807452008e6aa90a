//! Calls of the profile's agents.

use graphloom_agents::{Agent, AgentError, Answer, Ask, Exchange, Parsed};
use graphloom_llm::parse::read_value;
use graphloom_llm::{ChatRequest, Params, ResponseFormat};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::resources::Setup;

/// The agent of the profile for an action.
pub(crate) fn agent<'d>(setup: &'d Setup, action: &str, kind: &str) -> Result<Agent<'d>, AgentError> {
    let spec = setup.profile.agent(action, kind)?;
    Ok(Agent::new(format!("{action}/{kind}"), spec, &setup.prompts, &setup.models))
}

/// Asks for a value of a schema. A model that answers inside a grammar is asked by the small template.
pub(crate) async fn value<T: DeserializeOwned>(
    setup: &Setup,
    agent: &Agent<'_>,
    args: &(impl Serialize + Sync),
    name: &str,
    schema: Value,
) -> Result<Answer<T>, AgentError> {
    let mut ask = Ask::default();
    if agent.is_constrained() {
        ask.template.clone_from(&agent.spec().small);
    }
    ask.seed = Some(setup.seed_of(name));
    ask.format = ResponseFormat::JsonSchema { name: name.to_owned(), schema: schema.clone() };
    agent
        .ask(args, ask, |reply| {
            let parsed = read_value(reply.text, Some(&schema)).map_err(|failure| failure.to_string())?;
            serde_json::from_value(parsed.value).map(Parsed::new).map_err(|error| error.to_string())
        })
        .await
}

/// Asks for a text. A reply that ends at its limit of tokens is taken up to its last whole sentence.
pub(crate) async fn text(
    setup: &Setup,
    agent: &Agent<'_>,
    args: &(impl Serialize + Sync),
) -> Result<Answer<String>, AgentError> {
    let mut ask = Ask::default();
    if agent.is_constrained() {
        ask.template.clone_from(&agent.spec().small);
    }
    ask.seed = Some(setup.seed_of(&agent.spec().template));
    ask.accept_incomplete = true;
    agent
        .ask(args, ask, |reply| {
            let text = whole_sentences(reply.text);
            if text.is_empty() { Err("it is empty".to_owned()) } else { Ok(Parsed::new(text)) }
        })
        .await
}

/// Lets the model of an agent choose one of `options`, which stand in the rendered prompt.
pub(crate) async fn choose(
    setup: &Setup,
    agent: &Agent<'_>,
    args: &(impl Serialize + Sync),
    options: &[String],
) -> Result<(usize, Exchange), AgentError> {
    let template = agent.spec().small.as_deref().filter(|_| agent.is_constrained()).unwrap_or(&agent.spec().template);
    let rendered = setup.prompts.render(template, args)?;
    let mut exchange = Exchange::default();
    exchange.agent.clone_from(&agent.spec().template);
    exchange.template = rendered.template;
    exchange.version = rendered.version;
    exchange.model = agent.model().id().to_string();
    exchange.args = serde_json::to_value(args).unwrap_or_default();
    exchange.messages.clone_from(&rendered.messages);
    let params = Params { temperature: Some(0.0), ..Params::default() };
    let request = ChatRequest { messages: rendered.messages, params, ..ChatRequest::default() };
    match agent.model().choose(request, options).await {
        Ok(choice) => Ok((choice.index.min(options.len().saturating_sub(1)), exchange)),
        Err(source) => Err(AgentError::Model {
            agent: exchange.agent.clone(),
            source: Box::new(source),
            exchange: Box::new(exchange),
        }),
    }
}

/// A text up to the end of its last whole sentence, or all of it when it has none.
pub(crate) fn whole_sentences(text: &str) -> String {
    let text = text.trim();
    let end = text.char_indices().rev().find(|(_, c)| matches!(c, '.' | '!' | '?' | '。' | '！' | '？'));
    match end {
        Some((at, c)) => text[..at + c.len_utf8()].to_owned(),
        None => text.to_owned(),
    }
}
