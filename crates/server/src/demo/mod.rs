//! Small graphs that show each thing that a client can do: talk, answer questions, fan out, nest, tick, fail, remember.
//!
//! Clients are tried against them, so their names, keys and texts are part of what the server promises. They have no
//! model and need no network.

mod answer;
pub(crate) mod approval;
pub(crate) mod chat_review;
pub(crate) mod echo_chat;
pub(crate) mod fanout;
pub(crate) mod faulty;
pub(crate) mod memory;
pub(crate) mod nested;
pub(crate) mod pipeline;
pub(crate) mod ticker;

#[cfg(test)]
mod tests;

use graphloom_core_graph::NodeError;

use crate::messages::{Message, Messages};

/// The name of custom events without a name: the LangGraph wire tells their value bare.
pub(crate) const CUSTOM: &str = "";

/// The value of a key that the input must have.
fn required<'a, T>(value: Option<&'a T>, key: &str) -> Result<&'a T, NodeError> {
    value.ok_or_else(|| NodeError::terminal(format!("the state has no `{key}`; give it in the input")))
}

/// The text of the newest message.
fn last_text(messages: &Messages) -> Result<String, NodeError> {
    Ok(required(messages.last().map(Message::text).as_ref(), "messages")?.clone())
}
