//! The messages of a run, in the form of the original.
//!
//! Nodes emit [`StreamMessage`]s as custom events under the name [`CHANNEL`]; [`message_of`] reads one back from an
//! event of the run, whichever graph it came from.

mod message;
mod transcript;

pub use message::{MessageEvent, MessageKind, Place, StreamMessage};
pub use transcript::{Transcript, failure_message};

use graphloom_core_graph::{Context, Event, EventKind, NodeError};

/// The name of the events that carry messages.
pub const CHANNEL: &str = "message";
/// The content of the last message of every stream.
pub const ALL_END: &str = "ALL END";
/// The content of the message that ends a section.
pub const SECTION_END: &str = "SECTION END";

/// Emits a message.
pub async fn emit<Cx>(cx: &Context<Cx>, mut message: StreamMessage) {
    message.conversation_id = cx.task().thread.to_string();
    message.created_time = cx.now();
    if message.message_id.is_empty() {
        message.message_id = cx.task().id.to_string();
    }
    cx.emit(CHANNEL, message).await;
}

/// Emits START, one MESSAGE with `content`, and DONE.
pub async fn emit_whole<Cx>(cx: &Context<Cx>, agent: &str, place: Place, content: impl Into<String>) {
    let message = StreamMessage::new(agent, MessageEvent::Start, "").at(place.clone());
    emit(cx, message).await;
    emit(cx, StreamMessage::new(agent, MessageEvent::Message, content).at(place.clone())).await;
    emit(cx, StreamMessage::new(agent, MessageEvent::Done, "").at(place)).await;
}

/// Emits that the user is asked. When the node runs again with the answer, the message is not repeated.
///
/// # Errors
/// The store's.
pub async fn emit_waiting<Cx>(cx: &Context<Cx>, agent: &str, prompt: &str) -> Result<(), NodeError> {
    let message = StreamMessage::new(agent, MessageEvent::WaitingUserInput, prompt).kind(MessageKind::Interrupt);
    let emitting = async {
        emit(cx, message).await;
        Ok::<(), NodeError>(())
    };
    cx.once("waiting", emitting).await
}

/// Emits that the user has answered.
pub async fn emit_answered<Cx>(cx: &Context<Cx>, agent: &str) {
    let message = StreamMessage::new(agent, MessageEvent::UserInputEnded, "").kind(MessageKind::Interrupt);
    emit(cx, message).await;
}

/// The message that an event of a run carries.
pub fn message_of(event: &Event) -> Option<StreamMessage> {
    match &event.kind {
        EventKind::Custom { name, payload } if name == CHANNEL => {
            payload.get::<StreamMessage>().cloned().or_else(|| serde_json::from_value(payload.json()).ok())
        }
        _ => None,
    }
}
