//! Messages in the words of the wire.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::messages::{MessageChunk, ToolCallChunk, Usage};

/// A piece as the data of `messages`.
pub(super) fn chunk(chunk: &MessageChunk) -> Value {
    let call = |call: &ToolCallChunk| {
        json!({
            "name": call.name,
            "args": call.args,
            "id": call.id,
            "index": call.index,
            "type": "tool_call_chunk",
        })
    };
    json!({
        "content": chunk.content,
        "additional_kwargs": reasoning(chunk.reasoning.as_deref().unwrap_or_default()),
        "response_metadata": {},
        "type": "AIMessageChunk",
        "name": null,
        "id": chunk.id,
        "tool_calls": [],
        "invalid_tool_calls": [],
        "usage_metadata": chunk.usage.map(usage),
        "tool_call_chunks": chunk.tool_calls.iter().map(call).collect::<Vec<_>>(),
        "chunk_position": chunk.is_last.then_some("last"),
    })
}

fn reasoning(text: &str) -> Value {
    if text.is_empty() { json!({}) } else { json!({"reasoning_content": text}) }
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
    })
}

/// A message as far as it was told.
#[derive(Default)]
pub(super) struct PartialMessage {
    content: String,
    reasoning: String,
    calls: BTreeMap<u32, ToolCallChunk>,
    usage: Option<Usage>,
}

impl PartialMessage {
    pub(super) fn add(&mut self, chunk: &MessageChunk) {
        self.content.push_str(&chunk.content);
        self.reasoning.push_str(chunk.reasoning.as_deref().unwrap_or_default());
        self.usage = chunk.usage.or(self.usage);
        for part in &chunk.tool_calls {
            let call = self
                .calls
                .entry(part.index)
                .or_insert_with(|| ToolCallChunk { index: part.index, ..ToolCallChunk::default() });
            call.id = part.id.clone().or_else(|| call.id.take());
            call.name = part.name.clone().or_else(|| call.name.take());
            call.args.push_str(&part.args);
        }
    }

    /// The message in the form of a kept one. Arguments of a tool call that are not whole yet are `{}`.
    pub(super) fn wire(&self, id: &str) -> Value {
        let call = |call: &ToolCallChunk| {
            let args: Map<String, Value> = serde_json::from_str(&call.args).unwrap_or_default();
            json!({"name": call.name, "args": args, "id": call.id, "type": "tool_call"})
        };
        json!({
            "content": self.content,
            "additional_kwargs": reasoning(&self.reasoning),
            "response_metadata": {},
            "type": "ai",
            "name": null,
            "id": id,
            "tool_calls": self.calls.values().map(call).collect::<Vec<_>>(),
            "invalid_tool_calls": [],
            "usage_metadata": self.usage.map(usage),
        })
    }
}
