//! A whole answer as a stream of events.

use crate::{ChatEvent, ChatResponse, Part};

/// Turns a whole answer into the events of a stream: its text in pieces of `piece` characters, its reasoning and tool
/// calls, and [`ChatEvent::Done`] at the end.
pub fn events_of(response: ChatResponse, piece: usize) -> Vec<ChatEvent> {
    let mut events = Vec::new();
    for part in &response.message.parts {
        match part {
            Part::Text { text } => {
                let mut rest = text.as_str();
                while !rest.is_empty() {
                    let cut = rest.char_indices().nth(piece.max(1)).map_or(rest.len(), |(index, _)| index);
                    events.push(ChatEvent::TextDelta { text: rest[..cut].to_owned() });
                    rest = &rest[cut..];
                }
            }
            Part::Reasoning { text, .. } => events.push(ChatEvent::ReasoningDelta { text: text.clone() }),
            Part::ToolCall(call) => events.push(ChatEvent::ToolCall(call.clone())),
            _ => {}
        }
    }
    events.push(ChatEvent::Done(response));
    events
}
