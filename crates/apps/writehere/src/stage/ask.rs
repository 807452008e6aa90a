//! Calls of the profile's agents, and the reading of their replies.

use graphloom_agents::{Agent, Answer, Ask, Exchange, Parsed, Reply, Strategy};
use graphloom_llm::parse::tags;
use graphloom_state_machine::NodeKey;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::repetition::without_repetition;
use super::{Setup, StageError, TaskContext};

/// The agent of the profile for an action on a task type.
pub(super) fn agent<'d>(setup: &'d Setup, action: &str, task_type: &str) -> Result<Agent<'d>, StageError> {
    let spec = setup.profile.agent(action, task_type)?;
    Ok(Agent::new(format!("{action}/{task_type}"), spec, &setup.prompts, &setup.models))
}

/// A call with the seed of the task.
pub(super) fn seeded(setup: &Setup, context: &TaskContext<'_>, action: &str) -> Ask {
    let mut ask = Ask::default();
    ask.seed = Some(setup.seed(context.key, action));
    ask
}

/// Asks for the text in the agent's tag `text`. A reply without the tag is refused until the last try, which is taken
/// whole. A reply that was broken off is taken up to where it begins to repeat itself.
pub(super) async fn text(
    agent: &Agent<'_>,
    args: &(impl Serialize + Sync),
    mut ask: Ask,
) -> Result<Answer<String>, StageError> {
    let tag = agent.spec().tag("text").to_string();
    ask.accept_incomplete = true;
    let mut answer = agent.ask(args, ask, |reply| tagged_text(&tag, reply)).await?;
    if answer.exchange.attempts.last().is_some_and(|attempt| !attempt.finish.is_whole()) {
        answer.value = without_repetition(&answer.value);
    }
    Ok(answer)
}

/// A note for each thing that had to be tolerated in reading the reply that was taken, for the notes of the run.
pub(super) fn reading_notes(key: &NodeKey, exchange: &Exchange) -> Vec<String> {
    let notes = exchange.attempts.last().map(|attempt| attempt.notes.as_slice()).unwrap_or_default();
    notes.iter().map(|note| format!("task `{key}`: {note}")).collect()
}

fn tagged_text(tag: &str, reply: Reply<'_>) -> Result<Parsed<String>, String> {
    if let Some(text) = tags::find(reply.text, tag).filter(|text| !text.trim().is_empty()) {
        return Ok(Parsed::new(text));
    }
    if reply.last && !reply.text.trim().is_empty() {
        let note = format!("the reply has no `<{tag}>`; it was taken whole");
        return Ok(Parsed::with_notes(reply.text.trim().to_string(), vec![note]));
    }
    Err(format!("there is no text between `<{tag}>` and `</{tag}>`"))
}

/// Asks for a value of a schema by the template for small models, whoever is asked.
pub(super) async fn value<T: DeserializeOwned>(
    agent: &Agent<'_>,
    args: &(impl Serialize + Sync),
    mut ask: Ask,
    name: &str,
    schema: Value,
) -> Result<Answer<T>, StageError> {
    ask.template = Some(agent.spec().template_for(Strategy::Guided).to_owned());
    Ok(agent.value(args, ask, name, schema).await?)
}
