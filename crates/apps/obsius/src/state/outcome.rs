//! How a run ends.

use std::time::Duration;

use graphloom_agents::AgentError;
use graphloom_llm::ModelError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::completion::Completion;
use crate::phase::Phase;

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The completion check says so.
    Complete {
        /// By which of its rules.
        by: Completion,
    },
    /// The request was answered and nothing had to be done.
    Answered,
    /// The iterations are used up.
    IterationLimit {
        /// How many there were.
        iterations: u32,
    },
    /// The same action failed again and again in the same way.
    RepeatedFailure {
        /// The action.
        action: String,
        /// How often.
        times: u32,
        /// How.
        error: String,
    },
    /// A person did not approve the changes.
    Declined,
    /// A phase failed.
    Failed,
}

impl StopReason {
    /// In a word or a few, for people.
    pub fn text(&self) -> String {
        match self {
            Self::Complete { by } => format!("complete: {}", by.text()),
            Self::Answered => "answered; nothing had to be changed".to_owned(),
            Self::IterationLimit { iterations } => format!("the limit of {iterations} iterations is reached"),
            Self::RepeatedFailure { action, times, error } => {
                format!("`{action}` failed {times} times in the same way: {error}")
            }
            Self::Declined => "the changes were not approved".to_owned(),
            Self::Failed => "failed".to_owned(),
        }
    }

    /// Whether the request was carried out.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Complete { .. } | Self::Answered)
    }
}

/// What a failure is, so that a caller knows what to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureClass {
    /// The model's key.
    Auth,
    /// Too many calls; wait.
    RateLimited,
    /// No connection, or no answer in time.
    Network,
    /// The provider failed.
    Provider,
    /// A budget or quota is spent.
    Budget,
    /// The model's answer or the request to it.
    Model,
    /// The vault.
    Vault,
    /// Time ran out.
    Timeout,
    /// Anything else.
    #[default]
    Internal,
}

/// A failure that ended a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Failure {
    /// The phase.
    pub phase: Option<Phase>,
    /// What it is.
    pub class: FailureClass,
    /// What happened and what to do, with causes.
    pub message: String,
    /// How long the provider asks to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// Whether the same may succeed later.
    pub retryable: bool,
}

impl Failure {
    /// A failure of a class.
    pub fn new(phase: Phase, class: FailureClass, message: impl Into<String>) -> Self {
        Self { phase: Some(phase), class, message: message.into(), ..Self::default() }
    }

    /// The failure that an error is.
    pub fn of(phase: Phase, error: &graphloom_core_graph::NodeError) -> Self {
        let model =
            error.downcast_ref::<ModelError>().or_else(|| error.downcast_ref::<AgentError>().and_then(model_error));
        let class = model.map_or(FailureClass::Internal, class_of);
        let class =
            if error.downcast_ref::<graphloom_vault::VaultError>().is_some() { FailureClass::Vault } else { class };
        Self {
            phase: Some(phase),
            class,
            message: error.to_string(),
            retry_after_ms: model
                .and_then(ModelError::retry_after)
                .map(|wait: Duration| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
            retryable: model.map_or_else(|| error.is_retryable(), ModelError::is_retryable),
        }
    }
}

/// The model's error inside an agent's.
fn model_error(error: &AgentError) -> Option<&ModelError> {
    match error {
        AgentError::Model { source, .. } | AgentError::Conversation { source, .. } => Some(&**source),
        _ => None,
    }
}

fn class_of(error: &ModelError) -> FailureClass {
    match error {
        ModelError::Auth { .. } => FailureClass::Auth,
        ModelError::RateLimited { .. } => FailureClass::RateLimited,
        ModelError::Unreachable { .. } | ModelError::Timeout { .. } | ModelError::StreamInterrupted { .. } => {
            FailureClass::Network
        }
        ModelError::Server { .. } => FailureClass::Provider,
        ModelError::Budget { .. } | ModelError::Quota { .. } => FailureClass::Budget,
        _ => FailureClass::Model,
    }
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RunOutcome {
    /// Whether the request was carried out.
    pub is_complete: bool,
    /// Why the run ended.
    pub stop: StopReason,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// What is said to the person.
    pub answer: String,
    /// Notes that the answer names and that do not exist.
    #[serde(default)]
    pub unknown_citations: Vec<String>,
}
