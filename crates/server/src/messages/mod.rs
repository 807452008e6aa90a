//! Chat messages as graphs keep them, and the pieces in which a model says one.
//!
//! [`Messages`] is a field of a state and [`add_messages`] its reducer. [`emit_chunk`] tells a message while it is
//! written; the streams of every protocol read those pieces.
//!
//! ```
//! use graphloom_core_graph::{Node, NodeError, START, Snapshot, State, StateGraph};
//! use graphloom_server::messages::{Message, Messages, add_messages};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
//! struct Chat {
//!     #[state(reduce_with = add_messages, stored = deltas)]
//!     messages: Messages,
//! }
//!
//! const ANSWER: Node = Node::named("answer");
//!
//! async fn answer(chat: Snapshot<Chat>) -> Result<ChatUpdate, NodeError> {
//!     Ok(Chat::update().messages(Message::ai(format!("message {}", chat.messages.len())).into()))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut graph = StateGraph::<Chat>::new("chat");
//! graph.add_node(ANSWER, answer);
//! graph.add_edge(START, ANSWER);
//! let asked: Messages = serde_json::from_str(r#"[{ "role": "user", "content": "Hello" }]"#)?;
//! let chat = graph.compile()?.run_once(Chat::update().messages(asked)).await?.done()?;
//! assert_eq!(chat.messages.iter().map(Message::text).collect::<Vec<_>>(), ["Hello", "message 1"]);
//! # Ok(())
//! # }
//! ```

mod chunk;
mod list;
mod message;
mod read;
mod reducer;
mod tool_calls;

pub use chunk::{MESSAGE_EVENT, MessageChunk, ToolCallChunk, Usage, emit_chunk};
pub use list::Messages;
pub use message::{Content, Message, MessageKind};
pub use read::MessageError;
pub use reducer::{REMOVE_ALL, add_messages};
