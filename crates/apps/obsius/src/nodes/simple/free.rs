//! The conversation with a model that calls tools.

use graphloom_agents::Transcript;
use graphloom_core_graph::NodeError;
use graphloom_llm::ChatModel;
use serde_json::json;

use super::{ConversationSetup, claims};
use crate::ObsiusError;

/// What came of it. A model that claims a change that it did not make is told so, once.
pub(super) async fn converse(
    mut conversation: ConversationSetup<'_>,
    model: &dyn ChatModel,
) -> Result<Transcript, NodeError> {
    let mut first = conversation.hold(model).await?;
    if !claims(conversation.request(), &first, conversation.workspace) {
        return Ok(first);
    }
    let args = json!({ "request": conversation.request() });
    let asked = conversation.setup.prompts.render("unchanged", &args).map_err(ObsiusError::from)?;
    conversation.messages.clone_from(&first.messages);
    conversation.messages.extend(asked.messages);
    conversation.options.key = "second/".to_owned();
    conversation.options.repeats = first.repeats.clone();
    let mut second = conversation.hold(model).await?;
    first.calls.append(&mut second.calls);
    second.calls = first.calls;
    second.turns += first.turns;
    second.usage += first.usage;
    Ok(second)
}
