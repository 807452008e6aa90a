//! Calls of the profile's agents.

use graphloom_agents::{Agent, AgentError, Answer, Ask, Parsed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::resources::Setup;

/// The agent of the profile for an action.
pub(crate) fn agent<'d>(setup: &'d Setup, action: &str, kind: &str) -> Result<Agent<'d>, AgentError> {
    let spec = setup.profile.agent(action, kind)?;
    Ok(Agent::new(format!("{action}/{kind}"), spec, &setup.prompts, &setup.models))
}

/// Asks for a value of a schema.
pub(crate) async fn value<T: DeserializeOwned>(
    setup: &Setup,
    agent: &Agent<'_>,
    args: &(impl Serialize + Sync),
    name: &str,
    schema: Value,
) -> Result<Answer<T>, AgentError> {
    let mut ask = Ask::default();
    ask.seed = Some(setup.seed_of(name));
    agent.value(args, ask, name, schema).await
}

/// Asks for a text. A reply that ends at its limit of tokens is taken up to its last whole sentence.
pub(crate) async fn text(
    setup: &Setup,
    agent: &Agent<'_>,
    args: &(impl Serialize + Sync),
) -> Result<Answer<String>, AgentError> {
    let mut ask = Ask::default();
    ask.seed = Some(setup.seed_of(&agent.spec().template));
    ask.accept_incomplete = true;
    agent
        .ask(args, ask, |reply| {
            let text = whole_sentences(reply.text);
            if text.is_empty() { Err("it is empty".to_owned()) } else { Ok(Parsed::new(text)) }
        })
        .await
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
