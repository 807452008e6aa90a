//! Messages while they are written, in blocks of text, reasoning and tool calls.
//!
//! Texts and reasoning come one after the other: a block of one ends when one of the other begins. Tool calls are written
//! beside each other and end with the message.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::super::channel::Channel;
use super::super::event::Events;
use crate::messages::{MessageChunk, ToolCallChunk};

/// Messages that have begun and not ended.
#[derive(Default)]
pub(super) struct OpenMessages(Vec<OpenMessage>);

/// Where a piece of a message comes from.
pub(super) struct Origin<'o> {
    pub(super) thread: Uuid,
    pub(super) run: Uuid,
    pub(super) task: &'o Arc<str>,
    pub(super) node: &'o str,
}

struct OpenMessage {
    id: String,
    task: Arc<str>,
    node: String,
    blocks: Vec<Block>,
}

enum Block {
    Text { text: String, is_open: bool },
    Reasoning { text: String, is_open: bool },
    Call(ToolCallChunk),
}

impl OpenMessages {
    /// Takes up a piece.
    pub(super) fn take(&mut self, origin: &Origin<'_>, chunk: &MessageChunk, events: &mut Events<'_>) {
        let at = self.0.iter().position(|message| message.id == chunk.id).unwrap_or_else(|| {
            let (task, node) = (Arc::clone(origin.task), origin.node.to_owned());
            self.0.push(OpenMessage { id: chunk.id.clone(), task, node, blocks: Vec::new() });
            events.add_of_task(Channel::Messages, origin.task, origin.node, || {
                json!({
                    "event": "message-start",
                    "role": "ai",
                    "id": chunk.id,
                    "run_id": chunk.id,
                    "metadata": {
                        "langgraph_node": origin.node,
                        "run_id": origin.run,
                        "thread_id": origin.thread,
                    },
                })
            });
            self.0.len() - 1
        });
        let message = &mut self.0[at];
        if let Some(reasoning) = chunk.reasoning.as_deref().filter(|text| !text.is_empty()) {
            message.write(true, reasoning, events);
        }
        if !chunk.content.is_empty() {
            message.write(false, &chunk.content, events);
        }
        for call in &chunk.tool_calls {
            message.call(call, events);
        }
        if chunk.is_last {
            let mut message = self.0.swap_remove(at);
            message.close_texts(events);
            message.close_calls(events);
            message.tell(events, || match chunk.usage {
                Some(usage) => json!({ "event": "message-finish", "usage": usage }),
                None => json!({ "event": "message-finish" }),
            });
        }
    }

    /// Ends messages that will not be written to their end: those of a task, or all.
    pub(super) fn abandon(&mut self, task: Option<&Arc<str>>, why: &str, events: &mut Events<'_>) {
        self.0.retain(|message| {
            let is_over = task.is_none_or(|task| message.task == *task);
            if is_over {
                message.tell(events, || json!({ "event": "error", "message": why, "code": "aborted" }));
            }
            !is_over
        });
    }
}

impl OpenMessage {
    /// Tells an event of the message. Clients tell messages that are written at the same time apart by the id: the Python
    /// client by `message_id`, the JavaScript client by `run_id`, which is that of one call of a model.
    fn tell(&self, events: &mut Events<'_>, data: impl FnOnce() -> Value) {
        events.add_of_task(Channel::Messages, &self.task, &self.node, || {
            let mut data = data();
            data["message_id"] = self.id.as_str().into();
            data["run_id"] = self.id.as_str().into();
            data
        });
    }

    /// Adds to the block of text, or of reasoning, that is open; opens one where there is none.
    fn write(&mut self, is_reasoning: bool, piece: &str, events: &mut Events<'_>) {
        let open = self.blocks.iter_mut().enumerate().find_map(|(index, block)| match block {
            Block::Text { text, is_open: true } if !is_reasoning => Some((index, text)),
            Block::Reasoning { text, is_open: true } if is_reasoning => Some((index, text)),
            _ => None,
        });
        let index = match open {
            Some((index, text)) => {
                text.push_str(piece);
                index
            }
            None => {
                self.close_texts(events);
                let (text, is_open) = (piece.to_owned(), true);
                let block =
                    if is_reasoning { Block::Reasoning { text, is_open } } else { Block::Text { text, is_open } };
                self.blocks.push(block);
                let index = self.blocks.len() - 1;
                self.tell(events, || {
                    let content = if is_reasoning { reasoning("") } else { text_block("") };
                    json!({ "event": "content-block-start", "index": index, "content": content })
                });
                index
            }
        };
        self.tell(events, || {
            let delta = if is_reasoning {
                json!({ "type": "reasoning-delta", "reasoning": piece })
            } else {
                json!({ "type": "text-delta", "text": piece })
            };
            json!({ "event": "content-block-delta", "index": index, "delta": delta })
        });
    }

    /// Adds to a tool call.
    fn call(&mut self, part: &ToolCallChunk, events: &mut Events<'_>) {
        let known = self.blocks.iter().position(|block| matches!(block, Block::Call(call) if call.index == part.index));
        let index = known.unwrap_or_else(|| {
            self.close_texts(events);
            self.blocks.push(Block::Call(ToolCallChunk { args: String::new(), ..part.clone() }));
            let index = self.blocks.len() - 1;
            self.tell(events, || {
                let content = json!({ "type": "tool_call_chunk", "id": part.id, "name": part.name, "args": "" });
                json!({ "event": "content-block-start", "index": index, "content": content })
            });
            index
        });
        if let Some(Block::Call(call)) = self.blocks.get_mut(index) {
            call.args.push_str(&part.args);
            call.id = call.id.take().or_else(|| part.id.clone());
            call.name = call.name.take().or_else(|| part.name.clone());
        }
        if !part.args.is_empty() {
            self.tell(events, || {
                let delta = json!({ "type": "tool-call-delta", "args": part.args });
                json!({ "event": "content-block-delta", "index": index, "delta": delta })
            });
        }
    }

    fn close_texts(&mut self, events: &mut Events<'_>) {
        let mut closed = Vec::new();
        for (index, block) in self.blocks.iter_mut().enumerate() {
            match block {
                Block::Text { text, is_open: open @ true } => {
                    *open = false;
                    closed.push((index, text_block(text)));
                }
                Block::Reasoning { text, is_open: open @ true } => {
                    *open = false;
                    closed.push((index, reasoning(text)));
                }
                _ => {}
            }
        }
        for (index, content) in closed {
            self.tell(events, || json!({ "event": "content-block-finish", "index": index, "content": content }));
        }
    }

    fn close_calls(&self, events: &mut Events<'_>) {
        for (index, block) in self.blocks.iter().enumerate() {
            if let Block::Call(call) = block {
                self.tell(
                    events,
                    || json!({ "event": "content-block-finish", "index": index, "content": whole(call) }),
                );
            }
        }
    }
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn reasoning(text: &str) -> Value {
    json!({ "type": "reasoning", "reasoning": text })
}

/// A tool call that is written to its end. Arguments that are no object make it invalid.
fn whole(call: &ToolCallChunk) -> Value {
    let args =
        if call.args.is_empty() { Ok(Map::new()) } else { serde_json::from_str::<Map<String, Value>>(&call.args) };
    match args {
        Ok(args) => json!({ "type": "tool_call", "id": call.id, "name": call.name, "args": args }),
        Err(error) => json!({
            "type": "invalid_tool_call",
            "id": call.id,
            "name": call.name,
            "args": call.args,
            "error": error.to_string(),
        }),
    }
}
