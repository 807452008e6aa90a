//! `echo_chat`: answers every message with its own text, streamed in pieces as a model would.

use graphloom_core_graph::{CompileErrors, Compiled, Context, Node, NodeError, START, Snapshot, State, StateGraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::last_text;
use crate::messages::{Message, MessageChunk, Messages, add_messages, emit_chunk};

/// A conversation.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct EchoChat {
    #[state(reduce_with = add_messages, stored = deltas)]
    pub(crate) messages: Messages,
}

const MODEL: Node = Node::named("model");

/// Says `Echo: ` and the newest message. The pieces and the kept message have one id.
async fn model(chat: Snapshot<EchoChat>, context: Context) -> Result<EchoChatUpdate, NodeError> {
    let answer = format!("Echo: {}", last_text(&chat.messages)?);
    let id = Uuid::new_v4().to_string();
    let mut pieces = pieces(&answer).peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        emit_chunk(&context, MessageChunk { is_last, ..MessageChunk::text(&id, piece) }).await;
    }
    Ok(EchoChat::update().messages(Message::ai(answer.as_str()).with_id(id).into()))
}

/// The words of a text, and between two of them the space.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
        .flat_map(|part| match part.strip_suffix(' ') {
            Some(word) => [word, " "],
            None => [part, ""],
        })
        .filter(|piece| !piece.is_empty())
}

pub(crate) fn graph() -> Result<Compiled<EchoChat>, CompileErrors> {
    let mut graph = StateGraph::new("echo_chat");
    graph.add_node(MODEL, model);
    graph.add_edge(START, MODEL);
    graph.compile()
}
