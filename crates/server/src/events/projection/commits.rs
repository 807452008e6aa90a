//! Commits, and the state after them.

use serde_json::{Value, json};
use uuid::Uuid;

use super::super::channel::Channel;
use super::super::checkpoints::WireCheckpoint;
use super::super::event::Events;
use crate::graph::Fields;
use crate::log::CommitOf;

/// A commit tells its checkpoints, and then the state: clients pair the state with the checkpoint before it.
pub(super) fn commit(thread: Uuid, ns: &str, step: u64, commit: &CommitOf, events: &mut Events<'_>) {
    let checkpoints = WireCheckpoint::of_commit(commit.number, commit.parent, commit.source, step);
    for checkpoint in checkpoints {
        events.add(Channel::Checkpoints, || checkpoint.reference(&thread.to_string(), ns));
    }
    events.add(Channel::Values, || values(&commit.values));
}

/// The state, with what AI messages say as a list of blocks.
fn values(state: &Fields) -> Value {
    let mut state = state.clone();
    let lists = state.values_mut().filter_map(Value::as_array_mut);
    for message in lists.flatten().filter(|message| message["type"] == "ai" && message["id"].is_string()) {
        let content = message.get_mut("content");
        if let Some(Value::String(text)) = content.as_deref() {
            let blocks = if text.is_empty() { json!([]) } else { json!([{ "type": "text", "text": text }]) };
            message["content"] = blocks;
        }
    }
    state.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ai_messages_say_is_blocks_and_all_else_stays() {
        let state = json!({
            "messages": [
                {"type": "human", "id": "h", "content": "hi"},
                {"type": "ai", "id": "a", "content": "ho"},
                {"type": "ai", "id": "b", "content": ""},
                {"type": "ai", "id": "c", "content": [{"type": "text", "text": "done"}]},
            ],
            "other": [{"type": "ai", "content": "no message"}, "ai", 1],
            "text": "ai",
        });
        let mut expected = state.clone();
        expected["messages"][1]["content"] = json!([{"type": "text", "text": "ho"}]);
        expected["messages"][2]["content"] = json!([]);
        assert_eq!(values(state.as_object().expect("an object")), expected);
    }
}
