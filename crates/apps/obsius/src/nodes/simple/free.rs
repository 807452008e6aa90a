//! The conversation with a model that calls tools.

use graphloom_agents::Transcript;
use graphloom_core_graph::NodeError;
use graphloom_llm::ChatModel;
use serde_json::json;

use super::{Talk, claims};
use crate::ObsiusError;

/// What came of it. A model that claims a change that it did not make is told so, once.
pub(super) async fn converse(mut talk: Talk<'_>, model: &dyn ChatModel) -> Result<Transcript, NodeError> {
    let mut first = talk.hold(model).await?;
    if !claims(talk.request(), &first, talk.workspace) {
        return Ok(first);
    }
    let args = json!({ "request": talk.request() });
    let asked = talk.setup.prompts.render("unchanged", &args).map_err(ObsiusError::from)?;
    talk.messages.clone_from(&first.messages);
    talk.messages.extend(asked.messages);
    talk.options.key = "second/".to_owned();
    talk.options.repeats = first.repeats.clone();
    let mut second = talk.hold(model).await?;
    first.calls.append(&mut second.calls);
    second.calls = first.calls;
    second.turns += first.turns;
    second.usage += first.usage;
    Ok(second)
}
