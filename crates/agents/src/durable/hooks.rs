//! What an application does around a durable call.

use async_trait::async_trait;
use graphloom_core_graph::NodeError;
use graphloom_llm::{ChatResponse, Choice, ModelError, ModelId, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What kind of question a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallKind {
    /// A reply is asked for.
    Chat,
    /// One of several options is to be chosen.
    Choose,
}

impl CallKind {
    /// The word that keys of steps begin with.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Chat => "call",
            Self::Choose => "choose",
        }
    }
}

/// A call as hooks see it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Call<'a> {
    /// The key of its durable step, unique in the task.
    pub key: &'a str,
    /// What kind of question it is.
    pub kind: CallKind,
    /// Who is asked.
    pub model: &'a ModelId,
    /// The request as it is sent, with the options if there are any.
    pub asked: &'a Value,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum CallReply<'a> {
    /// A reply.
    Chat(&'a ChatResponse),
    /// A choice.
    Choice(&'a Choice),
}

impl CallReply<'_> {
    /// What the call used.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Chat(response) => response.usage,
            Self::Choice(choice) => choice.usage,
        }
    }
}

/// What an application does around every call, such as looking, counting or waiting. An error of a hook stops the
/// task and is no error of the model; [`Context::ask`](graphloom_core_graph::Context::ask) inside a hook makes the
/// task wait for a person.
#[async_trait]
pub trait CallHooks: Send + Sync {
    /// Runs before a call, whether its reply is made now or taken from the record.
    ///
    /// # Errors
    /// The error that stops the task.
    async fn before(&self, _call: Call<'_>) -> Result<(), NodeError> {
        Ok(())
    }

    /// Runs after a call, once its reply is stored.
    ///
    /// # Errors
    /// The error that stops the task.
    async fn after(&self, _call: Call<'_>, _reply: CallReply<'_>) -> Result<(), NodeError> {
        Ok(())
    }

    /// Runs when the budget refused a call for the `refusals`th time, counted from 1. `Ok` makes the call again.
    ///
    /// # Errors
    /// The refusal itself unless a hook says otherwise: then the caller gets it as the model's error.
    async fn over_budget(&self, _call: Call<'_>, refused: ModelError, _refusals: u32) -> Result<(), NodeError> {
        Err(refused.into())
    }
}

/// Hooks that do nothing.
pub(super) struct NoHooks;

impl CallHooks for NoHooks {}
