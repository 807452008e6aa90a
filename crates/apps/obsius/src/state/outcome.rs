//! How a run ends.

use std::time::Duration;

use graphloom_agents::AgentError;
use graphloom_llm::ModelError;
use graphloom_vault::VaultError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phase::Phase;

/// The rule of the completion check that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Completion {
    /// A simple task in its first iteration, all of whose actions succeeded.
    SimpleTask,
    /// Every sub-objective is confirmed by its probes.
    SubObjectives,
    /// The confidence is high enough.
    Confidence,
    /// The memory holds a typed completion signal.
    MemorySignal,
}

impl Completion {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::SimpleTask => "a simple task, and every action succeeded",
            Self::SubObjectives => "every sub-objective is confirmed",
            Self::Confidence => "the confidence is high enough",
            Self::MemorySignal => "the reflection signals completion",
        }
    }
}

/// The name of an iteration as an action that failed.
pub(crate) const ITERATION: &str = "iteration";

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
    /// The turns of a simple request are used up.
    TurnLimit {
        /// How many there were.
        turns: u32,
    },
    /// The time of an iteration ran out, or of several in a row.
    OutOfTime {
        /// How many in a row.
        times: u32,
        /// The milliseconds of an iteration.
        limit_ms: u64,
    },
    /// No note is about what the request is about.
    NothingFound {
        /// What it is about.
        subject: String,
    },
    /// All notes were asked for, and more fit than searches take.
    FoundLimit {
        /// How many they take.
        taken: usize,
    },
    /// The model's last answer was cut off at its limit of tokens.
    AnswerCut,
    /// The model's last answer was broken off, and not by its limit of tokens.
    AnswerBrokenOff {
        /// By whom, with the provider's word.
        how: String,
    },
    /// An action failed, and nothing after it made up for that; what was done is kept.
    ActionFailed {
        /// The action.
        action: String,
        /// How.
        error: String,
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
            Self::TurnLimit { turns } => format!("the limit of {turns} turns is reached"),
            Self::OutOfTime { times: 1, limit_ms } => format!("the {limit_ms} ms of its time ran out"),
            Self::OutOfTime { times, limit_ms } => {
                format!("{times} iterations in a row ran out of their {limit_ms} ms")
            }
            Self::NothingFound { subject } => format!("no note is about `{subject}`"),
            Self::FoundLimit { taken } => format!("more notes fit than the {taken} that are taken"),
            Self::AnswerCut => "the model's answer was cut off at its limit of tokens".to_owned(),
            Self::AnswerBrokenOff { how } => format!("the model's answer is not whole: {how}"),
            Self::ActionFailed { action, error } => {
                format!("`{action}` failed, and nothing after it made up for that: {error}")
            }
            Self::RepeatedFailure { action, times, error } if action == ITERATION => {
                format!("{times} iterations in a row left everything as it was: {error}")
            }
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

    /// Which parameter lets the run go on when it is larger, as a note to the person.
    pub fn remedy(&self) -> Option<String> {
        let parameter = match self {
            Self::IterationLimit { .. } => "MAX_ITERATIONS",
            Self::TurnLimit { .. } => "max_turns",
            Self::OutOfTime { .. } => "ITERATION_TIMEOUT_MS",
            Self::FoundLimit { .. } => "max_all_results",
            _ => return None,
        };
        Some(format!("{}; `obsius resume RUN --set {parameter}=…` goes on with more", self.text()))
    }

    /// Whether a limit was reached, so that more could be done with another one.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::IterationLimit { .. }
                | Self::TurnLimit { .. }
                | Self::OutOfTime { .. }
                | Self::FoundLimit { .. }
                | Self::AnswerCut
                | Self::AnswerBrokenOff { .. }
        )
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
        let class = if error.downcast_ref::<VaultError>().is_some() { FailureClass::Vault } else { class };
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
