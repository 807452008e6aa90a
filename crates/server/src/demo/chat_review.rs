//! `chat_review`: a reply that a person sends as it is, or writes anew.

use graphloom_core_graph::{CompileErrors, Compiled, Context, Node, NodeError, START, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::answer_text;
use super::{last_text, required};
use crate::messages::{Message, Messages, add_messages};

/// A conversation, and the reply that is being written.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ChatReview {
    #[state(reduce_with = add_messages, stored = deltas)]
    pub(crate) messages: Messages,
    pub(crate) reply: Option<String>,
}

const COMPOSE: Node = Node::named("compose");
const CONFIRM_REPLY: Node = Node::named("confirm_reply");

async fn compose(chat: Snapshot<ChatReview>) -> Result<ChatReviewUpdate, NodeError> {
    Ok(ChatReview::update().reply(format!("Reply to {}", last_text(&chat.messages)?)))
}

/// Asks whether to send the reply. The answer `send` sends it, any other is sent in its place.
async fn confirm_reply(chat: Snapshot<ChatReview>, context: Context) -> Result<ChatReviewUpdate, NodeError> {
    let reply = required(chat.reply.as_ref(), "reply")?;
    let answer: Value = context.ask("send", &json!({ "question": "Send?", "reply": reply })).await?;
    let text = if answer == "send" { reply.clone() } else { answer_text(&answer) };
    Ok(ChatReview::update().messages(Message::ai(text).into()))
}

pub(crate) fn graph() -> Result<Compiled<ChatReview>, CompileErrors> {
    let mut graph = StateGraph::new("chat_review");
    graph.add_node(COMPOSE, compose);
    graph.add_node(CONFIRM_REPLY, confirm_reply).asks::<Value>("send");
    graph.add_edge(START, COMPOSE).add_edge(COMPOSE, CONFIRM_REPLY);
    graph.compile()
}
